/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/repeat_memory.h"

#include "tests/support/check.h"
#include "tests/support/torture.h"

static struct repeat_memory *memory;

static enum repeat_state begin(uint64_t key, uint64_t now_ns)
{
	return repeat_memory_begin(memory, &(struct hash128){key, ~key}, now_ns);
}

static void end(uint64_t key, bool is_stored)
{
	repeat_memory_end(memory, &(struct hash128){key, ~key}, is_stored);
}

static void the_same_counts_once_for_ten_minutes(void)
{
	CHECK_EQ(repeat_memory_new(&memory), 0);
	CHECK_EQ(begin(1, 0), REPEAT_NEW);
	CHECK_EQ(begin(1, 1), REPEAT_UNDER_WAY);
	CHECK_EQ(begin(2, 2), REPEAT_NEW);
	end(1, true);
	CHECK_EQ(begin(1, REPEAT_SPAN_NS - 1), REPEAT_STORED);
	CHECK_EQ(begin(1, REPEAT_SPAN_NS), REPEAT_NEW);
	end(1, true);
	CHECK_EQ(begin(1, REPEAT_SPAN_NS + 1), REPEAT_STORED);
	repeat_memory_free(memory);
}

static void what_was_not_stored_may_come_again(void)
{
	CHECK_EQ(repeat_memory_new(&memory), 0);
	CHECK_EQ(begin(1, 0), REPEAT_NEW);
	end(1, false);
	CHECK_EQ(begin(1, 1), REPEAT_NEW);
	end(1, true);
	CHECK_EQ(begin(1, 2), REPEAT_STORED);
	/* Of nobody. */
	end(77, true);
	CHECK_EQ(begin(77, 3), REPEAT_NEW);
	repeat_memory_free(memory);
}

static void it_is_known_for_ten_minutes_wherever_they_begin(void)
{
	uint64_t now_ns = 0;

	CHECK_EQ(repeat_memory_new(&memory), 0);
	/* One a minute, for an hour: each is known for the nine after it. */
	for (uint64_t i = 1; i <= 60; i++, now_ns += UINT64_C(60) * NS_PER_S) {
		CHECK_EQ(begin(i, now_ns), REPEAT_NEW);
		end(i, true);
		for (uint64_t j = i < 10 ? 1 : i - 9; j <= i; j++)
			CHECK_EQ(begin(j, now_ns), REPEAT_STORED);
	}
	CHECK_EQ(repeat_memory_forgotten(memory), 0);
	repeat_memory_free(memory);
}

static void the_oldest_are_forgotten_where_there_are_too_many(void)
{
	CHECK_EQ(repeat_memory_new(&memory), 0);
	for (uint64_t i = 1; i <= 2 * REPEAT_COUNT_MAX + 1; i++) {
		CHECK_EQ(begin(i, i), REPEAT_NEW);
		end(i, true);
	}
	CHECK_EQ(repeat_memory_forgotten(memory), REPEAT_COUNT_MAX);
	CHECK_EQ(begin(REPEAT_COUNT_MAX + 1, 2 * REPEAT_COUNT_MAX), REPEAT_STORED);
	CHECK_EQ(begin(1, 2 * REPEAT_COUNT_MAX), REPEAT_NEW);
	repeat_memory_free(memory);
}

static int make_and_use(void *context)
{
	int r = repeat_memory_new(&memory);

	(void)context;
	if (r < 0)
		return r;
	/* Without memory it is new each time. */
	CHECK_EQ(begin(1, 0), REPEAT_NEW);
	end(1, true);
	repeat_memory_free(memory);
	return 0;
}

static void out_of_memory_nothing_is_remembered(void)
{
	torture_tolerant(make_and_use, NULL, 3);
}

int main(void)
{
	RUN(the_same_counts_once_for_ten_minutes);
	RUN(what_was_not_stored_may_come_again);
	RUN(it_is_known_for_ten_minutes_wherever_they_begin);
	RUN(the_oldest_are_forgotten_where_there_are_too_many);
	RUN(out_of_memory_nothing_is_remembered);
	return 0;
}
