/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/frame_table.h"

#include "tests/support/check.h"

static void frames_differ_by_each_of_their_parts(void)
{
	static const struct frame frames[] = {
		{0, 0, FRAME_UNKNOWN, 0},
		{1, 0, FRAME_UNKNOWN, 0},
		{0, 1, FRAME_UNKNOWN, 0},
		{0, 0, FRAME_NATIVE, 0},
		{0, 0, FRAME_UNKNOWN, FRAME_RETURN_ADDRESS},
		{UINT64_MAX, UINT32_MAX, FRAME_TEXT, FRAME_FLAGS_ALL},
	};
	struct frame_table table;
	uint32_t index;

	CHECK_EQ(frame_table_init(&table), 0);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
			CHECK_EQ(frame_table_add(&table, &frames[i], &index), 0);
			CHECK_EQ(index, i);
		}
	}
	CHECK_EQ(table.count, sizeof(frames) / sizeof(frames[0]));
	CHECK(table.frames[5].address == UINT64_MAX);
	frame_table_done(&table);
}

static void a_table_holds_many(void)
{
	struct frame_table table;
	uint32_t index;

	CHECK_EQ(frame_table_init(&table), 0);
	for (uint32_t i = 0; i < 100000; i++) {
		struct frame frame = {.address = i / 2, .module = i % 2};

		CHECK_EQ(frame_table_add(&table, &frame, &index), 0);
		CHECK_EQ(index, i);
	}
	for (uint32_t i = 0; i < 100000; i++) {
		struct frame frame = {.address = i / 2, .module = i % 2};

		CHECK_EQ(frame_table_add(&table, &frame, &index), 0);
		CHECK_EQ(index, i);
	}
	frame_table_done(&table);
	frame_table_done(&table);
}

static void those_who_come_along_find_what_the_others_find(void)
{
	static const uint32_t steps[] = {3, 1, 2, 7, 1};
	struct frame_table table;

	CHECK_EQ(frame_table_init(&table), 0);
	for (uint32_t round = 0; round < sizeof(steps) / sizeof(steps[0]); round++) {
		uint32_t next = 0;

		for (uint32_t i = 0; i < 5000; i += steps[round]) {
			struct frame frame = {.address = i, .module = i % 2};
			uint32_t index, again;

			CHECK_EQ(frame_table_add_along(&table, &frame, &next, &index), 0);
			CHECK_EQ(frame_table_add(&table, &frame, &again), 0);
			CHECK_EQ(index, again);
			CHECK_EQ(table.frames[index].address, i);
		}
	}
	CHECK_EQ(table.count, 5000);
	frame_table_done(&table);
}

int main(void)
{
	RUN(those_who_come_along_find_what_the_others_find);
	RUN(frames_differ_by_each_of_their_parts);
	RUN(a_table_holds_many);
	return 0;
}
