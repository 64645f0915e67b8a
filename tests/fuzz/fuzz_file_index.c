/* SPDX-License-Identifier: Apache-2.0 */
/* Any file either is refused with a fault, or gives an index that keeps every rule of its format. */
#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/elf/elf_note.h"
#include "symbolizer-server/sandbox/file_index.h"
#include "tests/fuzz/file_input.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/whole_index.h"

static void check_index(uint8_t *bytes, size_t byte_count)
{
	struct whole_index index;
	uint64_t function_count = 0;

	whole_index_adopt(&index, bytes, byte_count);
	must(index.header.function_count > 0);
	for (uint32_t i = 0; i < index.header.chunk_count; i++) {
		struct symbol_index_entry entry;
		const uint8_t *chunk = whole_index_chunk(&index, i, &entry);
		uint32_t count;

		must(symbol_index_check_chunk(&index.header, &entry, chunk, &count) == 0);
		function_count += count;
	}
	must(function_count == index.header.function_count);
	whole_index_done(&index);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	size_t index_byte_count;
	SCOPED_FD int fd = file_input(bytes, byte_count);
	struct sandbox_request request = {.input = SANDBOX_INPUT_ELF};
	enum sandbox_fault fault;
	struct dwarf_missing missing;
	uint8_t *index;

	if (note_build_id(fd, &request.id) < 0)
		request.id = (struct build_id){.bytes = {1}, .byte_count = 1, .kind = BUILD_ID_GNU};
	fault = file_index(fd, &request, (size_t)64 << 20, &index, &index_byte_count, &missing);
	if (fault == SANDBOX_FAULT_NONE)
		check_index(index, index_byte_count);
}
