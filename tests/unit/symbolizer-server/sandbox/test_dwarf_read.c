/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as compilers and tools of Debian make them: at every address of their own functions the
 * chain of calls, with files and lines, is the one that llvm-symbolizer tells. */
#include "symbolizer-server/sandbox/dwarf_read.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/whole_dwarf.h"

static const char program[] =
	"#include <stdlib.h>\n"
	"static inline int square(int x) { return x * x + rand(); }\n"
	"static inline __attribute__((always_inline)) int twice(int n)\n"
	"{ int s = 0; for (int i = 0; i < n; i++) s += square(i) + square(n); return s; }\n"
	"static __attribute__((noinline)) int local(int n)\n"
	"{\n	if (n > 1000) abort();\n	return twice(n) + twice(n + 1);\n}\n"
	"__attribute__((noinline)) int nested(int n)\n"
	"{ { int m = n; { return m + local(twice(m)); } } }\n"
	"int main(int c, char **v) { (void)v; return nested(c); }\n";

static const char other[] =
	"namespace shapes {\n"
	"namespace { inline int hidden(int n) { volatile int s = n; return s + 1; } }\n"
	"struct box { int n; box(int n) : n(n) {} inline int area() const { return n * hidden(n); "
	"}\n"
	"	virtual int shrink(); virtual int deep(int m) { return area() + m; } };\n"
	"int box::shrink() { return n = hidden(n); }\n"
	"template <class T> __attribute__((noinline)) T sum(const T *from, int count)\n"
	"{ T all{}; for (int i = 0; i < count; i++) all += from[i] + hidden(i); return all; }\n"
	"}\n"
	"int main(int c, char **v)\n"
	"{ shapes::box b(c); long l[2] = {c, b.area()}; (void)v;\n"
	"	auto f = [&](int n) { return b.deep(n) + (int)shapes::sum(l, 2); };\n"
	"	return f(c) + f(c + 1); }\n";

/* What llvm-symbolizer says of every address of the functions in FILE that DWARF knows: REFERENCE
 * is FILE, or a file with the same addresses that it can read. */
static char *told(const char *file, const char *reference)
{
	return work_output(
		"nm -S --defined-only %s | awk 'NF == 4 && $3 ~ /[tTwW]/ && "
		"!/_start|_fini|_init|_relocate/' |"
		" while read a n t s; do seq $((0x$a)) $((0x$a + 0x$n - 1)); done |"
		" sort -un > addresses && xargs printf '%%#x\\n' < addresses |"
		" llvm-symbolizer-14 -e %s --no-demangle | sed -E 's/(.*):[0-9]+$/\\1/' |"
		" awk '!NF { print; next } !name { name = $0; next } { print name, $0; name = \"\" "
		"}'",
		file, reference);
}

/* Compares all addresses of FILE, and says how many they were. */
static uint32_t same_as_told(
	const struct whole_dwarf *whole, const char *file, const char *reference)
{
	SCOPED_FREE char *expected = told(file, reference);
	SCOPED_FREE char *list = work_output("cat addresses");
	char *next = expected, *line = list;
	uint32_t count = 0;

	while (*line) {
		uint64_t address = strtoull(line, &line, 10);
		char *end = strstr(next, "\n\n");
		const char *chain = whole_dwarf_chain(whole, address);

		if (end)
			end[1] = '\0';
		if (strncmp(chain, next, strlen(chain) - 1) != 0) {
			fprintf(stderr, "%s %#llx\nours:\n%stheirs:\n%s\n", file,
				(unsigned long long)address, chain, next);
		}
		CHECK_EQ(strncmp(chain, next, strlen(chain) - 1), 0);
		next = end ? end + 2 : next + strlen(next);
		line += *line == '\n';
		count++;
	}
	return count;
}

static void check_same(const char *file)
{
	struct whole_dwarf whole;

	whole_dwarf_read(&whole, file);
	CHECK_EQ(whole.r, 0);
	CHECK(same_as_told(&whole, file, file) > 50);
	CHECK(whole.map.call_count > 1);
	whole_dwarf_done(&whole);
}

static void every_version_and_compiler_is_read(void)
{
	static const char *const ways[] = {
		"gcc -O2 -gdwarf-5",
		"gcc -O2 -gdwarf-4",
		"gcc -O1 -gdwarf-3 -gstrict-dwarf",
		"gcc -O2 -gdwarf-2",
		"gcc -O2 -g -gdwarf64",
		"gcc -O2 -g -flto",
		"gcc -O2 -g -ffunction-sections -Wl,--gc-sections",
		"gcc -O2 -g -no-pie -gno-as-loc-support",
		"clang-14 -O2 -gdwarf-5",
		"clang-14 -O2 -gdwarf-4",
		"clang-14 -O2 -gdwarf-2",
		"clang-14 -O2 -g -fuse-ld=lld -ffunction-sections -Wl,--gc-sections",
	};

	work_write_text("p.c", program);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		work_run("%s -o p p.c", ways[i]);
		check_same("p");
	}
}

static void classes_and_templates_are_read(void)
{
	static const char *const ways[] = {
		"g++ -O2 -gdwarf-5",
		"g++ -O2 -gdwarf-4 -fdebug-types-section",
		"g++ -O2 -gdwarf-5 -fdebug-types-section",
		"clang++-14 -O2 -gdwarf-5",
		"clang++-14 -O1 -gdwarf-4 -fdebug-types-section",
	};

	work_write_text("o.cc", other);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		work_run("%s -o o o.cc", ways[i]);
		check_same("o");
	}
}

static uint64_t address_of(const char *file, const char *name)
{
	SCOPED_FREE char *text = work_output("nm %s | awk '$3 == \"%s\" { print $1 }'", file, name);

	CHECK(*text);
	return strtoull(text, NULL, 16);
}

static void check_function(const char *stripped, const char *file, const char *symbol)
{
	struct whole_dwarf whole;

	whole_dwarf_read(&whole, stripped);
	CHECK_EQ(whole.r, 0);
	CHECK_EQ(whole.table.count, 0);
	CHECK_STR(whole_dwarf_function(&whole, address_of(file, symbol)), "warm");
	whole_dwarf_done(&whole);
}

/* A debug file whose .symtab was taken away as well. */
static void without_a_symbol_a_function_has_the_name_that_dwarf_gives(void)
{
	work_write_text("cold.c",
		"#include <stdlib.h>\n#include <stdio.h>\n"
		"__attribute__((cold, noinline)) void rare(int n) { printf(\"%d\", n); }\n"
		"__attribute__((noinline)) int warm(int n) {\n"
		"	if (n > 1000) { rare(n); rare(n + 1); printf(\"%d\", n); exit(n); }\n"
		"	return n * 3; }\n"
		"int main(int c, char **v) { (void)v; return warm(c); }\n");
	work_run("gcc -O2 -g -o cold cold.c && objcopy --strip-all --keep-section='.debug_*' "
		 "cold bare");
	check_function("bare", "cold", "warm");
	check_function("bare", "cold", "warm.cold");
}

static void the_symbol_that_starts_there_gives_the_name(void)
{
	struct whole_dwarf whole;

	work_write_text("alias.c",
		"__attribute__((noinline)) int __impl(int n) { volatile int s = n; return s; }\n"
		"extern int nice(int) __attribute__((alias(\"__impl\")));\n"
		"int main(int c, char **v) { (void)v; return nice(c); }\n");
	work_run("gcc -O1 -g -o alias alias.c");
	whole_dwarf_read(&whole, "alias");
	CHECK_STR(whole_dwarf_function(&whole, address_of("alias", "nice")), "nice");
	whole_dwarf_done(&whole);
	whole_dwarf_read(&whole, "cold");
	CHECK_STR(whole_dwarf_function(&whole, address_of("cold", "warm.cold")), "warm.cold");
	CHECK_STR(whole_dwarf_function(&whole, address_of("cold", "_start")), "??");
	whole_dwarf_done(&whole);
}

static void a_file_without_dwarf_has_none(void)
{
	struct whole_dwarf whole;

	work_run("gcc -O1 -o none p.c");
	whole_dwarf_read(&whole, "none");
	CHECK_EQ(whole.r, -ENOENT);
	whole_dwarf_done(&whole);
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

static void make_packed(const char *file)
{
	static const char *const sections[] = {".debug_info", ".debug_abbrev", ".debug_str",
		".debug_line", ".debug_line_str", ".debug_rnglists"};
	struct tiny_elf elf;
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = NULL;

	tiny_elf_init(&elf);
	tiny_elf_section(
		&elf, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x1000);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		add_packed(&elf, file, sections[i]);
	bytes = tiny_elf_finish(&elf, &byte_count);
	work_write("packed", bytes, byte_count);
}

/* Once into a scratch file and once into memory. */
static void check_packed(const char *file)
{
	struct dwarf_source source = {.scratch_fd = -1};
	struct whole_dwarf whole;

	for (int scratch = 0; scratch < 2; scratch++) {
		if (scratch)
			source.scratch_fd = open(work_dir(), O_TMPFILE | O_RDWR, 0600);
		CHECK_EQ(source.scratch_fd < 0, !scratch);
		whole_dwarf_read_with(&whole, file, &source);
		CHECK_EQ(whole.r, 0);
		CHECK(same_as_told(&whole, "p", "p") > 50);
		whole_dwarf_done(&whole);
	}
	close(source.scratch_fd);
}

static void sections_packed_in_any_way_are_read(void)
{
	work_run("gcc -O2 -g -o p p.c && objcopy --compress-debug-sections=zlib p zlib && "
		 "objcopy --compress-debug-sections=zlib-gnu p zlib-gnu");
	check_packed("zlib");
	check_packed("zlib-gnu");
	work_run("gcc -O2 -g -fno-reorder-blocks-and-partition -o p p.c");
	make_packed("p");
	check_packed("packed");
}

/* The reader of a program whose names stand in other files. */
static void read_with(
	struct whole_dwarf *whole, const char *file, const char *supplementary, const char *package)
{
	struct dwarf_source source = {.scratch_fd = -1};

	if (supplementary)
		source.supplementary_fd = work_open(supplementary);
	if (package)
		source.package_fd = work_open(package);
	whole_dwarf_read_with(whole, file, &source);
	CHECK_EQ(whole->r, 0);
	if (supplementary)
		close(source.supplementary_fd);
	if (package)
		close(source.package_fd);
}

/* llvm-symbolizer 14 loses the inlined calls of clang's split units whose ranges count from the
 * first address of the unit, so it is asked about the program that was not split. llvm-dwp 14 does
 * not end on some files: a minute is enough for any that is to be read here. */
static void check_split(const char *compiler, const char *packer)
{
	struct whole_dwarf whole;

	work_run("rm -f *.dwo split.dwp && %s -O2 -c -o p.o p.c && %s -O2 -gsplit-dwarf -c -o s.o "
		 "p.c "
		 "&& %s -o whole p.o && %s -o split s.o && timeout 60 %s -e split -o split.dwp",
		compiler, compiler, compiler, compiler, packer);
	read_with(&whole, "split", NULL, "split.dwp");
	CHECK(!whole.missing.package);
	CHECK(same_as_told(&whole, "split", "whole") > 50);
	whole_dwarf_done(&whole);
}

static void units_of_a_package_are_found(void)
{
	check_split("gcc -gdwarf-5", "llvm-dwp-14");
	check_split("gcc -gdwarf-4", "llvm-dwp-14");
	check_split("gcc -gdwarf-4", "dwp");
	check_split("clang-14 -gdwarf-5", "llvm-dwp-14");
	check_split("clang-14 -gdwarf-4", "llvm-dwp-14");
}

static void without_its_package_a_program_has_its_lines(void)
{
	struct whole_dwarf whole;
	struct code_line line;

	work_run("gcc -O2 -g -o other p.c");
	work_run("rm -f *.dwo && gcc -O2 -gdwarf-5 -gsplit-dwarf -o split p.c");
	read_with(&whole, "split", NULL, NULL);
	CHECK(whole.missing.package);
	CHECK_EQ(whole.functions.count, 0);
	line = whole_dwarf_line(&whole, address_of("split", "local"));
	CHECK(strstr(string_table_text(&whole.strings, line.file), "/p.c"));
	CHECK_EQ(line.line, 6);
	whole_dwarf_done(&whole);
	/* A file that is no package, and one that was made of another program. */
	read_with(&whole, "split", NULL, "other");
	CHECK(whole.missing.package);
	whole_dwarf_done(&whole);
	read_with(&whole, "split", NULL, "p.c");
	CHECK(whole.missing.package);
	whole_dwarf_done(&whole);
}

static void what_dwz_moved_elsewhere_is_read_from_there(const char *options)
{
	struct whole_dwarf whole;

	work_run("rm -f common && g++ -O2 %s -o whole o.cc && g++ -O1 %s -o second o.cc && "
		 "cp whole first && dwz %s -m common first second",
		options, options, strstr(options, "-5") ? "--dwarf-5" : "");
	read_with(&whole, "first", "common", NULL);
	CHECK_EQ(whole.missing.supplementary.byte_count, 0);
	CHECK(same_as_told(&whole, "whole", "whole") > 50);
	whole_dwarf_done(&whole);
	/* Without it, or with another: it is named, and what is there is read. */
	for (int i = 0; i < 2; i++) {
		read_with(&whole, "first", i ? "second" : NULL, NULL);
		CHECK_EQ(whole.missing.supplementary.byte_count, 20);
		CHECK(whole.functions.count > 0);
		whole_dwarf_done(&whole);
	}
}

static void supplementary_files_of_both_kinds_are_read(void)
{
	what_dwz_moved_elsewhere_is_read_from_there("-gdwarf-4");
	what_dwz_moved_elsewhere_is_read_from_there("-gdwarf-5");
}

int main(void)
{
	RUN(every_version_and_compiler_is_read);
	RUN(classes_and_templates_are_read);
	RUN(without_a_symbol_a_function_has_the_name_that_dwarf_gives);
	RUN(the_symbol_that_starts_there_gives_the_name);
	RUN(a_file_without_dwarf_has_none);
	RUN(sections_packed_in_any_way_are_read);
	RUN(units_of_a_package_are_found);
	RUN(without_its_package_a_program_has_its_lines);
	RUN(supplementary_files_of_both_kinds_are_read);
	return 0;
}
