/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/sample_table.h"

#include <errno.h>

#include "tests/support/check.h"

static void samples_gather_in_rows_and_keep_their_slots(void)
{
	struct sample_table table;
	const uint32_t *slots;

	CHECK_EQ(sample_table_init(&table, 3, 10, true), 0);
	CHECK_EQ(sample_table_add(&table, 5, 1, 0, 10, 17), 0);
	CHECK_EQ(sample_table_add(&table, 2, 1, 0, 10, 40), 0);
	CHECK_EQ(sample_table_add(&table, 5, 1, 0, 10, 3), 0);
	CHECK_EQ(sample_table_add(&table, 5, 1, 1, 10, 9), 0);
	CHECK_EQ(sample_table_add(&table, 5, 1, 0, 11, 3), 0);
	CHECK_EQ(sample_table_add(&table, 5, 0, 7, 10, 0), 0);
	CHECK_EQ(sample_table_seal(&table), 0);
	CHECK_EQ(sample_table_seal(&table), 0);

	CHECK_EQ(table.row_count, 4);
	CHECK_EQ(table.slot_count, 6);
	CHECK_EQ(table.rows[0].stack, 2);
	CHECK_EQ(table.rows[1].thread, 0);
	CHECK_EQ(table.rows[2].cpu, 0);
	CHECK_EQ(table.rows[3].cpu, 1);
	CHECK_EQ(table.rows[2].count, 3);
	CHECK_EQ(table.rows[2].value, 31);
	slots = sample_table_slots(&table, &table.rows[2]);
	CHECK_EQ(slots[0], 3);
	CHECK_EQ(slots[1], 3);
	CHECK_EQ(slots[2], 17);
	CHECK_EQ(sample_table_slots(&table, &table.rows[0])[0], 40);
	sample_table_done(&table);
}

static void whole_rows_add_to_the_row_that_is_there(void)
{
	struct sample_row row = {
		.stack = 1, .thread = 2, .cpu = SAMPLE_CPU_UNKNOWN, .count = 2, .value = 20};
	struct sample_table table;

	CHECK_EQ(sample_table_init(&table, 3, 10, true), 0);
	CHECK_EQ(sample_table_add_row(&table, &row, (const uint32_t[]){9, 4}), 0);
	CHECK_EQ(sample_table_add_row(&table, &row, (const uint32_t[]){1, 7}), 0);
	CHECK_EQ(sample_table_seal(&table), 0);
	CHECK_EQ(table.row_count, 1);
	CHECK_EQ(table.rows[0].count, 4);
	CHECK_EQ(table.rows[0].value, 40);
	CHECK_EQ(table.slots[0], 1);
	CHECK_EQ(table.slots[3], 9);
	sample_table_done(&table);
}

static void a_table_without_slots_keeps_counts_alone(void)
{
	struct sample_row row = {.count = 1000000, .value = 5};
	struct sample_table table;

	CHECK_EQ(sample_table_init(&table, 3, 0, false), 0);
	CHECK_EQ(sample_table_add(&table, 0, 0, 0, -7, 12345), 0);
	CHECK_EQ(sample_table_add_row(&table, &row, NULL), 0);
	CHECK_EQ(sample_table_seal(&table), 0);
	CHECK_EQ(table.slot_count, 0);
	CHECK_EQ(table.rows[0].count, 1000001);
	CHECK_EQ(table.rows[0].value, -2);
	sample_table_done(&table);
}

static void sums_that_do_not_fit_are_refused_and_change_nothing(void)
{
	struct sample_row many = {.count = UINT32_MAX, .value = INT64_MAX};
	struct sample_table table;

	CHECK_EQ(sample_table_init(&table, 3, 0, false), 0);
	CHECK_EQ(sample_table_add_row(&table, &many, NULL), 0);
	CHECK_EQ(sample_table_add(&table, 0, 0, 0, 0, 0), -EOVERFLOW);
	many.count = 0;
	many.value = 1;
	CHECK_EQ(sample_table_add_row(&table, &many, NULL), -EOVERFLOW);
	CHECK_EQ(table.rows[0].count, UINT32_MAX);
	CHECK(table.rows[0].value == INT64_MAX);
	sample_table_done(&table);

	CHECK_EQ(sample_table_init(&table, 3, 0, true), 0);
	many.count = SAMPLE_SLOT_COUNT_MAX + 1;
	CHECK_EQ(sample_table_add_row(&table, &many, &(uint32_t){0}), -E2BIG);
	CHECK_EQ(table.row_count, 0);
	CHECK_EQ(sample_table_seal(&table), 0);
	sample_table_done(&table);
	sample_table_done(&table);
}

/* Against a count kept in the plainest way. */
static void many_samples_are_all_there(void)
{
	static uint32_t expected[50][20];
	struct sample_table table;
	uint64_t random = 1, sum = 0;

	CHECK_EQ(sample_table_init(&table, 3, 1, true), 0);
	for (int i = 0; i < 100000; i++) {
		uint32_t stack, thread;

		random = random * UINT64_C(6364136223846793005) + 1;
		stack = (uint32_t)(random >> 33) % 50;
		thread = (uint32_t)(random >> 41) % 20;
		expected[stack][thread]++;
		CHECK_EQ(sample_table_add(&table, stack, thread, 0, 1, stack + thread), 0);
	}
	CHECK_EQ(sample_table_seal(&table), 0);
	for (uint32_t i = 0; i < table.row_count; i++) {
		const struct sample_row *row = &table.rows[i];

		CHECK_EQ(row->count, expected[row->stack][row->thread]);
		for (uint32_t j = 0; j < row->count; j++)
			CHECK_EQ(sample_table_slots(&table, row)[j], row->stack + row->thread);
		sum += row->count;
	}
	CHECK_EQ(sum, 100000);
	sample_table_done(&table);
}

static void samples_can_be_had_under_other_stacks(void)
{
	static const uint32_t stacks[] = {0, 0, 4, 4};
	struct sample_table table, moved;

	CHECK_EQ(sample_table_init(&table, 3, 10, true), 0);
	CHECK_EQ(sample_table_add(&table, 3, 1, 0, 10, 17), 0);
	CHECK_EQ(sample_table_add(&table, 2, 1, 0, 10, 40), 0);
	CHECK_EQ(sample_table_add(&table, 1, 1, 0, 10, 3), 0);
	CHECK_EQ(sample_table_restack(&table, stacks, &moved), 0);
	CHECK_EQ(table.row_count, 3);
	CHECK_EQ(moved.type, 3);
	CHECK_EQ(moved.period, 10);
	CHECK_EQ(sample_table_seal(&moved), 0);
	CHECK_EQ(moved.row_count, 2);
	CHECK_EQ(moved.rows[0].stack, 0);
	CHECK_EQ(moved.rows[1].stack, 4);
	CHECK_EQ(moved.rows[1].value, 20);
	CHECK_EQ(sample_table_slots(&moved, &moved.rows[1])[0], 17);
	CHECK_EQ(sample_table_slots(&moved, &moved.rows[1])[1], 40);
	sample_table_done(&moved);
	sample_table_done(&table);
	CHECK_EQ(sample_table_init(&table, 0, 0, true), 0);
	CHECK_EQ(sample_table_restack(&table, stacks, &moved), 0);
	CHECK_EQ(moved.row_count, 0);
	sample_table_done(&moved);
	sample_table_done(&table);
}

int main(void)
{
	RUN(samples_can_be_had_under_other_stacks);
	RUN(samples_gather_in_rows_and_keep_their_slots);
	RUN(whole_rows_add_to_the_row_that_is_there);
	RUN(a_table_without_slots_keeps_counts_alone);
	RUN(sums_that_do_not_fit_are_refused_and_change_nothing);
	RUN(many_samples_are_all_there);
	return 0;
}
