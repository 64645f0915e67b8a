/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/go_names.h"

#include <elf.h>
#include <errno.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"

#define CODE_START 0x1000
#define CODE_BYTES 0x1000
#define NAMES "main.main\0main.(*T).Run\0runtime.goexit"

static struct string_table strings;

struct made {
	uint32_t magic;
	unsigned word_bytes;
	uint64_t code_start; /* as the table says */
	const char *section;
};

static void write_word(struct bytes_writer *writer, unsigned byte_count, uint64_t value)
{
	if (byte_count == 8)
		bytes_write_u64(writer, value);
	else
		bytes_write_u32(writer, (uint32_t)value);
}

static const struct {
	uint64_t pc; /* from the start of the code */
	uint32_t name;
} functions[] = {{0x10, 0}, {0x40, 10}, {0x80, 24}};

/* Pairs of pc and record, the end of the code, and the records. */
static void write_functions(struct bytes_writer *writer, unsigned field_bytes, uint64_t base,
	uint64_t first_record, uint32_t name_offset)
{
	for (int i = 0; i < 3; i++) {
		write_word(writer, field_bytes, base + functions[i].pc);
		write_word(writer, field_bytes, first_record + (uint64_t)i * 16);
	}
	write_word(writer, field_bytes, base + 0xc0);
	while (writer->byte_count % 16)
		bytes_write_u8(writer, 0);
	for (int i = 0; i < 3; i++) {
		write_word(writer, field_bytes, base + functions[i].pc);
		bytes_write_u32(writer, name_offset + functions[i].name);
		while (writer->byte_count % 16)
			bytes_write_u8(writer, 0);
	}
}

static void write_table(struct bytes_writer *writer, const struct made *made)
{
	unsigned word = made->word_bytes;
	bool is_old = made->magic == 0xfffffffb, is_new = made->magic < 0xfffffffa;
	unsigned field = is_new ? 4 : word;
	uint64_t base = is_new ? 0 : CODE_START;
	/* The parts stand at round places, so that records are easy to find. */
	uint64_t names_at = 0x100, functions_at = 0x200;
	uint64_t pairs_bytes = (7 * (uint64_t)field + 15) / 16 * 16;

	bytes_write_u32(writer, made->magic);
	bytes_write_u16(writer, 0);
	bytes_write_u8(writer, 1);
	bytes_write_u8(writer, (uint8_t)word);
	write_word(writer, word, 3);
	if (is_old) {
		uint64_t first = (8 + word + 7 * (uint64_t)field + 15) / 16 * 16;

		write_functions(writer, field, base, first, (uint32_t)names_at);
	} else {
		write_word(writer, word, 1);
		if (is_new)
			write_word(writer, word, made->code_start);
		write_word(writer, word, names_at);
		write_word(writer, word, 0);
		write_word(writer, word, 0);
		write_word(writer, word, 0);
		write_word(writer, word, functions_at);
	}
	while (writer->byte_count < names_at)
		bytes_write_u8(writer, 0);
	bytes_write_span(writer, NAMES, sizeof(NAMES));
	while (writer->byte_count < functions_at)
		bytes_write_u8(writer, 0);
	if (!is_old)
		write_functions(writer, field, base, pairs_bytes, 0);
}

static int read_file(const uint8_t *bytes, size_t byte_count, struct function_list *ret_list)
{
	struct section_names names = {0};
	struct code_ranges code;
	struct image image;
	int r;

	CHECK_EQ(image_open_memory(bytes, byte_count, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	CHECK_EQ(code_ranges_read(&image, &code), 0);
	r = go_names_read(&image, &names, &code, &strings, ret_list);
	code_ranges_done(&code);
	section_names_done(&names);
	image_done(&image);
	return r;
}

/* The first CUT bytes of the table as a file. */
static int read_made(const struct made *made, size_t cut, struct function_list *ret_list)
{
	SCOPED_FREE uint8_t *file = NULL;
	struct bytes_writer writer;
	struct tiny_elf elf;
	size_t byte_count;
	int r;

	bytes_writer_init(&writer, 4096);
	write_table(&writer, made);
	CHECK_EQ(bytes_writer_fault(&writer), 0);
	tiny_elf_init(&elf);
	tiny_elf_section(
		&elf, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_START, NULL, CODE_BYTES);
	tiny_elf_section(&elf, made->section, SHT_PROGBITS, SHF_ALLOC, 0x8000, writer.bytes,
		cut < writer.byte_count ? cut : writer.byte_count);
	file = tiny_elf_finish(&elf, &byte_count);
	r = read_file(file, byte_count, ret_list);
	bytes_writer_done(&writer);
	return r;
}

static const char *name_at(const struct function_list *list, uint64_t address)
{
	const struct function *found = function_list_find(list, address);

	return found ? string_table_text(&strings, found->name) : "-";
}

static const struct made layouts[] = {
	{0xfffffffb, 8, 0, ".gopclntab"},
	{0xfffffffb, 4, 0, ".gopclntab"},
	{0xfffffffa, 8, 0, ".gopclntab"},
	{0xfffffff0, 8, CODE_START, ".gopclntab"},
	{0xfffffff1, 8, CODE_START, ".gopclntab"},
	{0xfffffff1, 4, CODE_START, ".gopclntab"},
	/* The loader fills in the start. */
	{0xfffffff1, 8, 0, ".data.rel.ro.gopclntab"},
};

#define LAYOUT_COUNT (sizeof(layouts) / sizeof(layouts[0]))

static void functions_of_every_layout_are_found(void)
{
	for (size_t i = 0; i < LAYOUT_COUNT; i++) {
		struct function_list list;

		CHECK_EQ(read_made(&layouts[i], SIZE_MAX, &list), 0);
		CHECK_EQ(list.count, 3);
		CHECK_STR(name_at(&list, CODE_START + 0xf), "-");
		CHECK_STR(name_at(&list, CODE_START + 0x10), "main.main");
		CHECK_STR(name_at(&list, CODE_START + 0x3f), "main.main");
		CHECK_STR(name_at(&list, CODE_START + 0x40), "main.(*T).Run");
		CHECK_STR(name_at(&list, CODE_START + 0xbf), "runtime.goexit");
		CHECK_STR(name_at(&list, CODE_START + 0xc0), "-");
		function_list_done(&list);
	}
}

static void a_table_that_ends_early_is_refused_or_gives_less(void)
{
	for (size_t i = 0; i < LAYOUT_COUNT; i++) {
		for (size_t cut = 1; cut < 0x240; cut++) {
			struct function_list list = {.count = 77};
			int r = read_made(&layouts[i], cut, &list);

			if (r < 0) {
				CHECK_EQ(r, -EBADMSG);
				CHECK_EQ(list.count, 77);
				continue;
			}
			CHECK(list.count <= 3);
			function_list_done(&list);
		}
	}
}

static void what_is_not_known_is_not_guessed(void)
{
	static const struct made unknown = {0xffffffe0, 8, CODE_START, ".gopclntab"},
				 odd = {0xfffffff1, 3, CODE_START, ".gopclntab"},
				 elsewhere = {0xfffffff1, 8, CODE_START, ".other"},
				 far_away = {0xfffffff1, 8, 0x100000, ".gopclntab"};
	struct function_list list;

	CHECK_EQ(read_made(&unknown, SIZE_MAX, &list), -ENOTSUP);
	CHECK_EQ(read_made(&odd, SIZE_MAX, &list), -EBADMSG);
	CHECK_EQ(read_made(&elsewhere, SIZE_MAX, &list), -ENOENT);
	/* Not where code lies. */
	CHECK_EQ(read_made(&far_away, SIZE_MAX, &list), 0);
	CHECK_EQ(list.count, 0);
	function_list_done(&list);
}

int main(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	RUN(functions_of_every_layout_are_found);
	RUN(a_table_that_ends_early_is_refused_or_gives_less);
	RUN(what_is_not_known_is_not_guessed);
	string_table_done(&strings);
	return 0;
}
