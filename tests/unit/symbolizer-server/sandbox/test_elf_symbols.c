/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/elf_symbols.h"

#include <elf.h>
#include <errno.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

#define FUNC ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LOCAL_FUNC ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
#define WEAK_FUNC ELF64_ST_INFO(STB_WEAK, STT_FUNC)
#define LABEL ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)
#define LOCAL_LABEL ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)
#define DATA ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)

#define TEXT_START 0x1000
#define TEXT_END 0x3000
#define FAR_START 0x100000
#define FAR_END 0x200000

static struct string_table strings;

/* A file with code at [0x1000, 0x3000) and [0x100000, 0x200000), data at [0x4000, 0x5000). */
static struct tiny_elf file_with_code(void)
{
	struct tiny_elf elf;

	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT_START, NULL,
		TEXT_END - TEXT_START);
	tiny_elf_section(&elf, ".far", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, FAR_START, NULL,
		FAR_END - FAR_START);
	tiny_elf_section(&elf, ".data", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x4000, NULL, 0x1000);
	return elf;
}

static int read_bytes(const uint8_t *bytes, size_t byte_count, enum elf_symbol_table which,
	struct function_list *ret_list)
{
	SCOPED_FD int fd = -1;
	struct section_names names = {0};
	struct code_ranges code;
	struct image image;
	int r;

	work_write("f", bytes, byte_count);
	fd = work_open("f");
	r = image_open(fd, true, &image);
	if (r < 0)
		return r;
	section_names_read(&image, &names);
	CHECK_EQ(code_ranges_read(&image, &code), 0);
	r = elf_symbols_read(&image, &names, &code, which, &strings, ret_list);
	code_ranges_done(&code);
	section_names_done(&names);
	image_done(&image);
	return r;
}

static struct function_list read_symbols(
	const struct tiny_symbol *symbols, size_t symbol_count, enum elf_symbol_table which)
{
	struct tiny_elf elf = file_with_code();
	struct function_list list = {0};
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = NULL;

	tiny_elf_symbols(&elf, which == ELF_SYMBOLS_DYNAMIC, symbols, symbol_count);
	bytes = tiny_elf_finish(&elf, &byte_count);
	CHECK_EQ(read_bytes(bytes, byte_count, which, &list), 0);
	return list;
}

#define READ(symbols, which) read_symbols(symbols, sizeof(symbols) / sizeof((symbols)[0]), which)

static const char *name_at(const struct function_list *list, uint64_t address)
{
	const struct function *found = function_list_find(list, address);

	return found ? string_table_text(&strings, found->name) : "-";
}

static void sized_functions_hold_their_bytes_and_no_more(void)
{
	const struct tiny_symbol symbols[] = {
		{"one", 0x1000, 0x10, FUNC, 1},
		{"two", 0x1020, 0x10, LOCAL_FUNC, 1},
	};
	struct function_list list = READ(symbols, ELF_SYMBOLS_WHOLE);

	CHECK_STR(name_at(&list, 0xfff), "-");
	CHECK_STR(name_at(&list, 0x1000), "one");
	CHECK_STR(name_at(&list, 0x100f), "one");
	CHECK_STR(name_at(&list, 0x1010), "-");
	CHECK_STR(name_at(&list, 0x102f), "two");
	CHECK_STR(name_at(&list, 0x1030), "-");
	function_list_done(&list);
}

static void what_is_no_function_in_code_is_left_out(void)
{
	const struct tiny_symbol symbols[] = {
		{"imported", 0x1000, 0x10, FUNC, SHN_UNDEF},
		{"absolute", 0x1000, 0x10, FUNC, SHN_ABS},
		{"object", 0x1000, 0x10, DATA, 1},
		{"in_data", 0x4000, 0x10, FUNC, 3},
		{"nowhere", 0x9000, 0x10, FUNC, 1},
		{"", 0x1000, 0x10, FUNC, 1},
		{"$x", 0x1000, 0, LOCAL_LABEL, 1},
		{".L3", 0x1000, 0, LOCAL_LABEL, 1},
	};
	struct function_list list = READ(symbols, ELF_SYMBOLS_WHOLE);

	CHECK_EQ(list.count, 0);
	function_list_done(&list);
}

static void a_size_that_lies_ends_with_the_section(void)
{
	const struct tiny_symbol symbols[] = {
		{"long", 0x2ff0, UINT64_MAX, FUNC, 1},
	};
	struct function_list list = READ(symbols, ELF_SYMBOLS_WHOLE);

	CHECK_STR(name_at(&list, TEXT_END - 1), "long");
	CHECK_STR(name_at(&list, TEXT_END), "-");
	function_list_done(&list);
}

static void of_several_names_one_is_chosen(void)
{
	const struct tiny_symbol symbols[] = {
		{"__libc_write", 0x1000, 0x10, FUNC, 1},
		{"__write", 0x1000, 0x10, FUNC, 1},
		{"write", 0x1000, 0x10, WEAK_FUNC, 1},
		{"w", 0x1000, 0x10, LOCAL_FUNC, 1},
	};
	struct function_list list = READ(symbols, ELF_SYMBOLS_WHOLE);

	CHECK_STR(name_at(&list, 0x1000), "write");
	function_list_done(&list);
}

static void versions_are_cut_off(void)
{
	const struct tiny_symbol symbols[] = {
		{"memcpy@@GLIBC_2.14", 0x1000, 0x10, FUNC, 1},
		{"old@GLIBC_2.2.5", 0x1010, 0x10, FUNC, 1},
	};
	struct function_list list = READ(symbols, ELF_SYMBOLS_WHOLE);

	CHECK_STR(name_at(&list, 0x1000), "memcpy");
	CHECK_STR(name_at(&list, 0x1010), "old");
	function_list_done(&list);
}

static void an_unsized_function_reaches_to_whatever_comes_next(void)
{
	const struct tiny_symbol symbols[] = {
		{"start", 0x1000, 0, FUNC, 1},
		{"entry", 0x1100, 0, LABEL, 1},
		{"sized", 0x1200, 0x10, FUNC, 1},
		{"before_label", 0x1300, 0, FUNC, 1},
		{"a_local_label", 0x1380, 0, LOCAL_LABEL, 1},
		{"last", 0x2f00, 0, FUNC, 1},
		{"lonely", FAR_START, 0, FUNC, 2},
	};
	struct function_list list = READ(symbols, ELF_SYMBOLS_WHOLE);

	CHECK_STR(name_at(&list, 0x10ff), "start");
	CHECK_STR(name_at(&list, 0x1100), "entry");
	CHECK_STR(name_at(&list, 0x11ff), "entry");
	CHECK_STR(name_at(&list, 0x120f), "sized");
	/* Behind a sized function there is a gap, not the function before it. */
	CHECK_STR(name_at(&list, 0x1210), "-");
	CHECK_STR(name_at(&list, 0x137f), "before_label");
	/* A label that may begin another function ends this one, and names nothing. */
	CHECK_STR(name_at(&list, 0x1380), "-");
	CHECK_STR(name_at(&list, TEXT_END - 1), "last");
	CHECK_STR(name_at(&list, TEXT_END), "-");
	CHECK_STR(name_at(&list, FAR_START + UNSIZED_FUNCTION_BYTES_MAX - 1), "lonely");
	CHECK_STR(name_at(&list, FAR_START + UNSIZED_FUNCTION_BYTES_MAX), "-");
	function_list_done(&list);
}

static void labels_inside_of_a_sized_function_do_not_split_it(void)
{
	const struct tiny_symbol symbols[] = {
		{"outer", 0x1000, 0x100, FUNC, 1},
		{"loop", 0x1040, 0, LABEL, 1},
		{"same_place", 0x1000, 0, LABEL, 1},
	};
	struct function_list list = READ(symbols, ELF_SYMBOLS_WHOLE);

	CHECK_EQ(list.count, 1);
	CHECK_STR(name_at(&list, 0x1040), "outer");
	function_list_done(&list);
}

static void a_sized_entry_inside_of_a_function_is_its_own(void)
{
	const struct tiny_symbol symbols[] = {
		{"outer", 0x1000, 0x100, FUNC, 1},
		{"inner", 0x1040, 0x10, FUNC, 1},
	};
	struct function_list list = READ(symbols, ELF_SYMBOLS_WHOLE);

	CHECK_STR(name_at(&list, 0x103f), "outer");
	CHECK_STR(name_at(&list, 0x1040), "inner");
	CHECK_STR(name_at(&list, 0x1050), "outer");
	function_list_done(&list);
}

static void exported_functions_without_a_size_do_not_reach(void)
{
	const struct tiny_symbol symbols[] = {
		{"unsized", 0x1000, 0, FUNC, 1},
		{"sized", 0x1100, 0x10, FUNC, 1},
	};
	struct function_list list = READ(symbols, ELF_SYMBOLS_DYNAMIC);

	CHECK_EQ(list.count, 1);
	CHECK_STR(name_at(&list, 0x1000), "-");
	CHECK_STR(name_at(&list, 0x1100), "sized");
	function_list_done(&list);
}

static void damaged_tables_are_refused(void)
{
	const struct tiny_symbol symbols[] = {{"one", 0x1000, 0x10, FUNC, 1}};
	struct function_list list = {0};

	for (int damage = 0; damage < 4; damage++) {
		struct tiny_elf elf = file_with_code();
		struct tiny_section *table;
		size_t byte_count;
		SCOPED_FREE uint8_t *bytes = NULL;

		tiny_elf_symbols(&elf, false, symbols, 1);
		table = tiny_elf_section_at(&elf, 4);
		if (damage == 0)
			table->link = 4; /* itself */
		else if (damage == 1)
			table->link = 4000;
		else if (damage == 2)
			table->offset = 1u << 30;
		else
			tiny_elf_section_at(&elf, 5)->byte_count--; /* names without an end */
		bytes = tiny_elf_finish(&elf, &byte_count);
		CHECK_EQ(read_bytes(bytes, byte_count, ELF_SYMBOLS_WHOLE, &list), -EBADMSG);
		CHECK_EQ(read_bytes(bytes, byte_count, ELF_SYMBOLS_DYNAMIC, &list), -ENOENT);
	}
	CHECK_EQ(list.count, 0);
}

static void a_name_outside_of_the_table_is_none(void)
{
	const struct tiny_symbol symbols[] = {{"one", 0x1000, 0x10, FUNC, 1}};
	struct function_list list = {0};
	struct tiny_elf elf = file_with_code();
	size_t byte_count, offset;
	SCOPED_FREE uint8_t *bytes = NULL;

	tiny_elf_symbols(&elf, false, symbols, 1);
	offset = tiny_elf_section_at(&elf, 4)->offset;
	bytes = tiny_elf_finish(&elf, &byte_count);
	memset(bytes + offset + sizeof(Elf64_Sym), 0xff, 4);
	CHECK_EQ(read_bytes(bytes, byte_count, ELF_SYMBOLS_WHOLE, &list), 0);
	CHECK_EQ(list.count, 0);
	function_list_done(&list);
}

static void code_is_found_by_segments_where_there_are_no_sections(void)
{
	struct code_ranges code;
	struct image image = {.fd = -1};
	struct image_segment segments[] = {
		{.type = PT_LOAD, .flags = PF_R | PF_X, .address = 0x1000, .memory_bytes = 0x500},
		{.type = PT_LOAD, .flags = PF_R, .address = 0x2000, .memory_bytes = 0x500},
		{.type = PT_LOAD, .flags = PF_X, .address = UINT64_MAX - 5, .memory_bytes = 100},
	};

	image.segments = segments;
	image.segment_count = 3;
	CHECK_EQ(code_ranges_read(&image, &code), 0);
	CHECK_EQ(code.count, 1);
	CHECK(code_ranges_find(&code, 0x14ff));
	CHECK(!code_ranges_find(&code, 0x1500));
	CHECK(!code_ranges_find(&code, 0x2000));
	CHECK(!code_ranges_find(&code, 0xfff));
	code_ranges_done(&code);
}

int main(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	RUN(sized_functions_hold_their_bytes_and_no_more);
	RUN(what_is_no_function_in_code_is_left_out);
	RUN(a_size_that_lies_ends_with_the_section);
	RUN(of_several_names_one_is_chosen);
	RUN(versions_are_cut_off);
	RUN(an_unsized_function_reaches_to_whatever_comes_next);
	RUN(labels_inside_of_a_sized_function_do_not_split_it);
	RUN(a_sized_entry_inside_of_a_function_is_its_own);
	RUN(exported_functions_without_a_size_do_not_reach);
	RUN(damaged_tables_are_refused);
	RUN(a_name_outside_of_the_table_is_none);
	RUN(code_is_found_by_segments_where_there_are_no_sections);
	string_table_done(&strings);
	return 0;
}
