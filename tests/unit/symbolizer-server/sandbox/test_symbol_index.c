/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_index.h"

#include <errno.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "symbolizer-server/sandbox/index_writer.h"
#include "tests/support/check.h"
#include "tests/support/whole_index.h"

#define FUNCTION_COUNT 100

/* A small index with two chunks. */
static struct whole_index make_index(void)
{
	struct function_list list = {0};
	struct index_content content;
	struct string_table names;
	struct whole_index index;
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(string_table_init(&names), 0);
	for (uint64_t i = 0; i < FUNCTION_COUNT; i++) {
		char text[16];
		uint32_t name;

		snprintf(text, sizeof(text), "f%d", (int)i);
		CHECK_EQ(string_table_add(&names, text, strlen(text), &name), 0);
		CHECK_EQ(function_list_add(&list, 0x1000 + i * 0x100, 0x1080 + i * 0x100, name, 0),
			0);
	}
	CHECK_EQ(function_list_resolve(&list), 0);
	content = (struct index_content){
		.functions = &list, .strings = &names, .quality = SYMBOL_QUALITY_DWARF};
	CHECK_EQ(index_write(&content, 1 << 20, &bytes, &byte_count), 0);
	whole_index_adopt(&index, bytes, byte_count);
	CHECK_EQ(index.header.chunk_count, 2);
	function_list_done(&list);
	string_table_done(&names);
	return index;
}

static void a_damaged_header_is_refused(void)
{
	struct whole_index index = make_index();
	struct symbol_index_header header;
	uint32_t length = index.header.byte_count;

	for (uint32_t i = 0; i < length; i++)
		CHECK_EQ(symbol_index_read_header(index.bytes, i, &header), -EBADMSG);
	CHECK_EQ(symbol_index_read_header(index.bytes, length + 1, &header), -EBADMSG);
	index.bytes[4] = SYMBOL_INDEX_FORMAT + 1;
	CHECK_EQ(symbol_index_read_header(index.bytes, length, &header), -ENOTSUP);
	index.bytes[4] = 0;
	CHECK_EQ(symbol_index_read_header(index.bytes, length, &header), -ENOTSUP);
	index.bytes[4] = SYMBOL_INDEX_FORMAT;
	index.bytes[12] = 99;
	CHECK_EQ(symbol_index_read_header(index.bytes, length, &header), -EBADMSG);
	index.bytes[12] = SYMBOL_QUALITY_DWARF;
	/* The directory must be sorted by kind. */
	index.bytes[SYMBOL_HEADER_BYTES] = 9;
	CHECK_EQ(symbol_index_read_header(index.bytes, length, &header), -EBADMSG);
	index.bytes[SYMBOL_HEADER_BYTES] = SYMBOL_CHUNK_FUNCTIONS;
	index.bytes[SYMBOL_HEADER_BYTES + 7] = 0x7f; /* a chunk of 2 GiB */
	CHECK_EQ(symbol_index_read_header(index.bytes, length, &header), -EBADMSG);
	whole_index_done(&index);
}

static void chunks_of_an_unknown_kind_are_skipped(void)
{
	struct whole_index index = make_index();
	struct symbol_index_header header;
	struct symbol_index_entry entry = {.kind = 200, .byte_count = 3};
	uint32_t count = 7;

	/* Names become a kind of the future. */
	index.bytes[SYMBOL_HEADER_BYTES + SYMBOL_DIRECTORY_ENTRY_BYTES] = 200;
	CHECK_EQ(symbol_index_read_header(index.bytes, index.header.byte_count, &header), 0);
	CHECK_EQ(symbol_index_locate(index.bytes, &header, SYMBOL_CHUNK_FUNCTIONS, 0x1000), 0);
	CHECK_EQ(symbol_index_locate(index.bytes, &header, SYMBOL_CHUNK_NAMES, 0), UINT32_MAX);
	entry.hash = hash_bytes("abc", 3);
	CHECK_EQ(symbol_index_check_chunk(&header, &entry, (const uint8_t *)"abc", &count), 0);
	CHECK_EQ(count, 0);
	whole_index_done(&index);
}

/* An index that an older server wrote keeps its names until a new one is there. */
static void the_oldest_format_is_still_read(void)
{
	struct whole_index index = make_index();
	struct symbol_index_header header;
	struct symbol_index_entry entry, old_entry;
	uint32_t directory_bytes = 2 * SYMBOL_DIRECTORY_ENTRY_BYTES, length;

	entry = symbol_index_entry(index.bytes, 1);
	memmove(index.bytes + SYMBOL_HEADER_BYTES_OLDEST, index.bytes + SYMBOL_HEADER_BYTES,
		directory_bytes);
	index.bytes[4] = SYMBOL_INDEX_FORMAT_OLDEST;
	CHECK_EQ(symbol_index_header_length(index.bytes, SYMBOL_HEADER_BYTES_OLDEST, &length), 0);
	CHECK_EQ(length, SYMBOL_HEADER_BYTES_OLDEST + directory_bytes);
	CHECK_EQ(symbol_index_read_header(index.bytes, length, &header), 0);
	CHECK_EQ(header.call_count, 0);
	CHECK_EQ(header.file_count, 0);
	CHECK_EQ(header.name_count, index.header.name_count);
	old_entry = symbol_index_entry(index.bytes, 1);
	CHECK_EQ(old_entry.hash, entry.hash);
	CHECK_EQ(symbol_index_locate(index.bytes, &header, SYMBOL_CHUNK_NAMES, 5), 1);
	whole_index_done(&index);
}

static void keys_before_the_first_chunk_are_nowhere(void)
{
	struct whole_index index = make_index();

	CHECK_EQ(symbol_index_locate(index.bytes, &index.header, SYMBOL_CHUNK_FUNCTIONS, 0xfff),
		UINT32_MAX);
	CHECK_EQ(
		symbol_index_locate(index.bytes, &index.header, SYMBOL_CHUNK_FUNCTIONS, UINT64_MAX),
		0);
	CHECK_EQ(symbol_index_locate(index.bytes, &index.header, SYMBOL_CHUNK_NAMES, 5), 1);
	whole_index_done(&index);
}

/* Looks everything up in a chunk that may be damaged; reads outside of it are ASan's to see, so the
 * copy has exactly its size. */
static void use_functions(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *copy = malloc(byte_count ? byte_count : 1);
	struct symbol_index_function function;

	CHECK(copy);
	memcpy(copy, bytes, byte_count);
	for (uint64_t address = 0xff0; address < 0x7800; address += 0x70) {
		int r = symbol_index_find_function(copy, byte_count, address, &function);

		CHECK(r == 0 || r == -ENOENT || r == -EBADMSG);
		CHECK(r != 0 || (address >= function.start && address < function.end));
	}
}

static void use_names(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *copy = malloc(byte_count ? byte_count : 1);
	const char *text;

	CHECK(copy);
	memcpy(copy, bytes, byte_count);
	for (uint32_t name = 0; name < FUNCTION_COUNT + 2; name++)
		if (symbol_index_find_name(copy, byte_count, 0, name, &text) == 0)
			CHECK(strlen(text) < byte_count);
}

static void damaged_chunks_fail_the_check_and_never_lead_outside(void)
{
	struct whole_index index = make_index();

	for (uint32_t chunk = 0; chunk < 2; chunk++) {
		struct symbol_index_entry entry;
		const uint8_t *bytes = whole_index_chunk(&index, chunk, &entry);
		SCOPED_FREE uint8_t *copy = malloc(entry.byte_count);
		uint32_t count;

		CHECK(copy);
		for (uint32_t i = 0; i < entry.byte_count; i++) {
			for (int bit = 0; bit < 8; bit++) {
				memcpy(copy, bytes, entry.byte_count);
				copy[i] ^= (uint8_t)(1 << bit);
				CHECK_EQ(symbol_index_check_chunk(
						 &index.header, &entry, copy, &count),
					-EBADMSG);
				if (chunk == 0)
					use_functions(copy, entry.byte_count);
				else
					use_names(copy, entry.byte_count);
			}
			if (chunk == 0)
				use_functions(bytes, i);
			else
				use_names(bytes, i);
		}
	}
	whole_index_done(&index);
}

/* Damage that keeps the checksum right: what a parser that was taken over would write. */
static void a_right_checksum_does_not_make_a_chunk_sound(void)
{
	struct whole_index index = make_index();
	uint32_t sound_count = 0;

	for (uint32_t chunk = 0; chunk < 2; chunk++) {
		struct symbol_index_entry entry;
		const uint8_t *bytes = whole_index_chunk(&index, chunk, &entry);
		SCOPED_FREE uint8_t *copy = malloc(entry.byte_count);
		uint32_t count;

		CHECK(copy);
		for (uint32_t i = 0; i < entry.byte_count; i++) {
			memcpy(copy, bytes, entry.byte_count);
			copy[i] ^= 0xff;
			entry.hash = hash_bytes(copy, entry.byte_count);
			if (symbol_index_check_chunk(&index.header, &entry, copy, &count) == 0)
				sound_count++;
		}
	}
	/* Only another length, gap or name of a function can pass. */
	CHECK(sound_count < 300);
	whole_index_done(&index);
}

static void every_quality_has_a_text(void)
{
	CHECK_STR(symbol_quality_text(SYMBOL_QUALITY_DWARF), "DWARF");
	CHECK_STR(symbol_quality_text(SYMBOL_QUALITY_DYNAMIC), ".dynsym");
	CHECK_STR(symbol_quality_text((enum symbol_quality)77), "an unknown source");
}

int main(void)
{
	RUN(a_damaged_header_is_refused);
	RUN(chunks_of_an_unknown_kind_are_skipped);
	RUN(the_oldest_format_is_still_read);
	RUN(keys_before_the_first_chunk_are_nowhere);
	RUN(damaged_chunks_fail_the_check_and_never_lead_outside);
	RUN(a_right_checksum_does_not_make_a_chunk_sound);
	RUN(every_quality_has_a_text);
	return 0;
}
