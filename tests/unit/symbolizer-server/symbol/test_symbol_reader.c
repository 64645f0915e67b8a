/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_reader.h"

#include <errno.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/sandbox/index_writer.h"
#include "tests/support/check.h"
#include "tests/support/whole_index.h"
#include "tests/support/work_dir.h"

#define FUNCTION_COUNT 100000

static struct symbol_cache *cache;

static struct build_id id_of(uint32_t n)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, sizeof(n), &id), 0);
	return id;
}

/* An index of COUNT functions of 16 bytes, one each 32 bytes, named PREFIX + number. */
static struct whole_index make_index(const char *prefix, uint32_t count)
{
	struct function_list list = {0};
	struct string_table names;
	struct index_content content = {
		.functions = &list, .strings = &names, .quality = SYMBOL_QUALITY_TABLE};
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

static int read_chunk(void *context, uint32_t chunk, uint8_t *ret_bytes, uint32_t *ret_byte_count)
{
	const struct whole_index *index = context;
	struct symbol_index_entry entry = {.byte_count = index->header.byte_count};
	const uint8_t *bytes =
		chunk == 0 ? index->bytes : whole_index_chunk(index, chunk - 1, &entry);

	memcpy(ret_bytes, bytes, entry.byte_count);
	*ret_byte_count = entry.byte_count;
	return 0;
}

static void store(uint32_t n, struct whole_index *index)
{
	struct symbol_cache_index stored = {
		.id = id_of(n),
		.quality = SYMBOL_QUALITY_TABLE,
		.parser_version = SYMBOL_INDEX_PARSER_VERSION,
		.chunk_count = index->header.chunk_count + 1,
		.byte_count = index->header.total_bytes,
		.read = read_chunk,
		.context = index,
	};

	CHECK_EQ(symbol_cache_store(cache, &stored), 0);
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

	CHECK_EQ(symbol_reader_new(cache, &id, count_damage, NULL, ret_reader), expected);
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

int main(void)
{
	struct symbol_cache_options options = {.bytes_max = (uint64_t)64 << 20};

	options.clock = clock_system();
	options.folder = work_dir();
	CHECK_EQ(symbol_cache_new(&options, &cache), 0);
	RUN(every_function_is_found_and_its_name_stays);
	RUN(what_is_not_there_is_told);
	RUN(a_newer_index_is_taken_up_in_the_middle);
	RUN(an_index_that_breaks_its_rules_is_dropped);
	symbol_cache_free(cache);
	return 0;
}
