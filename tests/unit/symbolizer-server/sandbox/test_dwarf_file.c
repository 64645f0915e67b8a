/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_file.h"

#include <elf.h>
#include <errno.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "tests/support/check.h"
#include "tests/support/tiny_dwarf.h"
#include "tests/support/tiny_elf.h"

static const struct dwarf_scratch no_scratch = {.fd = -1};

/* A unit of VERSION with a body of one byte. */
static void put_unit(struct tiny_dwarf *info, uint16_t version, uint8_t type)
{
	size_t at = info->byte_count;

	tiny_number(info, 0, 4);
	tiny_number(info, version, 2);
	if (version >= 5)
		tiny_bytes(info, type, 8);
	tiny_number(info, 0x22, 4);
	if (version < 5)
		tiny_bytes(info, 8);
	if (type == DW_UT_skeleton || type == DW_UT_type)
		tiny_number(info, 0x1122334455667788, 8);
	if (type == DW_UT_type)
		tiny_number(info, 0x30, 4);
	tiny_bytes(info, 0);
	tiny_close(info, at);
}

static int open_file(const struct tiny_dwarf *info, const char *abbrev, struct dwarf_file *file)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct dwarf_scratch scratch = no_scratch;
	struct section_names names;
	struct tiny_elf elf;
	struct image image;
	size_t byte_count;
	int r;

	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".debug_info", SHT_PROGBITS, 0, 0, info->bytes, info->byte_count);
	tiny_elf_section(&elf, abbrev, SHT_PROGBITS, 0, 0, "\0\0", 2);
	bytes = tiny_elf_finish(&elf, &byte_count);
	CHECK_EQ(image_open_memory(bytes, byte_count, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	r = dwarf_file_open(&image, &names, DWARF_PLAIN, &scratch, file);
	section_names_done(&names);
	image_done(&image);
	return r;
}

static void heads_of_all_versions_are_read(void)
{
	struct tiny_dwarf info = {0};
	struct dwarf_file file;
	const struct dwarf_unit_head *head;

	put_unit(&info, 4, DW_UT_compile);
	put_unit(&info, 9, DW_UT_compile);
	put_unit(&info, 5, DW_UT_compile);
	put_unit(&info, 5, DW_UT_skeleton);
	put_unit(&info, 5, DW_UT_type);
	put_unit(&info, 5, 0x55);
	put_unit(&info, 2, DW_UT_compile);
	CHECK_EQ(open_file(&info, ".debug_abbrev", &file), 0);
	/* One of an unknown version and one of an unknown type are passed over. */
	CHECK_EQ(file.unit_count, 5);
	CHECK_EQ(file.units[0].version, 4);
	CHECK_EQ(file.units[0].abbrev_offset, 0x22);
	CHECK_EQ(file.units[0].address_bytes, 8);
	CHECK_EQ(file.units[0].first_entry, 11);
	CHECK_EQ(file.units[1].first_entry - file.units[1].offset, 12);
	CHECK_EQ(file.units[2].id, 0x1122334455667788);
	CHECK_EQ(file.units[3].first_entry - file.units[3].offset, 24);
	head = &file.units[3];
	CHECK(dwarf_file_unit(&file, head->first_entry) == head);
	CHECK(!dwarf_file_unit(&file, head->offset));
	CHECK(!dwarf_file_unit(&file, info.byte_count));
	CHECK(dwarf_file_unit_at(&file, head->offset) == head);
	CHECK(!dwarf_file_unit_at(&file, head->offset + 1));
	/* Where the unit of version 9 stands there is none. */
	CHECK(!dwarf_file_unit(&file, file.units[0].end + 5));
	dwarf_file_done(&file);
}

static void a_length_that_lies_ends_the_list(void)
{
	struct tiny_dwarf info = {0};
	struct dwarf_file file;

	put_unit(&info, 4, DW_UT_compile);
	put_unit(&info, 4, DW_UT_compile);
	info.bytes[12] = 0xf0;
	CHECK_EQ(open_file(&info, ".debug_abbrev", &file), 0);
	CHECK_EQ(file.unit_count, 1);
	dwarf_file_done(&file);
	/* Reserved, and 64 bits of it. */
	memset(info.bytes, 0xff, 4);
	info.bytes[0] = 0xf5;
	CHECK_EQ(open_file(&info, ".debug_abbrev", &file), 0);
	CHECK_EQ(file.unit_count, 0);
	dwarf_file_done(&file);
	info.bytes[0] = 0xff;
	CHECK_EQ(open_file(&info, ".debug_abbrev", &file), 0);
	CHECK_EQ(file.unit_count, 0);
	dwarf_file_done(&file);
}

static void offsets_of_64_bits_are_read(void)
{
	struct tiny_dwarf info = {0};
	struct dwarf_file file;

	tiny_number(&info, UINT32_MAX, 4);
	tiny_number(&info, 12, 8);
	tiny_number(&info, 4, 2);
	tiny_number(&info, 0x123456789, 8);
	tiny_bytes(&info, 4, 0);
	CHECK_EQ(open_file(&info, ".debug_abbrev", &file), 0);
	CHECK_EQ(file.unit_count, 1);
	CHECK_EQ(file.units[0].offset_bytes, 8);
	CHECK_EQ(file.units[0].abbrev_offset, 0x123456789);
	CHECK_EQ(file.units[0].address_bytes, 4);
	dwarf_file_done(&file);
}

static void both_sections_are_needed(void)
{
	struct tiny_dwarf info = {0};
	struct dwarf_file file;

	put_unit(&info, 4, DW_UT_compile);
	CHECK_EQ(open_file(&info, ".debug_other", &file), -ENOENT);
}

int main(void)
{
	RUN(heads_of_all_versions_are_read);
	RUN(a_length_that_lies_ends_the_list);
	RUN(offsets_of_64_bits_are_read);
	RUN(both_sections_are_needed);
	return 0;
}
