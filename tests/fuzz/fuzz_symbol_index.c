/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an index: look-ups never lead outside, and in a chunk that passed the check they
 * answer for every address. Checksums are made right first, since a fuzzer cannot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/name_text.h"
#include "symbolizer-server/sandbox/symbol_code.h"
#include "symbolizer-server/sandbox/symbol_index.h"
#include "symbolizer-server/sandbox/symbol_segment.h"
#include "symbolizer-server/sandbox/symbol_span.h"
#include "tests/fuzz/fuzz.h"

static void use_functions(const struct symbol_index_header *header, const uint8_t *bytes,
	size_t byte_count, uint64_t first, bool sound)
{
	struct symbol_index_function function;
	uint64_t address = first;

	for (int i = 0; i < 1000; i++) {
		int r = symbol_index_find_function(bytes, byte_count, address, &function);

		must(r == 0 || r == -ENOENT || r == -EBADMSG);
		if (sound)
			must(r != -EBADMSG);
		if (r < 0)
			break;
		must(address >= function.start && address < function.end);
		if (sound)
			must(function.name < header->name_count);
		address = function.end;
	}
}

static void use_names(const uint8_t *bytes, size_t byte_count, uint64_t first, bool sound)
{
	for (uint32_t i = 0; i < 1000; i++) {
		const char *text;

		if (symbol_index_find_name(bytes, byte_count, first, (uint32_t)first + i, &text) <
			0)
			return;
		must(strlen(text) < byte_count);
		if (sound)
			must(name_text_clean(text, strlen(text)));
	}
}

/* Each span that was found ends where the next look-up begins. */
static void use_spans(const struct symbol_index_header *header, const uint8_t *bytes,
	size_t byte_count, uint64_t first, bool sound)
{
	struct symbol_span found = {.end = first};

	for (int i = 0; i < 1000 && found.end != UINT64_MAX; i++) {
		uint64_t address = found.end;
		int r = symbol_span_find(bytes, byte_count, first, address, &found);

		must(r == 0 || r == -EBADMSG);
		must(!sound || r == 0);
		if (r < 0)
			break;
		must(address >= found.start && address < found.end);
		must(found.call_start <= found.start);
		if (!sound)
			continue;
		must(found.function < header->name_count ||
			found.function == SYMBOL_SPAN_NO_FUNCTION);
		must(found.call <= header->call_count && found.file <= header->file_count);
	}
}

static void use_calls(const struct symbol_index_header *header, const uint8_t *bytes,
	size_t byte_count, uint64_t first, bool sound)
{
	struct symbol_code_table table;

	if (symbol_code_open(bytes, byte_count, first, &table) < 0)
		return;
	for (uint32_t i = 0; i < 1000; i++) {
		struct symbol_code_call call;
		uint32_t number = (uint32_t)first + i;

		if (symbol_code_find_call(&table, number, &call) < 0)
			return;
		must(call.parent < number);
		must(!sound || (call.name < header->name_count && call.file <= header->file_count));
	}
}

static void use_segments(const uint8_t *bytes, size_t byte_count, uint64_t first, bool sound)
{
	uint64_t address;
	int r = symbol_segment_find(bytes, byte_count, first, &address);

	must(r == 0 || r == -EBADMSG || r == -ENOENT);
	must(!sound || r == 0);
}

static void use_chunk(const struct symbol_index_header *header, struct symbol_index_entry entry,
	const uint8_t *bytes)
{
	/* Of exactly its size, so that a read past its end is seen. */
	SCOPED_FREE uint8_t *copy = malloc(entry.byte_count);
	uint32_t function_count;
	bool sound;

	must(copy);
	memcpy(copy, bytes, entry.byte_count);
	entry.hash = hash_bytes(copy, entry.byte_count);
	sound = symbol_index_check_chunk(header, &entry, copy, &function_count) == 0;
	if (entry.kind == SYMBOL_CHUNK_FUNCTIONS)
		use_functions(header, copy, entry.byte_count, entry.first, sound);
	else if (entry.kind == SYMBOL_CHUNK_SPANS)
		use_spans(header, copy, entry.byte_count, entry.first, sound);
	else if (entry.kind == SYMBOL_CHUNK_CALLS)
		use_calls(header, copy, entry.byte_count, entry.first, sound);
	else if (entry.kind == SYMBOL_CHUNK_SEGMENTS)
		use_segments(copy, entry.byte_count, entry.first, sound);
	else if (entry.kind == SYMBOL_CHUNK_NAMES || entry.kind == SYMBOL_CHUNK_FILES)
		use_names(copy, entry.byte_count, entry.first, sound);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct symbol_index_header header;
	uint32_t header_bytes;
	uint64_t at;

	if (symbol_index_header_length(bytes, byte_count, &header_bytes) < 0 ||
		header_bytes > byte_count ||
		symbol_index_read_header(bytes, header_bytes, &header) < 0)
		return;
	at = header_bytes;
	for (uint32_t i = 0; i < header.chunk_count; i++) {
		struct symbol_index_entry entry = symbol_index_entry(bytes, i);
		uint32_t found = symbol_index_locate(
			bytes, &header, (enum symbol_chunk_kind)entry.kind, entry.first);

		must(found == i);
		if (entry.byte_count > byte_count - at)
			break;
		use_chunk(&header, entry, bytes + at);
		at += entry.byte_count;
	}
}
