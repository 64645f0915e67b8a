/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/go_table.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"

/* A table of Go 1.20 with one function, its name at 0x60 and its record at 0x90. */
static void make_table(uint8_t bytes[0xa0])
{
	const uint8_t magic[] = {0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8};
	const uint64_t words[] = {1, 1, 0x1000, 0x60, 0, 0, 0, 0x80};
	const uint32_t pairs[] = {0x10, 0x10, 0x20, 0};

	memset(bytes, 0, 0xa0);
	memcpy(bytes, magic, sizeof(magic));
	memcpy(bytes + 8, words, sizeof(words));
	memcpy(bytes + 0x60, "main.main", 10);
	memcpy(bytes + 0x80, pairs, sizeof(pairs));
}

static int open_made(const uint8_t *bytes, size_t byte_count, struct image *image,
	struct section_names *names, uint8_t **ret_file, struct go_table *ret_table)
{
	struct tiny_elf elf;
	size_t file_bytes;

	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, 0x8000, bytes, byte_count);
	*ret_file = tiny_elf_finish(&elf, &file_bytes);
	CHECK_EQ(image_open_memory(*ret_file, file_bytes, true, image), 0);
	CHECK_EQ(section_names_read(image, names), 0);
	return go_table_open(image, names, ret_table);
}

static void functions_and_texts_are_read_within_the_table(void)
{
	SCOPED_FREE uint8_t *file = NULL;
	struct section_names names = {0};
	uint8_t bytes[0xa0];
	struct go_table table;
	struct image image;
	uint64_t pc, record, number;
	size_t length;

	make_table(bytes);
	CHECK_EQ(open_made(bytes, sizeof(bytes), &image, &names, &file, &table), 0);
	CHECK_EQ(table.layout, GO_LAYOUT_1_20);
	CHECK_EQ(table.address, 0x8000);
	CHECK(go_table_entry(&table, 0, &pc, &record));
	CHECK_EQ(pc, 0x1010);
	CHECK_EQ(record, 0x10);
	CHECK_STR(go_table_name(&table, record, &length), "main.main");
	CHECK_EQ(length, 9);
	CHECK(go_table_entry(&table, 1, &pc, &record));
	CHECK_EQ(pc, 0x1020);
	CHECK(!go_table_number(&table, sizeof(bytes) - 3, 4, &number));
	CHECK(!go_table_number(&table, UINT64_MAX, 8, &number));
	CHECK(!go_table_text(&table, sizeof(bytes) + 1, 0, &length));
	CHECK(!go_table_text(&table, 0x60, sizeof(bytes), &length));
	CHECK(!go_table_name(&table, UINT64_MAX - 2, &length));
	go_table_done(&table);
	section_names_done(&names);
	image_done(&image);
}

static void what_is_no_table_is_refused(void)
{
	static const struct {
		size_t at;
		uint8_t value;
		int error;
	} faults[] = {{0, 0xf2, -ENOTSUP}, {4, 1, -EBADMSG}, {7, 3, -EBADMSG}, {15, 1, -EBADMSG}};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		SCOPED_FREE uint8_t *file = NULL;
		struct section_names names = {0};
		struct go_table table;
		struct image image;
		uint8_t bytes[0xa0];

		make_table(bytes);
		bytes[faults[i].at] = faults[i].value;
		CHECK_EQ(open_made(bytes, sizeof(bytes), &image, &names, &file, &table),
			faults[i].error);
		section_names_done(&names);
		image_done(&image);
	}
}

int main(void)
{
	RUN(functions_and_texts_are_read_within_the_table);
	RUN(what_is_no_table_is_refused);
	return 0;
}
