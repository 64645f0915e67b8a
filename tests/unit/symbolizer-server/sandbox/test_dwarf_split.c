/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_split.h"

#include <elf.h>
#include <errno.h>

#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "tests/support/check.h"
#include "tests/support/tiny_dwarf.h"
#include "tests/support/tiny_elf.h"

/* Both fall into slot 1 of 4; the second one's step leads to slot 2. */
#define FIRST_ID 0x1111111100000001
#define SECOND_ID 0x0000000100000005
#define UNIT_BYTES 21

struct opened {
	uint8_t *bytes;
	struct image image;
	struct section_names names;
	struct dwarf_split split;
};

static void put_unit(struct tiny_dwarf *info, uint64_t id)
{
	size_t at = info->byte_count;

	tiny_number(info, 0, 4);
	tiny_number(info, 5, 2);
	tiny_bytes(info, DW_UT_split_compile, 8);
	tiny_number(info, 0, 4);
	tiny_number(info, id, 8);
	tiny_bytes(info, 0);
	tiny_close(info, at);
}

/* A row a unit: each column's number times what UNITS gives for the unit. */
static void put_rows(struct tiny_dwarf *index, const uint32_t units[2])
{
	for (int row = 0; row < 2; row++) {
		tiny_number(index, (uint64_t)units[row] * UNIT_BYTES, 4);
		for (int column = 1; column < 4; column++)
			tiny_number(index, (uint64_t)units[row] * 4, 4);
	}
}

/* Two units, each with half of every section. */
static void put_index(struct tiny_dwarf *index, uint32_t version)
{
	static const uint64_t ids[] = {0, FIRST_ID, SECOND_ID, 0};
	static const uint32_t rows[] = {0, 1, 2, 0};
	static const uint32_t columns[] = {
		DW_SECT_INFO, DW_SECT_ABBREV, DW_SECT_STR_OFFSETS, DW_SECT_RNGLISTS};

	tiny_number(index, version, 4);
	tiny_number(index, 4, 4);
	tiny_number(index, 2, 4);
	tiny_number(index, 4, 4);
	for (int slot = 0; slot < 4; slot++)
		tiny_number(index, ids[slot], 8);
	for (int slot = 0; slot < 4; slot++)
		tiny_number(index, rows[slot], 4);
	for (int column = 0; column < 4; column++)
		tiny_number(index, columns[column], 4);
	put_rows(index, (const uint32_t[]){0, 1});
	put_rows(index, (const uint32_t[]){1, 1});
}

static int open_split(const struct tiny_dwarf *index, struct opened *opened)
{
	struct dwarf_scratch scratch = {.fd = -1};
	struct tiny_dwarf info = {0};
	struct tiny_elf elf;
	size_t byte_count;

	put_unit(&info, FIRST_ID);
	put_unit(&info, SECOND_ID);
	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".debug_info.dwo", SHT_PROGBITS, 0, 0, info.bytes, info.byte_count);
	tiny_elf_section(&elf, ".debug_abbrev.dwo", SHT_PROGBITS, 0, 0, "abcdefgh", 8);
	tiny_elf_section(&elf, ".debug_str_offsets.dwo", SHT_PROGBITS, 0, 0, "ABCDEFGH", 8);
	tiny_elf_section(&elf, ".debug_rnglists.dwo", SHT_PROGBITS, 0, 0, "12345678", 8);
	if (index)
		tiny_elf_section(&elf, ".debug_cu_index", SHT_PROGBITS, 0, 0, index->bytes,
			index->byte_count);
	opened->bytes = tiny_elf_finish(&elf, &byte_count);
	CHECK_EQ(image_open_memory(opened->bytes, byte_count, true, &opened->image), 0);
	CHECK_EQ(section_names_read(&opened->image, &opened->names), 0);
	opened->split = (struct dwarf_split){0};
	return dwarf_split_open(&opened->image, &opened->names, &scratch, &opened->split);
}

static void close_split(struct opened *opened)
{
	dwarf_split_done(&opened->split);
	section_names_done(&opened->names);
	image_done(&opened->image);
	free(opened->bytes);
}

static void each_unit_of_a_package_has_its_parts(uint32_t version)
{
	const struct dwarf_unit_head *head;
	struct tiny_dwarf index = {0};
	struct dwarf_parts parts;
	struct opened opened;

	put_index(&index, version);
	CHECK_EQ(open_split(&index, &opened), 0);
	head = dwarf_split_find(&opened.split, SECOND_ID, &parts);
	CHECK(head && head->offset == UNIT_BYTES);
	CHECK_EQ(parts.abbrev.byte_count, 4);
	CHECK_EQ(memcmp(parts.abbrev.bytes, "efgh", 4), 0);
	CHECK_EQ(memcmp(parts.str_offsets.bytes, "EFGH", 4), 0);
	/* Before version 5 the number of that column means macros. */
	CHECK_EQ(parts.rnglists.bytes != NULL, version == 5);
	head = dwarf_split_find(&opened.split, FIRST_ID, &parts);
	CHECK(head && head->offset == 0);
	CHECK(!dwarf_split_find(&opened.split, 0x77, &parts));
	CHECK(!dwarf_split_find(&opened.split, 1, &parts));
	close_split(&opened);
}

static void packages_of_both_versions_are_read(void)
{
	each_unit_of_a_package_has_its_parts(2);
	each_unit_of_a_package_has_its_parts(5);
}

static void an_index_that_contradicts_itself_is_refused(void)
{
	/* Version, columns, rows, slots: each one wrong. */
	static const struct {
		size_t offset;
		uint8_t value;
	} wrongs[] = {{0, 3}, {4, 200}, {8, 200}, {12, 5}, {13, 200}};
	struct opened opened;

	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct tiny_dwarf index = {0};

		put_index(&index, 5);
		index.bytes[wrongs[i].offset] = wrongs[i].value;
		CHECK_EQ(open_split(&index, &opened), -EBADMSG);
		close_split(&opened);
	}
}

static void parts_that_lie_outside_are_none(void)
{
	struct tiny_dwarf index = {0};
	struct dwarf_parts parts;
	struct opened opened;

	put_index(&index, 5);
	/* A full table in which an id is not: the search ends. */
	for (size_t slot = 0; slot < 4; slot++)
		index.bytes[48 + 4 * slot] = 9;
	CHECK_EQ(open_split(&index, &opened), 0);
	CHECK(!dwarf_split_find(&opened.split, 0x77, &parts));
	/* A row that there is not. */
	CHECK(!dwarf_split_find(&opened.split, FIRST_ID, &parts));
	close_split(&opened);
	index = (struct tiny_dwarf){0};
	put_index(&index, 5);
	/* The first row's abbreviations reach beyond their section. */
	index.bytes[64 + 16 + 32 + 4] = 200;
	CHECK_EQ(open_split(&index, &opened), 0);
	CHECK(!dwarf_split_find(&opened.split, FIRST_ID, &parts));
	CHECK(dwarf_split_find(&opened.split, SECOND_ID, &parts));
	close_split(&opened);
}

static void without_an_index_units_are_known_by_their_ids(void)
{
	const struct dwarf_unit_head *head;
	struct dwarf_parts parts;
	struct opened opened;

	CHECK_EQ(open_split(NULL, &opened), 0);
	head = dwarf_split_find(&opened.split, SECOND_ID, &parts);
	CHECK(head && head->offset == UNIT_BYTES);
	CHECK_EQ(parts.abbrev.byte_count, 8);
	CHECK(!dwarf_split_find(&opened.split, 0x77, &parts));
	close_split(&opened);
}

int main(void)
{
	RUN(packages_of_both_versions_are_read);
	RUN(an_index_that_contradicts_itself_is_refused);
	RUN(parts_that_lie_outside_are_none);
	RUN(without_an_index_units_are_known_by_their_ids);
	return 0;
}
