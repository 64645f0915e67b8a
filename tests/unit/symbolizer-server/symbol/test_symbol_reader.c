/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_reader.h"

#include <errno.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/sandbox/index_writer.h"
#include "symbolizer-server/symbol/symbol_warm.h"
#include "tests/support/check.h"
#include "tests/support/made_code.h"
#include "tests/support/stored_index.h"
#include "tests/support/whole_index.h"
#include "tests/support/work_dir.h"

#define FUNCTION_COUNT 100000

static struct symbol_cache *cache;
static struct symbol_warm *warm;

static struct build_id id_of(uint32_t n)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, sizeof(n), &id), 0);
	return id;
}

/* An index of COUNT functions of 16 bytes, one each 32 bytes, named PREFIX + number. */
static struct symbol_segments segments; /* of the next one */

static struct whole_index make_index(const char *prefix, uint32_t count)
{
	struct function_list list = {0};
	struct string_table names;
	struct index_content content = {.functions = &list,
		.segments = &segments,
		.strings = &names,
		.quality = SYMBOL_QUALITY_TABLE};
	struct whole_index index;
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(string_table_init(&names), 0);
	for (uint32_t i = 0; i < count; i++) {
		char text[64];
		uint32_t name;

		snprintf(text, sizeof(text), "%s%u", prefix, i);
		CHECK_EQ(string_table_add(&names, text, strlen(text), &name), 0);
		CHECK_EQ(function_list_add(&list, UINT64_C(32) * i, UINT64_C(32) * i + 16, name, 0),
			0);
	}
	CHECK_EQ(function_list_resolve(&list), 0);
	CHECK_EQ(index_write(&content, (size_t)64 << 20, &bytes, &byte_count), 0);
	whole_index_adopt(&index, bytes, byte_count);
	function_list_done(&list);
	string_table_done(&names);
	return index;
}

static void store(uint32_t n, struct whole_index *index)
{
	struct build_id id = id_of(n);

	stored_index_put(cache, &id, index);
}

static int damaged_count;

static void count_damage(void *context, const struct build_id *id)
{
	(void)context;
	(void)id;
	damaged_count++;
}

static void open_reader(uint32_t n, int expected, struct symbol_reader **ret_reader)
{
	struct build_id id = id_of(n);

	CHECK_EQ(symbol_reader_new(warm, &id, count_damage, NULL, ret_reader), expected);
}

static void every_function_is_found_and_its_name_stays(void)
{
	struct whole_index index = make_index("a_function_", FUNCTION_COUNT);
	struct symbol_reader *reader;
	struct symbol first, symbol;
	char text[64];

	store(1, &index);
	open_reader(1, 0, &reader);
	CHECK_EQ(symbol_reader_header(reader)->function_count, FUNCTION_COUNT);
	CHECK_EQ(symbol_reader_find(reader, 5, &first), 0);
	for (uint32_t i = 0; i < FUNCTION_COUNT; i += 13) {
		snprintf(text, sizeof(text), "a_function_%u", i);
		CHECK_EQ(symbol_reader_find(reader, UINT64_C(32) * i + 15, &symbol), 0);
		CHECK_STR(symbol.name, text);
		CHECK_EQ(symbol.start, UINT64_C(32) * i);
		CHECK_EQ(symbol.end, UINT64_C(32) * i + 16);
		CHECK_EQ(symbol_reader_find(reader, UINT64_C(32) * i + 16, &symbol), -ENOENT);
	}
	CHECK_EQ(symbol_reader_find(reader, UINT64_MAX, &symbol), -ENOENT);
	CHECK_STR(first.name, "a_function_0");
	symbol_reader_free(reader);
	whole_index_done(&index);
}

static void what_is_not_there_is_told(void)
{
	struct symbol_reader *reader = NULL;

	open_reader(99, -ENOENT, &reader);
	CHECK(!reader);
	symbol_reader_free(NULL);
}

static void a_newer_index_is_taken_up_in_the_middle(void)
{
	struct whole_index old = make_index("old_", FUNCTION_COUNT);
	struct whole_index new = make_index("new_", 10);
	struct symbol_reader *reader;
	struct symbol before, after;

	store(2, &old);
	open_reader(2, 0, &reader);
	CHECK_EQ(symbol_reader_find(reader, 0, &before), 0);
	store(2, &new);
	/* What was read already is still the old one; what was not comes from the new one. */
	CHECK_EQ(symbol_reader_find(reader, UINT64_C(32) * (FUNCTION_COUNT - 1), &after), -ENOENT);
	CHECK_EQ(symbol_reader_find(reader, 32, &after), 0);
	CHECK_STR(after.name, "new_1");
	CHECK_STR(before.name, "old_0");
	symbol_reader_free(reader);
	CHECK_EQ(damaged_count, 0);
	whole_index_done(&old);
	whole_index_done(&new);
}

static void an_index_that_breaks_its_rules_is_dropped(void)
{
	struct whole_index index = make_index("x", 10);
	struct symbol_reader *reader = NULL;
	struct symbol symbol;
	uint8_t *names = index.bytes + index.header.total_bytes - 40;

	/* The cache's checksum is over what it was given, so it does not see this. */
	memset(names, 0xff, 40);
	store(3, &index);
	open_reader(3, 0, &reader);
	CHECK_EQ(symbol_reader_find(reader, 0, &symbol), -EUCLEAN);
	CHECK_EQ(damaged_count, 1);
	symbol_reader_free(reader);
	open_reader(3, -ENOENT, &reader);
	index.bytes[0] = 'X';
	store(3, &index);
	open_reader(3, -EUCLEAN, &reader);
	CHECK_EQ(damaged_count, 2);
	open_reader(3, -ENOENT, &reader);
	whole_index_done(&index);
}

/* The innermost call of the chain that holds ADDRESS in a resolved map; or none. */
static uint32_t call_at(const struct made_code *made, uint64_t address)
{
	for (uint32_t i = 0; i < made->map.range_count; i++) {
		const struct code_range *range = &made->map.ranges[i];

		if (range->start <= address && address < range->end)
			return range->call;
	}
	return CODE_CALL_NONE;
}

static struct code_line row_at(const struct made_code *made, uint64_t address)
{
	struct code_line row = {0};

	for (uint32_t i = 0; i < made->map.line_count && made->map.lines[i].address <= address; i++)
		row = made->map.lines[i];
	return row;
}

static void check_call(const struct made_code *made, const struct symbol_call *call,
	const char *name, uint32_t file, uint32_t line)
{
	CHECK_STR(call->name, name);
	CHECK_EQ(call->line, line);
	if (file == CODE_FILE_NONE)
		CHECK(!call->file);
	else
		CHECK_STR(call->file, string_table_text(&made->strings, file));
}

static void check_chain(
	struct symbol_reader *reader, const struct made_code *made, uint64_t address)
{
	struct code_line row = row_at(made, address);
	uint32_t call = call_at(made, address), depth = 0;
	struct symbol_chain chain;
	char name[32];

	CHECK_EQ(symbol_reader_chain(reader, address, &chain), 0);
	for (; call != CODE_CALL_NONE; call = made->map.calls[call].parent) {
		const struct code_call *from = &made->map.calls[call];

		CHECK(depth < chain.count);
		check_call(made, &chain.calls[depth++],
			string_table_text(&made->strings, from->name), row.file, row.line);
		row.file = from->call_file;
		row.line = from->call_line;
	}
	CHECK_EQ(depth + 1, chain.count);
	snprintf(name, sizeof(name), "function_%d",
		(int)((address - MADE_CODE_START) / MADE_FUNCTION_BYTES));
	check_call(made, &chain.calls[depth], name, row.file, row.line);
	CHECK(chain.start <= chain.line_start && chain.line_start <= address);
	CHECK(address < chain.line_end && chain.line_end <= chain.end);
	/* What is said of the span holds at both of its ends, and no further. */
	CHECK_EQ(row_at(made, chain.line_start).line, row_at(made, chain.line_end - 1).line);
	CHECK_EQ(call_at(made, chain.start), call_at(made, chain.end - 1));
}

static void every_address_has_its_chain_each_time_it_is_asked_for(void)
{
	struct made_code made;
	struct whole_index index;
	struct symbol_reader *reader;
	struct symbol_chain chain;
	size_t byte_count;
	uint8_t *bytes;

	made_code_init(&made, 60, false);
	bytes = made_code_index(&made, &byte_count);
	whole_index_adopt(&index, bytes, byte_count);
	store(4, &index);
	open_reader(4, 0, &reader);
	/* Looked up, kept, found again. */
	for (int round = 0; round < 3; round++) {
		for (uint64_t at = 0; at < 60 * MADE_FUNCTION_BYTES; at += 3) {
			if (at % MADE_FUNCTION_BYTES < MADE_FUNCTION_BYTES - 16)
				check_chain(reader, &made, MADE_CODE_START + at);
			else
				CHECK_EQ(symbol_reader_chain(reader, MADE_CODE_START + at, &chain),
					-ENOENT);
		}
	}
	symbol_reader_free(reader);
	whole_index_done(&index);
	made_code_done(&made);
}

/* As most modules are: named by a table of symbols. */
static void without_debug_information_a_chain_is_one_function(void)
{
	struct whole_index index = make_index("plain_", 10);
	struct symbol_reader *reader;
	struct symbol_chain chain;

	store(5, &index);
	open_reader(5, 0, &reader);
	CHECK_EQ(symbol_reader_chain(reader, 32 + 5, &chain), 0);
	CHECK_EQ(chain.count, 1);
	CHECK_STR(chain.calls[0].name, "plain_1");
	CHECK(!chain.calls[0].file);
	CHECK_EQ(chain.start, 32);
	CHECK_EQ(chain.end, 48);
	CHECK_EQ(chain.line_start, 32);
	CHECK_EQ(chain.line_end, 48);
	CHECK_EQ(symbol_reader_chain(reader, 32 + 16, &chain), -ENOENT);
	symbol_reader_free(reader);
	whole_index_done(&index);
}

static void places_in_the_file_have_addresses_where_the_index_tells(void)
{
	struct symbol_reader *reader;
	struct whole_index index;
	uint64_t address;

	segments.segments[0] = (struct symbol_segment){0x1000, 0x400000, 0x20};
	segments.count = 1;
	index = make_index("f", 1);
	segments.count = 0;
	store(7, &index);
	open_reader(7, 0, &reader);
	CHECK_EQ(symbol_reader_address(reader, 0x101f, &address), 0);
	CHECK_EQ(address, 0x40001f);
	CHECK_EQ(symbol_reader_address(reader, 0x1020, &address), -ENOENT);
	CHECK_EQ(symbol_reader_address(reader, 0xfff, &address), -ENOENT);
	symbol_reader_free(reader);
	whole_index_done(&index);
	index = make_index("f", 1);
	store(8, &index);
	open_reader(8, 0, &reader);
	CHECK_EQ(symbol_reader_address(reader, 0x1000, &address), -ENOENT);
	symbol_reader_free(reader);
	whole_index_done(&index);
}

int main(void)
{
	struct symbol_cache_options options = {.bytes_max = (uint64_t)64 << 20};

	options.clock = clock_system();
	options.folder = work_dir();
	CHECK_EQ(symbol_cache_new(&options, &cache), 0);
	CHECK_EQ(symbol_warm_new(cache, (uint64_t)64 << 20, &warm), 0);
	RUN(every_function_is_found_and_its_name_stays);
	RUN(what_is_not_there_is_told);
	RUN(a_newer_index_is_taken_up_in_the_middle);
	RUN(an_index_that_breaks_its_rules_is_dropped);
	RUN(every_address_has_its_chain_each_time_it_is_asked_for);
	RUN(without_debug_information_a_chain_is_one_function);
	RUN(places_in_the_file_have_addresses_where_the_index_tells);
	symbol_warm_free(warm);
	symbol_cache_free(cache);
	return 0;
}
