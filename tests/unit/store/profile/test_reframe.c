/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/reframe.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/torture.h"

/* Frames 0 to COUNT - 1 have their own number as their address. */
static struct profile *make_profile(uint32_t count, struct sample_table **ret_table)
{
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10, true, ret_table), 0);
	for (uint32_t i = 0; i < count; i++) {
		struct frame frame = {.kind = FRAME_NATIVE, .address = i};
		uint32_t index;

		CHECK_EQ(frame_table_add(&profile->frames, &frame, &index), 0);
		CHECK_EQ(index, i);
	}
	return profile;
}

static uint32_t stack_of(struct profile *profile, uint32_t root, uint32_t leaf)
{
	uint32_t node;

	CHECK_EQ(stack_table_add(&profile->stacks, STACK_EMPTY, root, &node), 0);
	CHECK_EQ(stack_table_add(&profile->stacks, node, leaf, &node), 0);
	return node;
}

static void stacks_that_become_equal_are_one_and_so_are_their_rows(void)
{
	static const uint32_t frames[] = {0, 3, 3, 3};
	struct sample_table *table;
	struct profile *profile = make_profile(4, &table);
	const struct sample_row *row;
	uint32_t one = stack_of(profile, 0, 1), other = stack_of(profile, 0, 2);

	CHECK_EQ(sample_table_add(table, one, 5, 0, 10, 7), 0);
	CHECK_EQ(sample_table_add(table, other, 5, 0, 10, 3), 0);
	CHECK_EQ(sample_table_add(table, other, 5, 1, 10, 4), 0);
	CHECK_EQ(sample_table_add(table, STACK_EMPTY, 5, 0, 10, 0), 0);
	CHECK_EQ(profile_reframe(profile, frames, 4), 0);
	CHECK_EQ(profile->stacks.count, 3);
	CHECK_EQ(profile->stacks.nodes[2].frame, 3);
	CHECK_EQ(table->row_count, 3);
	/* The table stays where its owner found it, and open. */
	CHECK_EQ(sample_table_add(table, 2, 5, 0, 10, 9), 0);
	CHECK_EQ(sample_table_seal(table), 0);
	row = &table->rows[1];
	CHECK_EQ(row->stack, 2);
	CHECK_EQ(row->cpu, 0);
	CHECK_EQ(row->count, 3);
	CHECK_EQ(row->value, 30);
	CHECK_EQ(sample_table_slots(table, row)[0], 3);
	CHECK_EQ(sample_table_slots(table, row)[2], 9);
	CHECK_EQ(table->slot_count, 5);
	profile_free(profile);
}

static void frames_that_stay_change_nothing(void)
{
	static const uint32_t frames[] = {0, 1};
	struct sample_table *table;
	struct profile *profile = make_profile(2, &table);
	uint32_t node = stack_of(profile, 1, 1);

	CHECK_EQ(sample_table_add(table, node, 5, 0, 10, 7), 0);
	CHECK_EQ(profile_reframe(profile, frames, 2), 0);
	CHECK_EQ(profile->stacks.count, 3);
	CHECK_EQ(stack_of(profile, 1, 1), node);
	CHECK_EQ(table->rows[0].stack, node);
	profile_free(profile);
}

static int reframe(void *context)
{
	struct profile *profile = context;
	static const uint32_t frames[] = {0, 1, 1};
	uint32_t stack_count = profile->stacks.count, row_count = profile->types[0].row_count;
	int r = profile_reframe(profile, frames, 3);

	if (r < 0) {
		CHECK_EQ(profile->stacks.count, stack_count);
		CHECK_EQ(profile->types[0].row_count, row_count);
	}
	return r;
}

static void without_memory_nothing_changes(void)
{
	struct sample_table *table;
	struct profile *profile = make_profile(3, &table);

	CHECK_EQ(sample_table_add(table, stack_of(profile, 0, 1), 5, 0, 10, 7), 0);
	CHECK_EQ(sample_table_add(table, stack_of(profile, 0, 2), 5, 0, 10, 7), 0);
	torture(reframe, profile, 5);
	CHECK_EQ(profile->stacks.count, 3);
	CHECK_EQ(profile->types[0].row_count, 1);
	profile_free(profile);
}

int main(void)
{
	RUN(stacks_that_become_equal_are_one_and_so_are_their_rows);
	RUN(frames_that_stay_change_nothing);
	RUN(without_memory_nothing_changes);
	return 0;
}
