/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_supplementary.h"

#include <elf.h>
#include <errno.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_dwarf.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

#define ID_BYTES 20

static void put_id(struct tiny_dwarf *tiny, uint8_t first)
{
	for (uint8_t i = 0; i < ID_BYTES; i++)
		tiny_bytes(tiny, first + i);
}

static struct build_id id_from(uint8_t first)
{
	struct build_id id = {.kind = BUILD_ID_GNU, .byte_count = ID_BYTES};

	for (uint8_t i = 0; i < ID_BYTES; i++)
		id.bytes[i] = first + i;
	return id;
}

/* Contents of .debug_sup. */
static void put_standard(struct tiny_dwarf *tiny, bool supplementary, uint8_t first)
{
	tiny_number(tiny, 5, 2);
	tiny_bytes(tiny, supplementary);
	tiny_text(tiny, supplementary ? "" : "common");
	tiny_bytes(tiny, ID_BYTES);
	put_id(tiny, first);
}

static int id_in(const char *section, const struct tiny_dwarf *contents, struct build_id *ret_id)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct section_names names;
	struct tiny_elf elf;
	struct image image;
	size_t byte_count;
	int r;

	tiny_elf_init(&elf);
	tiny_elf_section(&elf, section, SHT_PROGBITS, 0, 0, contents->bytes, contents->byte_count);
	bytes = tiny_elf_finish(&elf, &byte_count);
	CHECK_EQ(image_open_memory(bytes, byte_count, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	r = dwarf_supplementary_id(&image, &names, ret_id);
	section_names_done(&names);
	image_done(&image);
	return r;
}

static void both_kinds_of_link_name_an_id(void)
{
	struct tiny_dwarf gnu = {0}, standard = {0}, back = {0};
	struct build_id id, expected = id_from(7);

	tiny_text(&gnu, "../.dwz/common");
	put_id(&gnu, 7);
	CHECK_EQ(id_in(".gnu_debugaltlink", &gnu, &id), 0);
	CHECK(build_id_equal(&id, &expected));
	put_standard(&standard, false, 7);
	CHECK_EQ(id_in(".debug_sup", &standard, &id), 0);
	CHECK(build_id_equal(&id, &expected));
	/* The supplementary file itself refers to nobody. */
	put_standard(&back, true, 7);
	CHECK_EQ(id_in(".debug_sup", &back, &id), -ENOENT);
	CHECK_EQ(id_in(".other", &gnu, &id), -ENOENT);
}

static void a_damaged_link_is_none(void)
{
	struct tiny_dwarf tiny = {0};
	struct build_id id;

	tiny_bytes(&tiny, 'a', 'b');
	CHECK_EQ(id_in(".gnu_debugaltlink", &tiny, &id), -EBADMSG);
	tiny_bytes(&tiny, 0);
	CHECK_EQ(id_in(".gnu_debugaltlink", &tiny, &id), -EBADMSG);
	for (int i = 0; i <= BUILD_ID_BYTES_MAX; i++)
		tiny_bytes(&tiny, 1);
	CHECK_EQ(id_in(".gnu_debugaltlink", &tiny, &id), -EBADMSG);
	tiny = (struct tiny_dwarf){0};
	put_standard(&tiny, false, 7);
	tiny.byte_count--;
	CHECK_EQ(id_in(".debug_sup", &tiny, &id), -EBADMSG);
}

static void a_file_is_taken_only_under_its_id(void)
{
	struct build_id right = id_from(7), wrong = id_from(8);
	struct dwarf_supplementary supplementary;
	struct dwarf_scratch scratch = {.fd = -1};
	SCOPED_FREE uint8_t *bytes = NULL;
	SCOPED_FD int fd = -1, other_fd = -1;
	struct tiny_dwarf link = {0};
	struct tiny_elf elf;
	size_t byte_count;

	put_standard(&link, true, 7);
	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".debug_sup", SHT_PROGBITS, 0, 0, link.bytes, link.byte_count);
	tiny_elf_section(&elf, ".debug_str", SHT_PROGBITS, 0, 0, "text", 5);
	bytes = tiny_elf_finish(&elf, &byte_count);
	work_write("common", bytes, byte_count);
	work_write_text("other", "no ELF file at all");
	fd = work_open("common");
	other_fd = work_open("other");
	CHECK_EQ(dwarf_supplementary_open(fd, &wrong, &scratch, &supplementary), -EBADMSG);
	CHECK_EQ(dwarf_supplementary_open(other_fd, &right, &scratch, &supplementary), -EBADMSG);
	CHECK_EQ(dwarf_supplementary_open(fd, &right, &scratch, &supplementary), 0);
	CHECK_STR(dwarf_span_text(&supplementary.file.sections[DWARF_STR], 0), "text");
	CHECK_EQ(supplementary.file.unit_count, 0);
	dwarf_supplementary_done(&supplementary);
	dwarf_supplementary_done(&supplementary);
}

int main(void)
{
	RUN(both_kinds_of_link_name_an_id);
	RUN(a_damaged_link_is_none);
	RUN(a_file_is_taken_only_under_its_id);
	return 0;
}
