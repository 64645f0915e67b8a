/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever is packed in a program's .gnu_debugdata either is refused, or gives functions in order
 * within the program's own code.
 *
 * The first byte says how the rest is packed: 0 as it is, else by xz, whose checksums a fuzzer does
 * not guess. */
#include <elf.h>
#include <stdlib.h>

#include <lzma.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/mini_debug.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/tiny_elf.h"

#define CODE_ADDRESS 0x1000u
#define CODE_BYTES 0x1000u
#define PACKED_BYTES_MAX ((size_t)256 << 10)

static size_t pack(const uint8_t *bytes, size_t byte_count, uint8_t *ret_packed)
{
	size_t packed_bytes = 0;

	must(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, bytes, byte_count, ret_packed,
		     &packed_bytes, PACKED_BYTES_MAX) == LZMA_OK);
	return packed_bytes;
}

static uint8_t *make_program(const uint8_t *packed, size_t packed_bytes, size_t *ret_byte_count)
{
	static const uint8_t code[CODE_BYTES];
	struct tiny_elf elf;

	tiny_elf_init(&elf);
	(void)tiny_elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_ADDRESS,
		code, sizeof(code));
	(void)tiny_elf_section(&elf, ".gnu_debugdata", SHT_PROGBITS, 0, 0, packed, packed_bytes);
	return tiny_elf_finish(&elf, ret_byte_count);
}

static void check_list(const struct function_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		must(list->functions[i].start >= CODE_ADDRESS);
		must(list->functions[i].start < list->functions[i].end);
		must(list->functions[i].end <= CODE_ADDRESS + CODE_BYTES);
		if (i > 0)
			must(list->functions[i - 1].end <= list->functions[i].start);
	}
}

static void read_program(const uint8_t *bytes, size_t byte_count)
{
	struct string_table strings;
	struct section_names names;
	struct function_list list;
	struct code_ranges code;
	struct image image;

	must(image_open_memory(bytes, byte_count, true, &image) == 0);
	must(section_names_read(&image, &names) == 0);
	must(code_ranges_read(&image, &code) == 0);
	must(string_table_init(&strings) == 0);
	if (mini_debug_read(&image, &names, &code, &strings, &list) == 0) {
		check_list(&list);
		function_list_done(&list);
	}
	string_table_done(&strings);
	code_ranges_done(&code);
	section_names_done(&names);
	image_done(&image);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	static uint8_t packed[PACKED_BYTES_MAX];
	SCOPED_FREE uint8_t *program = NULL;
	size_t program_bytes;

	if (byte_count == 0 || byte_count > PACKED_BYTES_MAX / 2)
		return;
	if (bytes[0] == 0)
		program = make_program(bytes + 1, byte_count - 1, &program_bytes);
	else
		program = make_program(
			packed, pack(bytes + 1, byte_count - 1, packed), &program_bytes);
	read_program(program, program_bytes);
}
