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

/* Looks everything up in a chunk that may be damaged. */
static void use_chunk(const struct symbol_index_header *header, struct symbol_index_entry entry,
	const uint8_t *bytes)
{
	struct symbol_code_table table;
	int r = symbol_code_open(bytes, entry.byte_count, entry.first, &table);

	CHECK(r == 0 || r == -EBADMSG);
	for (uint32_t i = 0; r == 0 && i <= header->call_count + 1; i++) {
		struct symbol_code_call call;
		int found = symbol_code_find_call(&table, i, &call);

		CHECK(found == -EBADMSG || (found == 0 && call.parent < i));
	}
}

static const uint8_t *chunk_of_kind(const struct whole_index *index, enum symbol_chunk_kind kind,
	struct symbol_index_entry *ret_entry)
{
	uint32_t number = symbol_index_locate(index->bytes, &index->header, kind, UINT64_MAX);

	CHECK(number != UINT32_MAX);
	return whole_index_chunk(index, number, ret_entry);
}

static void damage_fails_the_check_and_never_leads_outside(void)
{
	struct symbol_index_entry entry;
	struct whole_index index;
	uint32_t sound_count = 0, count;
	const uint8_t *bytes;

	load(&index);
	bytes = chunk_of_kind(&index, SYMBOL_CHUNK_CALLS, &entry);
	for (uint32_t i = 0; i < entry.byte_count; i++) {
		struct symbol_index_entry damaged = entry;
		SCOPED_FREE uint8_t *copy = malloc(entry.byte_count);

		CHECK(copy);
		memcpy(copy, bytes, entry.byte_count);
		copy[i] ^= (uint8_t)(1u << i % 8);
		CHECK_EQ(symbol_index_check_chunk(&index.header, &entry, copy, &count), -EBADMSG);
		/* As a parser that was taken over would write it. */
		damaged.hash = hash_bytes(copy, entry.byte_count);
		sound_count += symbol_index_check_chunk(&index.header, &damaged, copy, &count) == 0;
		use_chunk(&index.header, damaged, copy);
	}
	/* Another number is as good as the right one, as long as there is such a thing. */
	CHECK(sound_count < 200);
	whole_index_done(&index);
}

static void a_chunk_that_is_cut_off_never_leads_outside(void)
{
	struct symbol_index_entry entry;
	struct whole_index index;
	const uint8_t *bytes;
	uint32_t count, whole;

	load(&index);
	bytes = chunk_of_kind(&index, SYMBOL_CHUNK_CALLS, &entry);
	whole = entry.byte_count;
	for (entry.byte_count = 1; entry.byte_count < whole; entry.byte_count++) {
		SCOPED_FREE uint8_t *copy = malloc(entry.byte_count);

		CHECK(copy);
		memcpy(copy, bytes, entry.byte_count);
		entry.hash = hash_bytes(copy, entry.byte_count);
		CHECK_EQ(symbol_index_check_chunk(&index.header, &entry, copy, &count), -EBADMSG);
		use_chunk(&index.header, entry, copy);
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
	struct symbol_code_table table;
	struct symbol_code_call call;
	uint32_t count;

	bytes[4] = 1; /* the base of the parent */
	entry.hash = hash_bytes(bytes, entry.byte_count);
	CHECK_EQ(symbol_index_check_chunk(&header, &entry, bytes, &count), 0);
	CHECK_EQ(symbol_code_open(bytes, 32, 2, &table), 0);
	CHECK_EQ(symbol_code_find_call(&table, 2, &call), 0);
	CHECK_EQ(call.parent, 1);
	bytes[4] = 2;
	entry.hash = hash_bytes(bytes, entry.byte_count);
	CHECK_EQ(symbol_index_check_chunk(&header, &entry, bytes, &count), -EBADMSG);
	CHECK_EQ(symbol_code_open(bytes, 32, 2, &table), 0);
	CHECK_EQ(symbol_code_find_call(&table, 2, &call), -EBADMSG);
}

int main(void)
{
	RUN(damage_fails_the_check_and_never_leads_outside);
	RUN(a_chunk_that_is_cut_off_never_leads_outside);
	RUN(calls_lead_outwards_only);
	return 0;
}
