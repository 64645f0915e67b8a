/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_image.h"

#include <elf.h>
#include <errno.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

/* A sound file with one segment and one section. */
static uint8_t *sound_file(size_t *ret_byte_count)
{
	struct tiny_elf elf;

	tiny_elf_init(&elf);
	tiny_elf_segment(&elf, &(struct tiny_segment){.type = PT_LOAD, .file_bytes = 0x100});
	tiny_elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "abcd", 4);
	return tiny_elf_finish(&elf, ret_byte_count);
}

static int open_bytes(const uint8_t *bytes, size_t byte_count, struct image *ret_image)
{
	SCOPED_FD int fd = -1;
	struct image image;
	int r;

	work_write("f", bytes, byte_count);
	fd = work_open("f");
	r = image_open(fd, true, &image);
	if (r < 0)
		return r;
	*ret_image = image;
	image_done(&image);
	return 0;
}

static void counts_of_a_sound_file_are_read(void)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = sound_file(&byte_count);
	struct image image;

	CHECK_EQ(open_bytes(bytes, byte_count, &image), 0);
	CHECK(image.is_64);
	CHECK_EQ(image.type, ET_DYN);
	CHECK_EQ(image.machine, EM_X86_64);
	CHECK_EQ(image.segment_count, 1);
	CHECK_EQ(image.section_count, 3);
	CHECK_EQ(image.name_section, 2);
}

static void a_section_table_outside_of_the_file_costs_the_sections_only(void)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = sound_file(&byte_count);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	struct image image;

	header->e_shoff = UINT64_MAX - 63;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), 0);
	CHECK_EQ(image.section_count, 0);
	CHECK(image.sections_missing);
	CHECK_EQ(image.segment_count, 1);
	/* With nothing left the file is of no use. */
	header->e_phnum = 0;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), -EBADMSG);
}

static void counts_that_lie_are_refused_or_cost_the_sections(void)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = sound_file(&byte_count);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	struct image image;

	header->e_shnum = 0xffff;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), 0);
	CHECK_EQ(image.section_count, 0);
	header->e_shnum = 3;
	header->e_shentsize = 1;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), 0);
	CHECK_EQ(image.section_count, 0);
	header->e_shentsize = 64;
	header->e_shstrndx = 900;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), 0);
	CHECK_EQ(image.name_section, 0);
	header->e_phnum = 2000;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), -E2BIG);
	header->e_phnum = 200;
	header->e_phoff = byte_count - 64;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), -EBADMSG);
}

static void extended_numbering_is_followed_and_limited(void)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = sound_file(&byte_count);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	Elf64_Shdr *first = (Elf64_Shdr *)(bytes + header->e_shoff);
	struct image image;

	header->e_shnum = 0;
	header->e_shstrndx = SHN_XINDEX;
	header->e_phnum = PN_XNUM;
	first->sh_size = 3;
	first->sh_link = 2;
	first->sh_info = 1;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), 0);
	CHECK_EQ(image.section_count, 3);
	CHECK_EQ(image.segment_count, 1);
	CHECK_EQ(image.name_section, 2);
	first->sh_size = UINT64_MAX;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), -E2BIG);
	first->sh_size = 3;
	first->sh_info = UINT32_MAX;
	CHECK_EQ(open_bytes(bytes, byte_count, &image), -E2BIG);
}

static void every_cut_of_a_sound_file_is_survived(void)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = sound_file(&byte_count);
	struct image image;

	for (size_t length = 0; length < byte_count; length += length < 4096 ? 61 : 7) {
		int r = open_bytes(bytes, length, &image);

		CHECK(r == 0 || r == -EBADMSG);
	}
}

static void a_folder_is_no_file(void)
{
	SCOPED_FD int fd = work_open(".");
	struct image image;

	CHECK_EQ(image_open(fd, true, &image), -EBADMSG);
}

static void reads_beyond_the_end_are_refused(void)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = sound_file(&byte_count);
	SCOPED_FD int fd = -1;
	struct image image;
	uint8_t to[8];

	work_write("f", bytes, byte_count);
	fd = work_open("f");
	CHECK_EQ(image_open(fd, true, &image), 0);
	CHECK_EQ(image_read(&image, byte_count - 8, to, 8), 0);
	CHECK_EQ(image_read(&image, byte_count - 7, to, 8), -EBADMSG);
	CHECK_EQ(image_read(&image, UINT64_MAX - 3, to, 8), -EBADMSG);
	/* Cut after it was opened. */
	CHECK_EQ(truncate(work_path("f"), 100), 0);
	CHECK_EQ(image_read(&image, byte_count - 8, to, 8), -EBADMSG);
	image_done(&image);
}

int main(void)
{
	RUN(counts_of_a_sound_file_are_read);
	RUN(a_section_table_outside_of_the_file_costs_the_sections_only);
	RUN(counts_that_lie_are_refused_or_cost_the_sections);
	RUN(extended_numbering_is_followed_and_limited);
	RUN(every_cut_of_a_sound_file_is_survived);
	RUN(a_folder_is_no_file);
	RUN(reads_beyond_the_end_are_refused);
	return 0;
}
