/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/table_builder.h"

#include <errno.h>

#include "store/base/bytes.h"
#include "tests/support/check.h"
#include "tests/support/unwind_memory.h"

#define CODE UINT64_C(0x400000)
#define SECTION UINT64_C(0x100000)

static struct unwind_memory_fixture memory;
static struct node_pool pool;
static struct rule_set rules;

static void set_up(uint32_t shard_count_max)
{
	struct node_pool_config config = {.shard_count_max = shard_count_max,
		.make_shard = unwind_memory_make_shard,
		.context = &memory};

	unwind_memory_init(&memory);
	node_pool_init(&pool, &config);
	CHECK_EQ(rule_set_init(&rules, memory.rules), 0);
}

static void tear_down(void)
{
	CHECK_EQ(pool.node_count, 0);
	rule_set_done(&rules);
	node_pool_done(&pool);
	unwind_memory_done(&memory);
}

/* --- a section that grows ----------------------------------------------------------------------
 */

static struct bytes_writer section;

static void begin_section(void)
{
	static const uint8_t common[] = {20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1,
		0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0};

	bytes_writer_init(&section, 64u << 20);
	bytes_write_span(&section, common, sizeof(common));
}

/* A function at CODE + FROM whose CFA is rsp + CFA all along. */
static void add_function(uint32_t from, uint32_t byte_count, uint8_t cfa)
{
	uint64_t place = section.byte_count;

	bytes_write_u32(&section, 16);
	bytes_write_u32(&section, (uint32_t)(place + 4));
	bytes_write_u32(&section, (uint32_t)(CODE + from - (SECTION + place + 8)));
	bytes_write_u32(&section, byte_count);
	bytes_write_u8(&section, 0);
	bytes_write_u8(&section, 0x0e);
	bytes_write_u8(&section, cfa);
	bytes_write_u8(&section, 0);
}

static int build(uint64_t code_bytes, uint64_t entry, struct unwind_table *ret_table,
	struct table_counts *ret_counts)
{
	struct table_source source = {
		.section = {.bytes = section.bytes,
			.byte_count = section.byte_count,
			.bases = {.section = SECTION}},
		.code_from = CODE,
		.code_until = CODE + code_bytes,
		.entry = entry,
	};

	return table_build(&source, &pool, &rules, ret_table, ret_counts);
}

/* CFA offset at BYTE, 0 where there is no rule. */
static int cfa_at(const struct unwind_table *table, uint64_t byte)
{
	return rules.rules[table_find(&pool, table, byte)].cfa_offset;
}

/* --- tests -------------------------------------------------------------------------------------
 */

static void each_byte_has_the_rule_of_its_function(void)
{
	struct unwind_table table;
	struct table_counts counts;

	set_up(4);
	begin_section();
	/* Not in the order of their addresses; 8 bytes of padding, then a real gap. */
	add_function(0x300, 0x100, 48);
	add_function(0x100, 0x78, 16);
	add_function(0x180, 0x80, 32);
	CHECK_EQ(build(0x1000, 0, &table, &counts), 0);
	CHECK_EQ(counts.function_count, 3);
	CHECK_EQ(cfa_at(&table, 0), 0);
	CHECK_EQ(cfa_at(&table, 0xff), 0);
	CHECK_EQ(cfa_at(&table, 0x100), 16);
	CHECK_EQ(cfa_at(&table, 0x177), 16);
	CHECK_EQ(cfa_at(&table, 0x180), 32);
	CHECK_EQ(cfa_at(&table, 0x1ff), 32);
	CHECK_EQ(cfa_at(&table, 0x200), 0);
	CHECK_EQ(cfa_at(&table, 0x300), 48);
	CHECK_EQ(cfa_at(&table, 0x3ff), 48);
	CHECK_EQ(cfa_at(&table, 0x400), 0);
	CHECK_EQ(cfa_at(&table, 0x1000), 0);
	table_free(&pool, &table);
	bytes_writer_done(&section);
	tear_down();
}

static void of_two_sections_the_first_counts_and_the_other_fills_in(void)
{
	struct bytes_writer debug;
	struct table_counts counts;
	struct unwind_table table;
	struct table_source source = {.code_from = CODE, .code_until = CODE + 0x1000};

	set_up(4);
	begin_section();
	add_function(0x100, 0x100, 64);
	add_function(0x200, 0x100, 72);
	debug = section;
	begin_section();
	add_function(0x200, 0x100, 16);
	source.section =
		(struct eh_frame){section.bytes, section.byte_count, {.section = SECTION}, false};
	source.debug_section =
		(struct eh_frame){debug.bytes, debug.byte_count, {.section = SECTION}, false};
	CHECK_EQ(table_build(&source, &pool, &rules, &table, &counts), 0);
	CHECK_EQ(counts.function_count, 3);
	CHECK_EQ(cfa_at(&table, 0x180), 64);
	CHECK_EQ(cfa_at(&table, 0x280), 16);
	CHECK_EQ(cfa_at(&table, 0x300), 0);
	table_free(&pool, &table);
	bytes_writer_done(&debug);
	bytes_writer_done(&section);
	tear_down();
}

static void functions_that_overlap_are_cut_at_the_next(void)
{
	struct unwind_table table;
	struct table_counts counts;

	set_up(4);
	begin_section();
	add_function(0x100, 0x200, 16);
	add_function(0x200, 0x200, 32);
	add_function(0x2000, 0x10, 48);
	CHECK_EQ(build(0x1000, 0, &table, &counts), 0);
	CHECK_EQ(counts.outside_count, 1);
	CHECK_EQ(cfa_at(&table, 0x1ff), 16);
	CHECK_EQ(cfa_at(&table, 0x200), 32);
	CHECK_EQ(cfa_at(&table, 0x3ff), 32);
	table_free(&pool, &table);
	bytes_writer_done(&section);
	tear_down();
}

static void at_an_entry_without_rules_a_thread_begins(void)
{
	struct unwind_table table;
	struct table_counts counts;
	uint16_t number;

	set_up(4);
	begin_section();
	add_function(0x500, 0x100, 16);
	CHECK_EQ(build(0x1000, CODE + 0x400, &table, &counts), 0);
	number = table_find(&pool, &table, 0x405);
	CHECK_EQ(rules.rules[number].returns, UNWIND_RETURN_none);
	CHECK_EQ(table_find(&pool, &table, 0x3ff), UNWIND_RULE_GAP);
	CHECK_EQ(table_find(&pool, &table, 0x400 + TABLE_ENTRY_BYTES), UNWIND_RULE_GAP);
	table_free(&pool, &table);
	bytes_writer_done(&section);
	tear_down();
}

#define MANY 150000u
#define STRIDE 64u

static void a_table_of_many_leaves_answers_everywhere(void)
{
	struct unwind_table table;
	struct table_counts counts;

	set_up(8);
	begin_section();
	for (uint32_t i = 0; i < MANY; i++)
		add_function(i * STRIDE, STRIDE, i % 2 ? 16 : 32);
	CHECK_EQ(build((uint64_t)MANY * STRIDE, 0, &table, &counts), 0);
	CHECK_EQ(counts.row_count, MANY + 1);
	CHECK_EQ(table.height, 2);
	for (uint32_t i = 0; i < MANY; i++) {
		CHECK_EQ(cfa_at(&table, (uint64_t)i * STRIDE), i % 2 ? 16 : 32);
		CHECK_EQ(cfa_at(&table, (uint64_t)i * STRIDE + STRIDE - 1), i % 2 ? 16 : 32);
	}
	table_free(&pool, &table);
	bytes_writer_done(&section);
	tear_down();
}

static void code_far_behind_the_last_row_of_a_leaf_is_found(void)
{
	struct unwind_table table;
	struct table_counts counts;

	set_up(4);
	begin_section();
	add_function(0, 0x100000, 16);
	add_function(0x100000, 0x10, 32);
	CHECK_EQ(build(0x200000, 0, &table, &counts), 0);
	CHECK_EQ(cfa_at(&table, 0xfffff), 16);
	CHECK_EQ(cfa_at(&table, 0x100000), 32);
	CHECK_EQ(cfa_at(&table, 0x1fffff), 0);
	table_free(&pool, &table);
	bytes_writer_done(&section);
	tear_down();
}

static void what_does_not_fit_leaves_nothing_behind(void)
{
	struct unwind_table table = {.state = UNWIND_TABLE_none};
	struct table_counts counts;

	set_up(1);
	begin_section();
	for (uint32_t i = 0; i < MANY * 2; i++)
		add_function(i * STRIDE, STRIDE, i % 2 ? 16 : 32);
	CHECK_EQ(build((uint64_t)MANY * 2 * STRIDE, 0, &table, &counts), -ENOSPC);
	CHECK_EQ(table.state, UNWIND_TABLE_none);
	bytes_writer_done(&section);
	tear_down();
}

static void a_section_without_a_function_of_the_code_is_none(void)
{
	struct unwind_table table;
	struct table_counts counts;

	set_up(1);
	begin_section();
	CHECK_EQ(build(0x1000, 0, &table, &counts), -ENOENT);
	CHECK_EQ(build((uint64_t)1 << 32, 0, &table, &counts), -E2BIG);
	bytes_writer_done(&section);
	tear_down();
}

int main(void)
{
	RUN(each_byte_has_the_rule_of_its_function);
	RUN(of_two_sections_the_first_counts_and_the_other_fills_in);
	RUN(functions_that_overlap_are_cut_at_the_next);
	RUN(at_an_entry_without_rules_a_thread_begins);
	RUN(a_table_of_many_leaves_answers_everywhere);
	RUN(code_far_behind_the_last_row_of_a_leaf_is_found);
	RUN(what_does_not_fit_leaves_nothing_behind);
	RUN(a_section_without_a_function_of_the_code_is_none);
	return 0;
}
