/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "symbolizer-server/query/flame.h"
#include "tests/support/check.h"
#include "tests/support/tree_fixture.h"

#define SECTION_COUNT 15

/* A reader over the section ID of a whole answer. */
static struct bytes_reader section(const struct bytes_writer *answer, uint32_t id)
{
	struct bytes_reader table, result = {0};

	bytes_reader_init(&table, answer->bytes + 72, SECTION_COUNT * 24);
	for (int i = 0; i < SECTION_COUNT; i++) {
		uint32_t section_id = bytes_read_u32(&table), encoding = bytes_read_u32(&table);
		uint64_t offset = bytes_read_u64(&table), length = bytes_read_u64(&table);

		CHECK(encoding <= 2);
		CHECK((encoding == 2) == (section_id == 2));
		CHECK(offset <= answer->byte_count && length <= answer->byte_count - offset);
		if (section_id == id)
			bytes_reader_init(&result, answer->bytes + offset, (size_t)length);
	}
	CHECK(result.at);
	return result;
}

static void holds(
	const struct bytes_writer *answer, uint32_t id, const uint64_t *numbers, size_t count)
{
	struct bytes_reader reader = section(answer, id);

	for (size_t i = 0; i < count; i++)
		CHECK_EQ(bytes_read_varint(&reader), numbers[i]);
	CHECK_EQ(bytes_left(&reader), 0);
	CHECK_EQ(bytes_reader_fault(&reader), 0);
}

static void holds_bytes(
	const struct bytes_writer *answer, uint32_t id, const char *text, size_t length)
{
	struct bytes_reader reader = section(answer, id);

	CHECK_EQ(bytes_left(&reader), length);
	CHECK(memcmp(reader.at, text, length) == 0);
}

static void check_header(const struct bytes_writer *answer)
{
	struct bytes_reader reader;

	bytes_reader_init(&reader, answer->bytes, 72);
	CHECK(memcmp(bytes_read_span(&reader, 4), "CRNF", 4) == 0);
	CHECK_EQ(bytes_read_u16(&reader), 1);
	CHECK_EQ(bytes_read_u16(&reader), FLAME_TRIMMED | FLAME_PARTIAL_SYMBOLS);
	CHECK_EQ(bytes_read_u32(&reader), FLAME_NANOSECONDS);
	CHECK_EQ(bytes_read_u32(&reader), 0);
	CHECK_EQ(bytes_read_u32(&reader), 5);
	CHECK_EQ(bytes_read_u32(&reader), 5);
	CHECK_EQ(bytes_read_u64(&reader), 10000000);
	CHECK_EQ(bytes_read_u64(&reader), 4);
	CHECK_EQ(bytes_read_u64(&reader), 111);
	CHECK_EQ(bytes_read_u64(&reader), 222);
	CHECK_EQ(bytes_read_u64(&reader), 20);
	CHECK_EQ(bytes_read_u32(&reader), SECTION_COUNT);
	CHECK_EQ(bytes_read_u32(&reader), 0);
}

static void header_and_columns_are_laid_out_as_documented(void)
{
	struct flame_about about = {.unit = FLAME_NANOSECONDS,
		.partial_symbols = true,
		.period = 10000000,
		.sample_count = 4,
		.range = {111, 222}};
	struct tree_fixture fixture;
	struct level_tree tree;
	struct bytes_writer answer;
	struct flame flame;

	tree_fixture_init(&fixture, "a;lib.so@0x10 12\nc 5\nd;e 2\nf 1\n");
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 5), 0);
	CHECK_EQ(flame_init(&flame, &tree, &about), 0);
	bytes_writer_init(&answer, 10000);
	CHECK_EQ(flame_write_columns(&flame, &answer), 0);
	check_header(&answer);
	holds(&answer, 1, (uint64_t[]){3, 1, 0, 0, 0}, 5);
	holds(&answer, 2, (uint64_t[]){1, 20, 12, 5, 3, 12}, 6);
	/* Each occurs once, so names stand as in the tree. */
	holds(&answer, 3, (uint64_t[]){0, 1, 2, 3, 4}, 5);
	holds(&answer, 4, (uint64_t[]){5, 1, 1, 9, 11}, 5);
	holds_bytes(&answer, 5, "totalac(3 small)lib.so+0x10", 27);
	holds(&answer, 6, (uint64_t[]){0, 0, 0, 0, 1}, 5);
	holds_bytes(&answer, 7, "\x09\x02\x02\x08\x00", 5);
	holds(&answer, 8, (uint64_t[]){6}, 1);
	holds_bytes(&answer, 9, "lib.so", 6);
	holds(&answer, 10, (uint64_t[]){3, 3}, 2);
	bytes_writer_done(&answer);
	bytes_writer_init(&answer, 370);
	CHECK_EQ(flame_write_columns(&flame, &answer), -EFBIG);
	bytes_writer_done(&answer);
	flame_done(&flame);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static int ask_two(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	(void)context;
	(void)id;
	*ret_chain = (struct symbol_chain){.end = UINT64_MAX, .line_end = UINT64_MAX, .count = 2};
	ret_chain->calls[0] = (struct symbol_call){"inner", "/in.h", (uint32_t)address};
	ret_chain->calls[1] = (struct symbol_call){"outer", "/out.c", 8};
	return 0;
}

static void inlined_nodes_files_and_lines_have_columns_of_their_own(void)
{
	struct flame_about about = {.unit = FLAME_NANOSECONDS};
	struct tree_fixture fixture;
	struct level_tree tree;
	struct bytes_writer answer;
	struct flame flame;

	tree_fixture_begin(&fixture);
	tree_fixture_add(&fixture, "f 9\nlib.so@0x10 4\n");
	tree_fixture_end_by(&fixture, ask_two, &(struct naming_options){.group = NAMING_BY_LINE});
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 100), 0);
	CHECK_EQ(flame_init(&flame, &tree, &about), 0);
	bytes_writer_init(&answer, 10000);
	CHECK_EQ(flame_write_columns(&flame, &answer), 0);
	holds(&answer, 1, (uint64_t[]){2, 0, 1, 0}, 4);
	holds(&answer, 20, (uint64_t[]){3}, 1);
	holds(&answer, 21, (uint64_t[]){0, 0, 1, 2}, 4);
	holds(&answer, 22, (uint64_t[]){0, 0, 8, 16}, 4);
	holds(&answer, 23, (uint64_t[]){6, 5}, 2);
	holds_bytes(&answer, 24, "/out.c/in.h", 11);
	bytes_writer_done(&answer);
	flame_done(&flame);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void check_totals(const char *text, const uint64_t *numbers, size_t count)
{
	struct flame_about about = {.unit = FLAME_NANOSECONDS};
	struct tree_fixture fixture;
	struct level_tree tree;
	struct bytes_writer answer;
	struct flame flame;

	tree_fixture_init(&fixture, text);
	CHECK_EQ(level_tree_init(&tree, &fixture.calls, LEVEL_TREE_BY_TOTAL, 100), 0);
	CHECK_EQ(flame_init(&flame, &tree, &about), 0);
	bytes_writer_init(&answer, 10000);
	CHECK_EQ(flame_write_columns(&flame, &answer), 0);
	holds(&answer, 2, numbers, count);
	bytes_writer_done(&answer);
	flame_done(&flame);
	level_tree_done(&tree);
	tree_fixture_done(&fixture);
}

static void totals_stand_as_multiples_of_what_divides_all(void)
{
	check_totals("a;b 30\nc 20\n", (uint64_t[]){10, 5, 3, 2, 3}, 5);
	check_totals("a;b 35\nc 20\n", (uint64_t[]){5, 11, 7, 4, 7}, 5);
	check_totals("a 7\nb 9\n", (uint64_t[]){1, 16, 9, 7}, 4);
	check_totals("", (uint64_t[]){1, 0}, 2);
}

int main(void)
{
	RUN(totals_stand_as_multiples_of_what_divides_all);
	RUN(inlined_nodes_files_and_lines_have_columns_of_their_own);
	RUN(header_and_columns_are_laid_out_as_documented);
	return 0;
}
