/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_code.h"

#include <errno.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "tests/support/check.h"
#include "tests/support/made_code.h"
#include "tests/support/whole_index.h"

#define FUNCTION_COUNT 12

static void load(struct whole_index *index)
{
	struct made_code made;
	size_t byte_count;
	uint8_t *bytes;

	made_code_init(&made, FUNCTION_COUNT, false);
	bytes = made_code_index(&made, &byte_count);
	whole_index_adopt(index, bytes, byte_count);
	made_code_done(&made);
}

/* Looks everything up in a chunk that may be damaged; SOUND: it passed the check. */
static void use_chunk(const struct symbol_index_header *header, struct symbol_index_entry entry,
	const uint8_t *bytes, bool sound)
{
	struct symbol_code_inline range;
	struct symbol_code_line line;
	struct symbol_code_call call;

	for (uint64_t at = 0; at < FUNCTION_COUNT * MADE_FUNCTION_BYTES; at += 3) {
		uint64_t address = MADE_CODE_START + at;
		int r = 0;

		if (entry.kind == SYMBOL_CHUNK_INLINES) {
			r = symbol_code_find_inline(bytes, entry.byte_count, address, &range);
			CHECK(r < 0 || !sound || range.call <= header->call_count);
		} else if (entry.kind == SYMBOL_CHUNK_LINES) {
			r = symbol_code_find_line(bytes, entry.byte_count, address, &line);
			CHECK(r < 0 || !sound || line.file <= header->file_count);
		} else if (entry.kind == SYMBOL_CHUNK_CALLS && at <= header->call_count) {
			r = symbol_code_find_call(
				bytes, entry.byte_count, entry.first, (uint32_t)at, &call);
			CHECK(r < 0 || call.parent < at);
		}
		CHECK(r == 0 || r == -EBADMSG);
	}
}

static void damage_fails_the_check_and_never_leads_outside(void)
{
	struct whole_index index;
	uint32_t sound_count = 0, count;

	load(&index);
	for (uint32_t chunk = 2; chunk < 5; chunk++) {
		struct symbol_index_entry entry;
		const uint8_t *bytes = whole_index_chunk(&index, chunk, &entry);
		SCOPED_FREE uint8_t *copy = malloc(entry.byte_count);

		CHECK(copy);
		for (uint32_t i = 0; i < entry.byte_count; i++) {
			bool sound;

			memcpy(copy, bytes, entry.byte_count);
			copy[i] ^= (uint8_t)(1u << i % 8);
			CHECK_EQ(symbol_index_check_chunk(&index.header, &entry, copy, &count),
				-EBADMSG);
			/* As a parser that was taken over would write it. */
			entry.hash = hash_bytes(copy, entry.byte_count);
			sound = symbol_index_check_chunk(&index.header, &entry, copy, &count) == 0;
			sound_count += sound;
			use_chunk(&index.header, entry, copy, sound);
			entry = symbol_index_entry(index.bytes, chunk);
		}
	}
	/* Another length or line is as good as the right one. */
	CHECK(sound_count < 900);
	whole_index_done(&index);
}

static void a_chunk_that_is_cut_off_never_leads_outside(void)
{
	struct whole_index index;
	uint32_t count;

	load(&index);
	for (uint32_t chunk = 2; chunk < 5; chunk++) {
		struct symbol_index_entry entry;
		const uint8_t *bytes = whole_index_chunk(&index, chunk, &entry);
		uint32_t whole = entry.byte_count;

		for (entry.byte_count = 1; entry.byte_count < whole; entry.byte_count++) {
			SCOPED_FREE uint8_t *copy = malloc(entry.byte_count);

			CHECK(copy);
			memcpy(copy, bytes, entry.byte_count);
			entry.hash = hash_bytes(copy, entry.byte_count);
			CHECK_EQ(symbol_index_check_chunk(&index.header, &entry, copy, &count),
				-EBADMSG);
			use_chunk(&index.header, entry, copy, false);
		}
	}
	whole_index_done(&index);
}

/* A call whose parent is itself or comes behind it would make a chain without an end. */
static void calls_lead_outwards_only(void)
{
	uint8_t bytes[32 + 8] = {1};
	struct symbol_index_header header = {.call_count = 5, .name_count = 1};
	struct symbol_index_entry entry = {
		.kind = SYMBOL_CHUNK_CALLS, .byte_count = 32, .first = 2};
	struct symbol_code_call call;
	uint32_t count;

	bytes[4] = 1; /* the base of the parent */
	entry.hash = hash_bytes(bytes, entry.byte_count);
	CHECK_EQ(symbol_index_check_chunk(&header, &entry, bytes, &count), 0);
	CHECK_EQ(symbol_code_find_call(bytes, 32, 2, 2, &call), 0);
	CHECK_EQ(call.parent, 1);
	bytes[4] = 2;
	entry.hash = hash_bytes(bytes, entry.byte_count);
	CHECK_EQ(symbol_index_check_chunk(&header, &entry, bytes, &count), -EBADMSG);
	CHECK_EQ(symbol_code_find_call(bytes, 32, 2, 2, &call), -EBADMSG);
}

int main(void)
{
	RUN(damage_fails_the_check_and_never_leads_outside);
	RUN(a_chunk_that_is_cut_off_never_leads_outside);
	RUN(calls_lead_outwards_only);
	return 0;
}
