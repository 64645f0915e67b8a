/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_span.h"

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
	for (uint64_t at = 0; at < FUNCTION_COUNT * MADE_FUNCTION_BYTES; at += 3) {
		struct symbol_span span;
		uint64_t address = MADE_CODE_START + at;
		int r = symbol_span_find(bytes, entry.byte_count, entry.first, address, &span);

		CHECK(r == -EBADMSG || (r == 0 && span.start <= address && address < span.end));
		if (!sound)
			continue;
		CHECK_EQ(r, 0);
		CHECK(span.function < header->name_count ||
			span.function == SYMBOL_SPAN_NO_FUNCTION);
		CHECK(span.call <= header->call_count && span.file <= header->file_count);
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
	bytes = chunk_of_kind(&index, SYMBOL_CHUNK_SPANS, &entry);
	for (uint32_t i = 0; i < entry.byte_count; i++) {
		struct symbol_index_entry damaged = entry;
		bool sound;
		SCOPED_FREE uint8_t *copy = malloc(entry.byte_count);

		CHECK(copy);
		memcpy(copy, bytes, entry.byte_count);
		copy[i] ^= (uint8_t)(1u << i % 8);
		CHECK_EQ(symbol_index_check_chunk(&index.header, &entry, copy, &count), -EBADMSG);
		/* As a parser that was taken over would write it. */
		damaged.hash = hash_bytes(copy, entry.byte_count);
		sound = symbol_index_check_chunk(&index.header, &damaged, copy, &count) == 0;
		sound_count += sound;
		use_chunk(&index.header, damaged, copy, sound);
	}
	/* Another number is as good as the right one, as long as there is such a thing. */
	CHECK(sound_count < 1500);
	whole_index_done(&index);
}

static void a_chunk_that_is_cut_off_never_leads_outside(void)
{
	struct symbol_index_entry entry;
	struct whole_index index;
	const uint8_t *bytes;
	uint32_t count, whole;

	load(&index);
	bytes = chunk_of_kind(&index, SYMBOL_CHUNK_SPANS, &entry);
	whole = entry.byte_count;
	for (entry.byte_count = 1; entry.byte_count < whole; entry.byte_count++) {
		SCOPED_FREE uint8_t *copy = malloc(entry.byte_count);

		CHECK(copy);
		memcpy(copy, bytes, entry.byte_count);
		entry.hash = hash_bytes(copy, entry.byte_count);
		CHECK_EQ(symbol_index_check_chunk(&index.header, &entry, copy, &count), -EBADMSG);
		use_chunk(&index.header, entry, copy, false);
	}
	whole_index_done(&index);
}

int main(void)
{
	RUN(damage_fails_the_check_and_never_leads_outside);
	RUN(a_chunk_that_is_cut_off_never_leads_outside);
	return 0;
}
