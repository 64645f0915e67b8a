/* SPDX-License-Identifier: Apache-2.0 */
/* One section after the other is encoded into a scratch buffer; its place and length are known
 * then, and go into the table in front. */
#include <string.h>

#include "symbolizer-server/query/flame.h"

enum section_id {
	SECTION_CHILD_COUNT = 1,
	SECTION_TOTAL = 2,
	SECTION_NAME = 3,
	SECTION_NAME_LENGTH = 4,
	SECTION_NAME_TEXT = 5,
	SECTION_NAME_MODULE = 6,
	SECTION_NAME_KIND = 7,
	SECTION_MODULE_LENGTH = 8,
	SECTION_MODULE_TEXT = 9,
	SECTION_TRIMMED = 10,
	SECTION_INLINED = 20,
	SECTION_NAME_FILE = 21,
	SECTION_NAME_LINE = 22,
	SECTION_FILE_LENGTH = 23,
	SECTION_FILE_TEXT = 24,
};

#define SECTION_COUNT 15
#define HEADER_BYTES 72
#define SECTION_ENTRY_BYTES 24

/* Of multiples the first number is what all others, which follow divided by it, are multiples of. */
enum encoding { ENCODING_RAW = 0, ENCODING_VARINTS = 1, ENCODING_MULTIPLES = 2 };

static const struct function *function_of(const struct flame *flame, uint32_t name)
{
	return &flame->tree->functions->functions[flame->functions[name]];
}

static void write_child_counts(const struct flame *flame, struct bytes_writer *writer)
{
	for (uint32_t i = 0; i < flame->tree->count; i++)
		bytes_write_varint(writer, flame->tree->nodes[i].child_count);
}

static uint64_t total_of(const struct flame *flame, uint32_t node)
{
	return (uint64_t)flame->tree->nodes[node].total >> flame->scale;
}

/* The largest number that divides all totals; 1 if all are 0. */
static uint64_t find_divisor(const struct flame *flame)
{
	uint64_t divisor = total_of(flame, 0);

	for (uint32_t i = 1; i < flame->tree->count && divisor != 1; i++) {
		uint64_t other = total_of(flame, i);

		while (other != 0) {
			uint64_t rest = divisor % other;

			divisor = other;
			other = rest;
		}
	}
	return divisor == 0 ? 1 : divisor;
}

/* Mostly all are so many samples of one period: some bytes less for each. */
static void write_totals(const struct flame *flame, struct bytes_writer *writer)
{
	uint64_t divisor = find_divisor(flame);

	bytes_write_varint(writer, divisor);
	for (uint32_t i = 0; i < flame->tree->count; i++)
		bytes_write_varint(writer, total_of(flame, i) / divisor);
}

static void write_names(const struct flame *flame, struct bytes_writer *writer)
{
	for (uint32_t i = 0; i < flame->tree->count; i++)
		bytes_write_varint(writer, flame->names[flame->tree->nodes[i].function]);
}

static void write_name_lengths(const struct flame *flame, struct bytes_writer *writer)
{
	for (uint32_t i = 0; i < flame->name_count; i++)
		bytes_write_varint(writer,
			function_table_name_length(flame->tree->functions, flame->functions[i]));
}

static void write_name_texts(const struct flame *flame, struct bytes_writer *writer)
{
	for (uint32_t i = 0; i < flame->name_count; i++) {
		bytes_write_span(writer,
			function_table_name(flame->tree->functions, flame->functions[i]),
			function_table_name_length(flame->tree->functions, flame->functions[i]));
	}
}

static void write_name_modules(const struct flame *flame, struct bytes_writer *writer)
{
	for (uint32_t i = 0; i < flame->name_count; i++)
		bytes_write_varint(writer, flame->modules.numbers[function_of(flame, i)->module]);
}

static void write_name_kinds(const struct flame *flame, struct bytes_writer *writer)
{
	for (uint32_t i = 0; i < flame->name_count; i++)
		bytes_write_u8(writer, function_of(flame, i)->kind);
}

static void write_lengths(
	const struct flame *flame, const struct flame_texts *texts, struct bytes_writer *writer)
{
	for (uint32_t i = 0; i < texts->count; i++)
		bytes_write_varint(writer,
			string_table_length(&flame->tree->functions->strings, texts->strings[i]));
}

static void write_texts(
	const struct flame *flame, const struct flame_texts *texts, struct bytes_writer *writer)
{
	const struct string_table *strings = &flame->tree->functions->strings;

	for (uint32_t i = 0; i < texts->count; i++)
		bytes_write_span(writer, string_table_text(strings, texts->strings[i]),
			string_table_length(strings, texts->strings[i]));
}

static void write_module_lengths(const struct flame *flame, struct bytes_writer *writer)
{
	write_lengths(flame, &flame->modules, writer);
}

static void write_module_texts(const struct flame *flame, struct bytes_writer *writer)
{
	write_texts(flame, &flame->modules, writer);
}

static void write_name_files(const struct flame *flame, struct bytes_writer *writer)
{
	for (uint32_t i = 0; i < flame->name_count; i++)
		bytes_write_varint(writer, flame->files.numbers[function_of(flame, i)->file]);
}

static void write_name_lines(const struct flame *flame, struct bytes_writer *writer)
{
	for (uint32_t i = 0; i < flame->name_count; i++)
		bytes_write_varint(writer, function_of(flame, i)->line);
}

static void write_file_lengths(const struct flame *flame, struct bytes_writer *writer)
{
	write_lengths(flame, &flame->files, writer);
}

static void write_file_texts(const struct flame *flame, struct bytes_writer *writer)
{
	write_texts(flame, &flame->files, writer);
}

static void write_inlined(const struct flame *flame, struct bytes_writer *writer)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < flame->tree->count; i++) {
		if (!flame->tree->nodes[i].inlined)
			continue;
		bytes_write_varint(writer, i - last);
		last = i;
	}
}

static void write_trimmed(const struct flame *flame, struct bytes_writer *writer)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < flame->tree->count; i++) {
		if (flame->tree->nodes[i].small_count == 0)
			continue;
		bytes_write_varint(writer, i - last);
		bytes_write_varint(writer, flame->tree->nodes[i].small_count);
		last = i;
	}
}

static const struct section {
	enum section_id id;
	enum encoding encoding;
	void (*write)(const struct flame *flame, struct bytes_writer *writer);
} sections[SECTION_COUNT] = {
	{SECTION_CHILD_COUNT, ENCODING_VARINTS, write_child_counts},
	{SECTION_TOTAL, ENCODING_MULTIPLES, write_totals},
	{SECTION_NAME, ENCODING_VARINTS, write_names},
	{SECTION_NAME_LENGTH, ENCODING_VARINTS, write_name_lengths},
	{SECTION_NAME_TEXT, ENCODING_RAW, write_name_texts},
	{SECTION_NAME_MODULE, ENCODING_VARINTS, write_name_modules},
	{SECTION_NAME_KIND, ENCODING_RAW, write_name_kinds},
	{SECTION_MODULE_LENGTH, ENCODING_VARINTS, write_module_lengths},
	{SECTION_MODULE_TEXT, ENCODING_RAW, write_module_texts},
	{SECTION_TRIMMED, ENCODING_VARINTS, write_trimmed},
	{SECTION_INLINED, ENCODING_VARINTS, write_inlined},
	{SECTION_NAME_FILE, ENCODING_VARINTS, write_name_files},
	{SECTION_NAME_LINE, ENCODING_VARINTS, write_name_lines},
	{SECTION_FILE_LENGTH, ENCODING_VARINTS, write_file_lengths},
	{SECTION_FILE_TEXT, ENCODING_RAW, write_file_texts},
};

static void write_header(const struct flame *flame, struct bytes_writer *writer)
{
	bytes_write_span(writer, "CRNF", 4);
	bytes_write_u16(writer, FLAME_VERSION);
	bytes_write_u16(writer, flame_flags(flame));
	bytes_write_u32(writer, flame->about.unit);
	bytes_write_u32(writer, flame->scale);
	bytes_write_u32(writer, flame->tree->count);
	bytes_write_u32(writer, flame->name_count);
	bytes_write_u64(writer, (uint64_t)flame->about.period);
	bytes_write_u64(writer, flame->about.sample_count);
	bytes_write_u64(writer, flame->about.range.from_ns);
	bytes_write_u64(writer, flame->about.range.until_ns);
	bytes_write_u64(writer, (uint64_t)flame->tree->nodes[0].total >> flame->scale);
	bytes_write_u32(writer, SECTION_COUNT);
	bytes_write_u32(writer, 0);
}

int flame_write_columns(const struct flame *flame, struct bytes_writer *writer)
{
	struct bytes_writer body;
	uint64_t offset = HEADER_BYTES + SECTION_COUNT * SECTION_ENTRY_BYTES;
	int r;

	bytes_writer_init(&body, writer->bytes_max);
	write_header(flame, writer);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		size_t before = body.byte_count;

		sections[i].write(flame, &body);
		bytes_write_u32(writer, sections[i].id);
		bytes_write_u32(writer, sections[i].encoding);
		bytes_write_u64(writer, offset + before);
		bytes_write_u64(writer, body.byte_count - before);
	}
	bytes_write_span(writer, body.bytes, body.byte_count);
	r = bytes_writer_fault(&body);
	bytes_writer_done(&body);
	return r < 0 ? r : bytes_writer_fault(writer);
}
