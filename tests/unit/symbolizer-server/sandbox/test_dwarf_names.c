/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_names.h"

#include <elf.h>
#include <errno.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

#define LIMIT ((size_t)64 << 20)

static struct string_table strings;

/* Functions of a file by DWARF, with its .symtab if WITH_TABLE. */
static int read_file(const char *file, bool with_table, struct function_list *ret_list)
{
	SCOPED_FD int fd = work_open(file);
	struct function_list table = {0};
	struct section_names names;
	struct dwarf_image dwarf;
	struct code_ranges code;
	struct image image;
	int r;

	CHECK_EQ(image_open(fd, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	CHECK_EQ(code_ranges_read(&image, &code), 0);
	if (with_table) {
		CHECK_EQ(elf_symbols_read(
				 &image, &names, &code, ELF_SYMBOLS_WHOLE, &strings, &table),
			0);
	}
	r = dwarf_image_make(&image, &names, LIMIT, &dwarf);
	if (r == 0) {
		r = dwarf_names_read(&dwarf, &code, &table, &strings, ret_list);
		dwarf_image_done(&dwarf);
	}
	function_list_done(&table);
	code_ranges_done(&code);
	section_names_done(&names);
	image_done(&image);
	return r;
}

static bool names_address(const struct function_list *list, uint64_t address, const char *name)
{
	const struct function *found = function_list_find(list, address);

	if (!found || strcmp(string_table_text(&strings, found->name), name) != 0) {
		fprintf(stderr, "%#llx is %s\n", (unsigned long long)address,
			found ? string_table_text(&strings, found->name) : "-");
		return false;
	}
	return true;
}

static uint64_t address_of(const char *file, const char *name)
{
	SCOPED_FREE char *text = work_output("nm %s | awk '$3 == \"%s\" { print $1 }'", file, name);

	CHECK(*text);
	return strtoull(text, NULL, 16);
}

static const char program[] =
	"static __attribute__((noinline)) int local(int n) { volatile int s = n; return s + 1; }\n"
	"static inline __attribute__((always_inline)) int inlined(int n)\n"
	"{ volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n"
	"__attribute__((noinline)) int outer(int n) { return local(inlined(n)); }\n"
	"__attribute__((noinline)) int nested(int n)\n"
	"{ { int m = n; { return m + outer(m); } } }\n"
	"int main(int c, char **v) { (void)v; return nested(c); }\n";

static void every_version_and_compiler_is_read(void)
{
	static const char *const ways[] = {
		"gcc -O1 -gdwarf-5",
		"gcc -O1 -gdwarf-4",
		"gcc -O1 -gdwarf-3 -gstrict-dwarf",
		"gcc -O1 -gdwarf-2 -gstrict-dwarf",
		"gcc -O2 -g1",
		"gcc -O1 -g -gdwarf64",
		"gcc -O2 -g -ffunction-sections -Wl,--gc-sections",
		"clang-14 -O1 -gdwarf-5",
		"clang-14 -O1 -gdwarf-4",
		"clang-14 -O2 -g -fuse-ld=lld -ffunction-sections -Wl,--gc-sections",
	};

	work_write_text("p.c", program);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct function_list list = {0};

		work_run("%s -o p p.c", ways[i]);
		if (read_file("p", false, &list) != 0)
			fprintf(stderr, "%s\n", ways[i]);
		CHECK(list.count >= 4);
		CHECK(names_address(&list, address_of("p", "outer"), "outer"));
		CHECK(names_address(&list, address_of("p", "local"), "local"));
		CHECK(names_address(&list, address_of("p", "nested"), "nested"));
		CHECK(names_address(&list, address_of("p", "main"), "main"));
		/* Code of the C library's start-up files has no DWARF. */
		CHECK(!function_list_find(&list, address_of("p", "_start")));
		function_list_done(&list);
	}
}

static void many_units_need_many_handles(void)
{
	struct function_list list = {0};

	/* The same unit over and over, under other names. */
	work_run(
		"echo 'int f(int n) { return n + 1; }' > f.c && gcc -O1 -g -c f.c && "
		"for i in $(seq 120); do objcopy --redefine-sym f=f$i f.o f$i.o; done; "
		"echo 'int main(void) { return 0; }' > main.c && gcc -O1 -g -o units main.c f?*.o");
	CHECK_EQ(read_file("units", true, &list), 0);
	CHECK_EQ(list.count, 121);
	CHECK(names_address(&list, address_of("units", "f1"), "f1"));
	CHECK(names_address(&list, address_of("units", "f120"), "f120"));
	function_list_done(&list);
}

static void the_symbol_that_starts_there_gives_the_name(void)
{
	struct function_list list = {0};
	uint64_t address;

	work_write_text("alias.c",
		"__attribute__((noinline)) int __impl(int n) { volatile int s = n; return s; }\n"
		"extern int nice(int) __attribute__((alias(\"__impl\")));\n"
		"int main(int c, char **v) { (void)v; return nice(c); }\n");
	work_run("gcc -O1 -g -o alias alias.c");
	address = address_of("alias", "nice");
	CHECK_EQ(read_file("alias", true, &list), 0);
	CHECK(names_address(&list, address, "nice"));
	function_list_done(&list);
	CHECK_EQ(read_file("alias", false, &list), 0);
	CHECK(names_address(&list, address, "__impl"));
	function_list_done(&list);
}

static void the_cold_part_belongs_to_its_function(void)
{
	struct function_list list = {0};

	work_write_text("cold.c",
		"#include <stdlib.h>\n#include <stdio.h>\n"
		"__attribute__((cold, noinline)) void rare(int n) { printf(\"%d\", n); }\n"
		"__attribute__((noinline)) int warm(int n) {\n"
		"	if (n > 1000) { rare(n); rare(n + 1); printf(\"%d\", n); exit(n); }\n"
		"	return n * 3; }\n"
		"int main(int c, char **v) { (void)v; return warm(c); }\n");
	work_run("gcc -O2 -g -o cold cold.c");
	CHECK_EQ(read_file("cold", true, &list), 0);
	CHECK(names_address(&list, address_of("cold", "warm"), "warm"));
	CHECK(names_address(&list, address_of("cold", "warm.cold"), "warm"));
	function_list_done(&list);
}

static void a_file_without_dwarf_has_none(void)
{
	struct function_list list = {0};

	work_run("gcc -O1 -o none p.c");
	CHECK_EQ(read_file("none", false, &list), -ENOENT);
	/* Split DWARF: the names are in another file. */
	work_run("gcc -O1 -gsplit-dwarf -o split p.c");
	CHECK_EQ(read_file("split", false, &list), -ENOENT);
	CHECK_EQ(list.count, 0);
}

/* A section of FILE, packed by zstd as a linker of today does, in a file of our own. */
static void add_packed(struct tiny_elf *elf, const char *file, const char *section)
{
	SCOPED_FREE uint8_t *plain = NULL, *packed = NULL, *both = NULL;
	size_t plain_bytes, packed_bytes;
	Elf64_Chdr header = {.ch_type = 2, .ch_addralign = 1};

	work_run("objcopy -O binary --only-section=%s --set-section-flags %s=alloc %s part",
		section, section, file);
	plain = work_read("part", &plain_bytes);
	CHECK_EQ(compress_bytes(plain, plain_bytes, 3, &packed, &packed_bytes), 0);
	both = malloc(sizeof(header) + packed_bytes);
	CHECK(both);
	header.ch_size = plain_bytes;
	memcpy(both, &header, sizeof(header));
	memcpy(both + sizeof(header), packed, packed_bytes);
	tiny_elf_section(
		elf, section, SHT_PROGBITS, SHF_COMPRESSED, 0, both, sizeof(header) + packed_bytes);
}

static void sections_packed_by_zstd_are_read(void)
{
	static const char *const sections[] = {
		".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_rnglists"};
	struct function_list list = {0};
	struct tiny_elf elf;
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = NULL;

	work_run("gcc -O2 -g -o p cold.c");
	tiny_elf_init(&elf);
	tiny_elf_section(
		&elf, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x1000);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		add_packed(&elf, "p", sections[i]);
	bytes = tiny_elf_finish(&elf, &byte_count);
	work_write("packed", bytes, byte_count);
	CHECK_EQ(read_file("packed", false, &list), 0);
	CHECK(names_address(&list, address_of("p", "warm"), "warm"));
	CHECK(names_address(&list, address_of("p", "warm.cold"), "warm"));
	function_list_done(&list);
}

static void limits_of_size_are_kept(void)
{
	SCOPED_FD int fd = work_open("p");
	struct section_names names;
	struct dwarf_image dwarf;
	struct image image;

	CHECK_EQ(image_open(fd, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	CHECK_EQ(dwarf_image_make(&image, &names, 100, &dwarf), -EFBIG);
	section_names_done(&names);
	image_done(&image);
}

int main(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	RUN(every_version_and_compiler_is_read);
	RUN(many_units_need_many_handles);
	RUN(the_symbol_that_starts_there_gives_the_name);
	RUN(the_cold_part_belongs_to_its_function);
	RUN(a_file_without_dwarf_has_none);
	RUN(sections_packed_by_zstd_are_read);
	RUN(limits_of_size_are_kept);
	string_table_done(&strings);
	return 0;
}
