/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/index_texts.h"

#include "tests/support/check.h"

static void texts_are_numbered_as_they_are_used(void)
{
	struct string_table strings;
	struct index_texts texts;
	struct index_chunks chunks;
	uint32_t one, two, unused, number;
	const char *text;

	CHECK_EQ(string_table_init(&strings), 0);
	CHECK_EQ(string_table_add(&strings, "one", 3, &one), 0);
	CHECK_EQ(string_table_add(&strings, "not used", 8, &unused), 0);
	CHECK_EQ(string_table_add(&strings, "two\n", 4, &two), 0);
	CHECK_EQ(index_texts_init(&texts, &strings), 0);
	CHECK_EQ(index_texts_number(&texts, two, &number), 0);
	CHECK_EQ(number, 0);
	CHECK_EQ(index_texts_number(&texts, one, &number), 0);
	CHECK_EQ(number, 1);
	CHECK_EQ(index_texts_number(&texts, two, &number), 0);
	CHECK_EQ(number, 0);
	index_chunks_init(&chunks, 1 << 20);
	CHECK_EQ(index_texts_write(&texts, SYMBOL_CHUNK_FILES, &chunks), 0);
	CHECK_EQ(chunks.count, 1);
	CHECK_EQ(symbol_index_find_name(chunks.chunks.bytes, chunks.chunks.byte_count, 0, 0, &text),
		0);
	CHECK_STR(text, "two?");
	CHECK_EQ(symbol_index_find_name(chunks.chunks.bytes, chunks.chunks.byte_count, 0, 1, &text),
		0);
	CHECK_STR(text, "one");
	index_chunks_done(&chunks);
	index_texts_done(&texts);
	string_table_done(&strings);
}

static void no_text_is_no_chunk(void)
{
	struct string_table strings;
	struct index_texts texts;
	struct index_chunks chunks;

	CHECK_EQ(string_table_init(&strings), 0);
	CHECK_EQ(index_texts_init(&texts, &strings), 0);
	index_chunks_init(&chunks, 1 << 20);
	CHECK_EQ(index_texts_write(&texts, SYMBOL_CHUNK_NAMES, &chunks), 0);
	CHECK_EQ(chunks.count, 0);
	index_chunks_done(&chunks);
	index_texts_done(&texts);
	string_table_done(&strings);
}

int main(void)
{
	RUN(texts_are_numbered_as_they_are_used);
	RUN(no_text_is_no_chunk);
	return 0;
}
