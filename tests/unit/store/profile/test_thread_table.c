/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/thread_table.h"

#include "tests/support/check.h"

static void threads_differ_by_each_of_their_parts(void)
{
	static const struct thread threads[] = {
		{0, 0, 0, 0},
		{1, 0, 0, 0},
		{0, 1, 0, 0},
		{0, 0, 1, 0},
		{0, 0, 0, 1},
		{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
	};
	struct thread_table table;
	uint32_t index;

	CHECK_EQ(thread_table_init(&table), 0);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
			CHECK_EQ(thread_table_add(&table, &threads[i], &index), 0);
			CHECK_EQ(index, i);
		}
	}
	CHECK_EQ(table.count, sizeof(threads) / sizeof(threads[0]));
	thread_table_done(&table);
}

/* A thread that renames itself is two rows' worth of names: both are kept. */
static void a_renamed_thread_is_kept_under_both_names(void)
{
	struct thread_table table;
	uint32_t before, after;

	CHECK_EQ(thread_table_init(&table), 0);
	CHECK_EQ(thread_table_add(&table, &(struct thread){7, 8, 1, 0}, &before), 0);
	CHECK_EQ(thread_table_add(&table, &(struct thread){7, 8, 2, 0}, &after), 0);
	CHECK(before != after);
	thread_table_done(&table);
	thread_table_done(&table);
}

int main(void)
{
	RUN(threads_differ_by_each_of_their_parts);
	RUN(a_renamed_thread_is_kept_under_both_names);
	return 0;
}
