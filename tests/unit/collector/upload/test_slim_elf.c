/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/upload/slim_elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/elf/elf_map.h"
#include "store/elf/elf_note.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

/* Writes the slim form of FILE to `slim` in the work folder. */
static int make_slim(const char *file, size_t chunk_bytes)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	FILE *out = fopen(work_path("slim"), "we");
	uint8_t *chunk = malloc(chunk_bytes);
	struct slim_elf slim;
	uint64_t total = 0;
	ssize_t got;
	int r;

	CHECK(fd >= 0 && out && chunk);
	r = slim_elf_init(&slim, fd);
	if (r == 0) {
		while ((got = slim_elf_read(&slim, chunk, chunk_bytes)) > 0) {
			CHECK_EQ(fwrite(chunk, 1, (size_t)got, out), got);
			total += (uint64_t)got;
		}
		CHECK_EQ(got, 0);
		CHECK_EQ(total, slim.byte_count);
		slim_elf_done(&slim);
	}
	(void)fclose(out);
	free(chunk);
	close(fd);
	return r;
}

static void expect_same_build_id_and_segments(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int slim_fd = work_open("slim");
	struct build_id build_id, slim_id;
	struct load_map segments, slim_segments;

	CHECK_EQ(note_build_id(fd, &build_id), 0);
	CHECK_EQ(note_build_id(slim_fd, &slim_id), 0);
	CHECK(build_id_equal(&build_id, &slim_id));
	CHECK_EQ(load_map_read(fd, &segments), 0);
	CHECK_EQ(load_map_read(slim_fd, &slim_segments), 0);
	CHECK_EQ(segments.count, slim_segments.count);
	for (uint32_t i = 0; i < segments.count; i++) {
		CHECK_EQ(segments.segments[i].offset, slim_segments.segments[i].offset);
		CHECK_EQ(segments.segments[i].address, slim_segments.segments[i].address);
	}
	close(fd);
	close(slim_fd);
}

/* Other people's tools read the same from both: COMMAND with the file's name at its end. What they
 * say on standard error is about contents that are gone on purpose. */
static void expect_same_output(const char *file, const char *command, const char *filter)
{
	work_run("%s %s 2>/dev/null | %s >whole.txt; %s slim 2>/dev/null | %s >slim.txt; cmp "
		 "whole.txt slim.txt",
		command, file, filter, command, filter);
}

static void expect_same_for_tools(const char *file)
{
	/* The letter that nm shows goes by the contents of the section, the rest by the symbol. */
	expect_same_output(file, "nm", "sed 's/ [a-zA-Z] / /'");
	expect_same_output(file, "nm -D --without-symbol-versions", "sed 's/ [a-zA-Z] / /'");
	expect_same_output(file, "readelf -Wn", "grep 'Build ID'");
	expect_same_output(file, "readelf --debug-dump=info,line,str,no-follow-links",
		"sed '/^File\\|^$\\|[^ ]*:$/d'");
	expect_same_output(file, "eu-nm", "sed '/^Symbols from/d'");
	/* Some linkers' files have faults of their own. */
	work_run("eu-readelf -a slim >/dev/null && "
		 "{ ! eu-elflint --gnu-ld -q %s >lint.txt 2>&1 || "
		 "eu-elflint --gnu-ld --debug -q slim; }",
		file);
}

static uint64_t size_of(const char *file)
{
	struct stat status;

	CHECK_EQ(stat(file, &status), 0);
	return (uint64_t)status.st_size;
}

static void a_slim_program_keeps_names_and_loses_code(void)
{
	static const char *const ways[] = {
		"gcc -g -O1 -o prog prog.c",
		"gcc -g -O1 -no-pie -o prog prog.c",
		"gcc -g -O1 -static -o prog prog.c",
		"gcc -g -O1 -shared -fPIC -o prog prog.c",
		"gcc -g -gz -O1 -o prog prog.c",
		"gcc -O1 -o prog prog.c",
		"gcc -g -O1 -Wl,-z,noseparate-code -o prog prog.c",
		"clang-14 -g -O1 -o prog prog.c",
		"clang-14 -g -O1 -fuse-ld=lld -Wl,--build-id -o prog prog.c",
		"gcc -O1 -o prog prog.c && strip prog",
	};

	work_write_text("prog.c",
		"#include <stdio.h>\n"
		"#include <math.h>\n"
		"static char big[1 << 20] = {1};\n"
		"__attribute__((noinline)) int inner(int n) { return n + big[n]; }\n"
		"int main(void) { printf(\"%d\\n\", inner(3)); return 0; }\n");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char file[512];

		work_run("%s", ways[i]);
		snprintf(file, sizeof(file), "%s", work_path("prog"));
		CHECK_EQ(make_slim(file, i % 2 ? 65536 : 100), 0);
		expect_same_build_id_and_segments(file);
		expect_same_for_tools(file);
		CHECK(size_of(work_path("slim")) + (1 << 20) < size_of(file));
		printf("ok for %s\n", ways[i]);
	}
}

/* The libraries that every host runs, as the distribution ships them. */
static void real_libraries_read_back(void)
{
	static const char *const names[] = {
		"libc.so.6", "libstdc++.so.6", "libm.so.6", "libcrypto.so.3", "libgrpc.so.29"};
	unsigned found = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *file = work_output(
			"ldconfig -p | awk '$1 == \"%s\" && /64/ { print $NF; exit }'", names[i]);

		if (file[0] != '\0') {
			CHECK_EQ(make_slim(file, 65536), 0);
			expect_same_build_id_and_segments(file);
			expect_same_for_tools(file);
			CHECK(size_of(work_path("slim")) < size_of(file) / 2);
			found++;
		}
		free(file);
	}
	CHECK(found >= 3);
}

static void a_32_bit_program_is_made_slim_too(void)
{
	uint8_t note[64];
	size_t note_bytes = tiny_note(note, 0, 4, "GNU", 4, NT_GNU_BUILD_ID, "id-of-32", 8);
	static const Elf32_Sym symbols[2] = {{0}, {.st_name = 1, .st_value = 0x1000}};
	struct tiny_elf elf;
	struct tiny_section *symtab;
	struct image image;
	size_t byte_count;
	uint8_t *bytes;
	uint32_t note_index, strings;
	int fd;

	tiny_elf_init(&elf);
	elf.is_32 = true;
	note_index = tiny_elf_section(
		&elf, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x200, note, note_bytes);
	tiny_elf_segment(&elf,
		&(struct tiny_segment){.type = PT_NOTE,
			.offset = tiny_elf_section_at(&elf, note_index)->offset,
			.file_bytes = note_bytes});
	tiny_elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
		(uint8_t[1000]){0x90}, 1000);
	strings = tiny_elf_section(&elf, ".strtab", SHT_STRTAB, 0, 0, "\0main", 6);
	symtab = tiny_elf_section_at(&elf,
		tiny_elf_section(&elf, ".symtab", SHT_SYMTAB, 0, 0, symbols, sizeof(symbols)));
	symtab->link = strings;
	symtab->entry_bytes = sizeof(Elf32_Sym);
	bytes = tiny_elf_finish(&elf, &byte_count);
	work_write("prog32", bytes, byte_count);
	free(bytes);

	CHECK_EQ(make_slim(work_path("prog32"), 65536), 0);
	fd = work_open("slim");
	CHECK_EQ(image_open(fd, true, &image), 0);
	CHECK(!image.is_64);
	CHECK_EQ(image.sections[2].type, SHT_NOBITS);
	CHECK_EQ(image.sections[2].byte_count, 1000);
	CHECK_EQ(image.sections[4].type, SHT_SYMTAB);
	CHECK_EQ(image.segments[0].offset, image.sections[1].offset);
	image_done(&image);
	close(fd);
	expect_same_build_id_and_segments(work_path("prog32"));
}

static int try_tiny(struct tiny_elf *elf)
{
	size_t byte_count;
	uint8_t *bytes = tiny_elf_finish(elf, &byte_count);

	work_write("tiny", bytes, byte_count);
	free(bytes);
	return make_slim(work_path("tiny"), 4096);
}

static void what_carries_no_symbols_or_is_broken_is_refused(void)
{
	struct tiny_elf elf;
	uint32_t index;

	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC, 0x1000, "code", 4);
	CHECK_EQ(try_tiny(&elf), -ENODATA);

	tiny_elf_init(&elf);
	elf.big_endian = true;
	tiny_elf_section(&elf, ".debug_info", SHT_PROGBITS, 0, 0, "debug", 5);
	CHECK_EQ(try_tiny(&elf), -ENOTSUP);

	tiny_elf_init(&elf);
	index = tiny_elf_section(&elf, ".debug_info", SHT_PROGBITS, 0, 0, "debug", 5);
	tiny_elf_section_at(&elf, index)->byte_count = 1 << 30;
	CHECK_EQ(try_tiny(&elf), -EBADMSG);

	/* Sections that all claim the same bytes would make the upload many times the file. */
	tiny_elf_init(&elf);
	for (int i = 0; i < 20; i++) {
		index = tiny_elf_section(&elf, ".debug_info", SHT_PROGBITS, 0, 0, "debug", 5);
		tiny_elf_section_at(&elf, index)->offset = 0;
		tiny_elf_section_at(&elf, index)->byte_count = 4096;
	}
	CHECK_EQ(try_tiny(&elf), -EBADMSG);

	work_write_text("tiny", "not an ELF file at all");
	CHECK_EQ(make_slim(work_path("tiny"), 4096), -EBADMSG);
}

static void a_file_that_shrinks_meanwhile_is_an_error(void)
{
	struct slim_elf slim;
	uint8_t chunk[4096];
	ssize_t got;
	int fd;

	work_run("gcc -g -O1 -o prog prog.c");
	fd = work_open("prog");
	CHECK_EQ(slim_elf_init(&slim, fd), 0);
	work_run("truncate -s 1000 prog");
	while ((got = slim_elf_read(&slim, chunk, sizeof(chunk))) > 0)
		;
	CHECK_EQ(got, -EBADMSG);
	slim_elf_done(&slim);
	close(fd);
}

int main(void)
{
	RUN(a_slim_program_keeps_names_and_loses_code);
	RUN(real_libraries_read_back);
	RUN(a_32_bit_program_is_made_slim_too);
	RUN(what_carries_no_symbols_or_is_broken_is_refused);
	RUN(a_file_that_shrinks_meanwhile_is_an_error);
	return 0;
}
