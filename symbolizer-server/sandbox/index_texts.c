/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/index_texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/name_text.h"

#define NO_NUMBER UINT32_MAX

int index_texts_init(struct index_texts *texts, const struct string_table *strings)
{
	size_t count = strings->count ? strings->count : 1;

	*texts = (struct index_texts){.strings = strings};
	texts->numbers = malloc(count * sizeof(*texts->numbers));
	if (!texts->numbers)
		return -ENOMEM;
	memset(texts->numbers, 0xff, count * sizeof(*texts->numbers));
	return 0;
}

void index_texts_done(struct index_texts *texts)
{
	free(texts->numbers);
	free(texts->used);
	*texts = (struct index_texts){0};
}

int index_texts_number(struct index_texts *texts, uint32_t string, uint32_t *ret_number)
{
	int r;

	if (texts->numbers[string] == NO_NUMBER) {
		r = grow_array(
			&texts->used, &texts->used_capacity, texts->used_count, STRING_COUNT_MAX);
		if (r < 0)
			return r;
		texts->numbers[string] = texts->used_count;
		texts->used[texts->used_count++] = string;
	}
	*ret_number = texts->numbers[string];
	return 0;
}

/* Appends a text as it is stored: cut, mended, NUL-terminated. */
static int add_text(struct bytes_writer *writer, const char *text, size_t length)
{
	size_t at = writer->byte_count;

	length = length < SYMBOL_NAME_BYTES_MAX ? length : SYMBOL_NAME_BYTES_MAX - 1;
	bytes_write_span(writer, text, length);
	bytes_write_u8(writer, 0);
	if (bytes_writer_fault(writer) < 0)
		return -ENOMEM;
	name_text_mend((char *)writer->bytes + at, length);
	return 0;
}

struct half_texts {
	struct bytes_writer offsets; /* of each text in BYTES */
	struct bytes_writer bytes;
	struct bytes_writer whole;
};

/* One chunk, from *NEXT on. */
static int write_chunk(const struct index_texts *texts, enum symbol_chunk_kind kind, uint32_t *next,
	struct half_texts *half, struct index_chunks *chunks)
{
	uint32_t first = *next, count;
	struct bytes_reader reader;

	bytes_writer_reset(&half->offsets);
	bytes_writer_reset(&half->bytes);
	bytes_writer_reset(&half->whole);
	/* The last text may be a long one: it still fits. */
	while (*next < texts->used_count &&
		half->offsets.byte_count + half->bytes.byte_count < SYMBOL_CHUNK_BYTES_AIM) {
		uint32_t string = texts->used[*next];

		bytes_write_u32(&half->offsets, (uint32_t)half->bytes.byte_count);
		if (bytes_writer_fault(&half->offsets) < 0 ||
			add_text(&half->bytes, string_table_text(texts->strings, string),
				string_table_length(texts->strings, string)) < 0)
			return -ENOMEM;
		(*next)++;
	}
	count = *next - first;
	bytes_write_u32(&half->whole, count);
	bytes_reader_init(&reader, half->offsets.bytes, half->offsets.byte_count);
	for (uint32_t i = 0; i < count; i++)
		bytes_write_u32(&half->whole, 4 + 4 * count + bytes_read_u32(&reader));
	bytes_write_span(&half->whole, half->bytes.bytes, half->bytes.byte_count);
	if (bytes_writer_fault(&half->whole) < 0)
		return -ENOMEM;
	return index_chunks_add(chunks, kind, first, half->whole.bytes, half->whole.byte_count);
}

int index_texts_write(
	const struct index_texts *texts, enum symbol_chunk_kind kind, struct index_chunks *chunks)
{
	struct half_texts half = {0};
	uint32_t next = 0;
	int r = 0;

	bytes_writer_init(&half.offsets, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&half.bytes, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&half.whole, SYMBOL_CHUNK_BYTES_MAX);
	while (r == 0 && next < texts->used_count)
		r = write_chunk(texts, kind, &next, &half, chunks);
	bytes_writer_done(&half.offsets);
	bytes_writer_done(&half.bytes);
	bytes_writer_done(&half.whole);
	return r;
}
