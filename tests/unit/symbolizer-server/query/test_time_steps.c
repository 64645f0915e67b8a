/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/time_steps.h"

#include <errno.h>

#include "store/base/clock.h"
#include "tests/support/check.h"

static void steps_begin_at_multiples_of_their_length(void)
{
	struct time_steps steps = {.count = 77};
	struct time_range range = {1003 * NS_PER_S, 1025 * NS_PER_S};

	CHECK_EQ(time_steps_init(range, 10 * NS_PER_S, 3, &steps), 0);
	CHECK_EQ(steps.start_ns, 1000 * NS_PER_S);
	CHECK_EQ(steps.count, 3);
	range.until_ns = 1030 * NS_PER_S;
	CHECK_EQ(time_steps_init(range, 10 * NS_PER_S, 3, &steps), 0);
	CHECK_EQ(steps.count, 3);
	range.until_ns++;
	steps.count = 77;
	CHECK_EQ(time_steps_init(range, 10 * NS_PER_S, 3, &steps), -E2BIG);
	CHECK_EQ(steps.count, 77);
	range.until_ns = range.from_ns;
	CHECK_EQ(time_steps_init(range, 10 * NS_PER_S, 3, &steps), 0);
	CHECK_EQ(steps.count, 0);
}

static void a_chosen_length_makes_no_more_steps_than_wished(void)
{
	struct time_steps steps;

	for (uint64_t length_ns = NS_PER_MS; length_ns < (UINT64_C(1) << 62); length_ns *= 3) {
		uint64_t step_ns = time_steps_choose(length_ns, 20 * NS_PER_MS, 300);
		struct time_range range = {
			3 * step_ns - 1, 3 * step_ns - 1 + length_ns}; /* the worst place */

		if (range.until_ns < length_ns)
			break;
		CHECK_EQ(time_steps_init(range, step_ns, 300, &steps), 0);
	}
	CHECK_EQ(time_steps_choose(10 * NS_PER_S, 20 * NS_PER_MS, 300), 100 * NS_PER_MS);
	CHECK_EQ(time_steps_choose(10 * NS_PER_S, NS_PER_S, 300), NS_PER_S);
	CHECK_EQ(time_steps_choose(24 * 3600 * NS_PER_S, 20 * NS_PER_MS, 300), 300 * NS_PER_S);
}

static void what_a_stretch_reaches_into_is_told(void)
{
	struct time_steps steps = {.start_ns = 100, .step_ns = 10, .count = 5};
	static const struct {
		uint64_t from, until;
		uint32_t first, end;
	} cases[] = {
		{0, 100, 0, 0},
		{0, 101, 0, 1},
		{109, 110, 0, 1},
		{109, 111, 0, 2},
		{110, 150, 1, 5},
		{149, 1000, 4, 5},
		{150, 160, 5, 5},
		{5000, 6000, 5, 5},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t first, end;

		time_steps_reach(&steps, cases[i].from, cases[i].until, &first, &end);
		CHECK_EQ(first, cases[i].first);
		CHECK_EQ(end, cases[i].end);
	}
}

int main(void)
{
	RUN(steps_begin_at_multiples_of_their_length);
	RUN(a_chosen_length_makes_no_more_steps_than_wished);
	RUN(what_a_stretch_reaches_into_is_told);
	return 0;
}
