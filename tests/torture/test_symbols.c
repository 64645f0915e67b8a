/* SPDX-License-Identifier: Apache-2.0 */
/* What the symbol pipeline does when there is no memory: the parsers, the registry of modules, the
 * board of hosts. */
#include <elf.h>
#include <errno.h>
#include <unistd.h>

#include "store/elf/elf_note.h"
#include "symbolizer-server/sandbox/elf_symbols.h"
#include "symbolizer-server/sandbox/file_index.h"
#include "symbolizer-server/sandbox/index_writer.h"
#include "symbolizer-server/sandbox/kernel_text.h"
#include "symbolizer-server/symbol/module_registry.h"
#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/torture.h"
#include "tests/support/work_dir.h"

static int lists(void *context)
{
	struct function_list upper = {0}, lower = {0};
	int r = 0;

	(void)context;
	for (uint32_t i = 0; r == 0 && i < 100; i++) {
		uint32_t before = upper.count;

		r = function_list_add(&upper, 100 * i, 100 * i + 10, i, 0);
		CHECK_EQ(upper.count, before + (r == 0));
		if (r == 0)
			r = function_list_add(&lower, 100 * i + 5, 100 * i + 50, i, 0);
	}
	if (r == 0)
		r = function_list_resolve(&upper);
	if (r == 0)
		r = function_list_resolve(&lower);
	if (r == 0)
		r = function_list_overlay(&upper, &lower);
	if (r == 0)
		CHECK(function_list_find(&upper, 120));
	function_list_done(&upper);
	function_list_done(&lower);
	return r;
}

static int kernel_texts(void *context)
{
	static const char text[] = "0 _text\n10 one\n20 two\n40 three\n80 _etext\n";
	struct string_table strings;
	struct function_list list = {0};
	uint8_t *bytes = NULL;
	size_t byte_count;
	int r = string_table_init(&strings);

	(void)context;
	if (r < 0)
		return r;
	r = kernel_text_read(text, strlen(text), &strings, &list);
	CHECK((r == 0) == (list.count > 0));
	if (r == 0) {
		struct index_content content = {
			.functions = &list, .strings = &strings, .quality = SYMBOL_QUALITY_KERNEL};

		r = index_write(&content, (size_t)1 << 20, &bytes, &byte_count);
	}
	CHECK((r == 0) == (bytes != NULL));
	free(bytes);
	function_list_done(&list);
	string_table_done(&strings);
	return r;
}

/* Calls, ranges and lines, filled, resolved and written. */
static int fill_code(struct code_map *map, uint32_t name)
{
	uint32_t parent = CODE_CALL_NONE;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < 600; i++) {
		struct code_call call = {
			.parent = parent, .name = name, .call_file = name, .call_line = i};

		map->order = i / 100;
		r = code_map_add_call(map, &call, &parent);
		if (r == 0)
			r = code_map_add_range(map, i * 8, i * 8 + 24, parent);
		if (r == 0)
			r = code_map_add_line(map, i * 8, name, i);
		if (r == 0)
			r = code_map_end_lines(map, i * 8 + 16);
		if (i % 50 == 0)
			parent = CODE_CALL_NONE;
	}
	return r == 0 ? code_map_resolve(map) : r;
}

static int codes(void *context)
{
	struct function_list list = {.resolved = true};
	struct string_table strings;
	struct code_map map = {0};
	struct index_content content = {.functions = &list,
		.code = &map,
		.strings = &strings,
		.quality = SYMBOL_QUALITY_DWARF};
	uint8_t *bytes = NULL;
	size_t byte_count;
	uint32_t name = 0;
	int r = string_table_init(&strings);

	(void)context;
	if (r < 0)
		return r;
	r = string_table_add(&strings, "name", 4, &name);
	if (r == 0)
		r = code_map_init(&map);
	if (r == 0)
		r = fill_code(&map, name);
	if (r == 0)
		r = index_write(&content, (size_t)1 << 20, &bytes, &byte_count);
	CHECK((r == 0) == (bytes != NULL));
	free(bytes);
	code_map_done(&map);
	string_table_done(&strings);
	return r;
}

struct elf_file {
	int fd;
	struct sandbox_request request;
};

static struct elf_file make_elf(void)
{
	static const uint8_t id[20] = {1, 2, 3};
	static const uint8_t code[256];
	static const struct tiny_symbol symbols[] = {
		{.name = "one", .value = 0x1000, .size = 16, .info = 0x12, .section = 1},
		{.name = "two", .value = 0x1010, .size = 0, .info = 0x12, .section = 1},
		{.name = "three", .value = 0x1040, .size = 64, .info = 0x12, .section = 1},
	};
	struct elf_file file = {.request = {.input = SANDBOX_INPUT_ELF, .tables_only = true}};
	uint8_t note[64], *bytes;
	size_t byte_count;
	struct tiny_elf elf;

	tiny_elf_init(&elf);
	(void)tiny_elf_section(
		&elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code));
	(void)tiny_elf_section(&elf, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, note,
		tiny_note(note, 0, 4, "GNU", 4, NT_GNU_BUILD_ID, id, sizeof(id)));
	tiny_elf_symbols(&elf, false, symbols, 3);
	tiny_elf_symbols(&elf, true, symbols, 1);
	bytes = tiny_elf_finish(&elf, &byte_count);
	work_write("elf", bytes, byte_count);
	free(bytes);
	file.fd = work_open("elf");
	CHECK_EQ(note_build_id(file.fd, &file.request.id), 0);
	return file;
}

static int files(void *context)
{
	const struct elf_file *file = context;
	struct dwarf_missing missing;
	uint8_t *bytes = NULL;
	size_t byte_count;
	enum sandbox_fault fault = file_index(
		file->fd, &file->request, (size_t)1 << 20, &bytes, &byte_count, &missing);

	CHECK((fault == SANDBOX_FAULT_NONE) == (bytes != NULL));
	CHECK(fault == SANDBOX_FAULT_NONE || fault == SANDBOX_FAULT_MEMORY);
	free(bytes);
	return fault == SANDBOX_FAULT_NONE ? 0 : -ENOMEM;
}

static int modules(void *context)
{
	static const struct symbol_origin origin = {0};
	struct module_registry registry;
	int r = 0;

	(void)context;
	module_registry_init(&registry, false);
	for (uint32_t i = 1; r == 0 && i <= 100; i++) {
		struct module_record *module = NULL;
		struct build_id id;

		CHECK_EQ(build_id_make(BUILD_ID_GNU, &i, sizeof(i), &id), 0);
		r = module_registry_note(
			&registry, &origin, &id, "libc.so.6", SYMBOL_WHAT_EXECUTABLE, &module);
		CHECK((r == 0) == (module != NULL));
		CHECK((r == 0) == (module_registry_find(&registry, &id) != NULL));
		CHECK_EQ(registry.count, r == 0 ? i : i - 1);
	}
	module_registry_done(&registry);
	return r;
}

static void without_memory_no_file_is_half_indexed(void)
{
	struct elf_file file = make_elf();

	torture(lists, NULL, 6);
	torture(kernel_texts, NULL, 8);
	torture(codes, NULL, 30);
	torture(files, &file, 12);
	close(file.fd);
}

static void without_memory_no_module_is_half_known(void)
{
	torture(modules, NULL, 100);
}

int main(void)
{
	RUN(without_memory_no_file_is_half_indexed);
	RUN(without_memory_no_module_is_half_known);
	return 0;
}
