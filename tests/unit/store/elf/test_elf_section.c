/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_section.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

#define LIMIT ((size_t)16 << 20)

/* Written to a file, behind what is there, it is the same as in memory; what cannot be read cannot
 * be written either. */
static void check_written(const struct image *image, const struct section_names *names,
	uint32_t index, const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FD int fd = memfd_create("section", MFD_CLOEXEC);
	SCOPED_FREE uint8_t *written = malloc(byte_count + 1);

	CHECK(fd >= 0 && written);
	CHECK_EQ(write(fd, "front", 5), 5);
	if (!bytes) {
		CHECK(section_write(image, names, index, fd) < 0);
		return;
	}
	CHECK_EQ(section_write(image, names, index, fd), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), (long)byte_count + 5);
	CHECK_EQ(pread(fd, written, byte_count + 1, 5), (long)byte_count);
	CHECK_EQ(memcmp(written, bytes, byte_count), 0);
}

/* Reads section NAME of FILE under a limit. */
static int read_section(const char *file, const char *name, size_t bytes_max, uint8_t **ret_bytes,
	size_t *ret_byte_count)
{
	SCOPED_FD int fd = work_open(file);
	struct section_names names;
	struct image image;
	int r = image_open(fd, true, &image);

	if (r < 0)
		return r;
	r = section_names_read(&image, &names);
	if (r == 0) {
		r = section_read(&image, &names, section_find(&image, &names, name), bytes_max,
			ret_bytes, ret_byte_count);
		if (r == 0 || r == -EBADMSG || r == -ENOTSUP)
			check_written(&image, &names, section_find(&image, &names, name),
				r == 0 ? *ret_bytes : NULL, r == 0 ? *ret_byte_count : 0);
		section_names_done(&names);
	}
	image_done(&image);
	return r;
}

static void check_same_as(const char *file, const uint8_t *expected, size_t expected_byte_count)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count = 0;

	CHECK_EQ(read_section(file, ".debug_info", LIMIT, &bytes, &byte_count), 0);
	CHECK_EQ(byte_count, expected_byte_count);
	CHECK(memcmp(bytes, expected, byte_count) == 0);
}

static void zlib_old_and_new_inflate_to_what_was_there(void)
{
	SCOPED_FREE uint8_t *plain = NULL;
	size_t byte_count = 0;

	work_write_text("m.c",
		"#include <stdio.h>\n#include <stdlib.h>\n"
		"int main(void){puts(\"hello\");return rand();}\n");
	work_run("gcc -g3 -o plain m.c");
	work_run("objcopy --compress-debug-sections=zlib-gabi plain new");
	work_run("objcopy --compress-debug-sections=zlib-gnu plain old");
	CHECK_EQ(read_section("plain", ".debug_info", LIMIT, &plain, &byte_count), 0);
	CHECK(byte_count > 100);
	check_same_as("new", plain, byte_count);
	check_same_as("old", plain, byte_count);
	CHECK(work_try("readelf -SW old | grep -q zdebug_info") == 0);
}

static void write_compressed(
	uint32_t way, uint64_t told_size, const uint8_t *packed, size_t packed_byte_count)
{
	Elf64_Chdr header = {.ch_type = way, .ch_size = told_size, .ch_addralign = 1};
	uint8_t bytes[65536];
	struct tiny_elf elf;
	size_t byte_count;
	SCOPED_FREE uint8_t *file = NULL;

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), packed, packed_byte_count);
	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0, bytes,
		sizeof(header) + packed_byte_count);
	file = tiny_elf_finish(&elf, &byte_count);
	work_write("packed", file, byte_count);
}

static void zstd_inflates_and_lies_about_the_size_are_seen(void)
{
	static uint8_t text[50000];
	SCOPED_FREE uint8_t *packed = NULL;
	uint8_t *bytes = NULL;
	size_t packed_byte_count, byte_count = 0;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i % 251);
	CHECK_EQ(compress_bytes(text, sizeof(text), 3, &packed, &packed_byte_count), 0);
	write_compressed(2, sizeof(text), packed, packed_byte_count);
	check_same_as("packed", text, sizeof(text));

	CHECK_EQ(read_section("packed", ".debug_info", 40000, &bytes, &byte_count), -EFBIG);
	write_compressed(2, sizeof(text) - 1, packed, packed_byte_count);
	CHECK_EQ(read_section("packed", ".debug_info", LIMIT, &bytes, &byte_count), -EBADMSG);
	write_compressed(2, sizeof(text) + 1, packed, packed_byte_count);
	CHECK_EQ(read_section("packed", ".debug_info", LIMIT, &bytes, &byte_count), -EBADMSG);
	write_compressed(2, UINT64_MAX, packed, packed_byte_count);
	CHECK_EQ(read_section("packed", ".debug_info", SIZE_MAX, &bytes, &byte_count), -EBADMSG);
	write_compressed(ELFCOMPRESS_ZLIB, sizeof(text), packed, packed_byte_count);
	CHECK_EQ(read_section("packed", ".debug_info", LIMIT, &bytes, &byte_count), -EBADMSG);
	write_compressed(77, sizeof(text), packed, packed_byte_count);
	CHECK_EQ(read_section("packed", ".debug_info", LIMIT, &bytes, &byte_count), -ENOTSUP);
	CHECK(!bytes);
}

static void an_empty_compressed_section_is_empty(void)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count = 7;

	write_compressed(ELFCOMPRESS_ZLIB, 0, (const uint8_t *)"", 0);
	CHECK_EQ(read_section("packed", ".debug_info", LIMIT, &bytes, &byte_count), 0);
	CHECK_EQ(byte_count, 0);
}

static void sections_outside_of_the_file_or_without_contents_are_refused(void)
{
	struct tiny_elf elf;
	size_t byte_count;
	uint8_t *bytes = NULL;
	SCOPED_FREE uint8_t *file = NULL;
	uint32_t index;

	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".bss", SHT_NOBITS, SHF_ALLOC, 0, NULL, 100);
	index = tiny_elf_section(&elf, ".far", SHT_PROGBITS, 0, 0, "x", 1);
	tiny_elf_section_at(&elf, index)->offset = SIZE_MAX - 1;
	index = tiny_elf_section(&elf, ".long", SHT_PROGBITS, 0, 0, "x", 1);
	tiny_elf_section_at(&elf, index)->byte_count = SIZE_MAX - 1;
	file = tiny_elf_finish(&elf, &byte_count);
	work_write("odd", file, byte_count);
	CHECK_EQ(read_section("odd", ".bss", LIMIT, &bytes, &byte_count), -ENOENT);
	CHECK_EQ(read_section("odd", ".far", LIMIT, &bytes, &byte_count), -EBADMSG);
	CHECK_EQ(read_section("odd", ".long", LIMIT, &bytes, &byte_count), -EBADMSG);
	CHECK_EQ(read_section("odd", ".absent", LIMIT, &bytes, &byte_count), -ENOENT);
	CHECK(!bytes);
}

static void names_outside_of_their_table_are_empty(void)
{
	struct tiny_elf elf;
	size_t byte_count;
	SCOPED_FREE uint8_t *file = NULL;
	SCOPED_FD int fd = -1;
	struct section_names names;
	struct image image;

	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".text", SHT_PROGBITS, 0, 0, "x", 1);
	file = tiny_elf_finish(&elf, &byte_count);
	((Elf64_Shdr *)(file + ((Elf64_Ehdr *)file)->e_shoff))[1].sh_name = UINT32_MAX;
	work_write("names", file, byte_count);
	fd = work_open("names");
	CHECK_EQ(image_open(fd, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	CHECK_STR(section_name(&image, &names, 1), "");
	CHECK_STR(section_name(&image, &names, 2), ".shstrtab");
	CHECK_STR(section_name(&image, &names, 99), "");
	CHECK_EQ(section_find(&image, &names, ".text"), 0);
	section_names_done(&names);
	image_done(&image);
}

int main(void)
{
	RUN(zlib_old_and_new_inflate_to_what_was_there);
	RUN(zstd_inflates_and_lies_about_the_size_are_seen);
	RUN(an_empty_compressed_section_is_empty);
	RUN(sections_outside_of_the_file_or_without_contents_are_refused);
	RUN(names_outside_of_their_table_are_empty);
	return 0;
}
