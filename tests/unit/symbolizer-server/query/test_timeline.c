/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/timeline.h"

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

#define START (UINT64_C(1700000010) * NS_PER_S) /* a multiple of 15 s */
#define MINUTE (60 * NS_PER_S)

static void steps_grow_with_the_range(void)
{
	static const struct {
		uint64_t range_s;
		uint64_t step_s;
	} cases[] = {
		{0, 15},
		{3600, 15},
		{26250, 15},
		{6 * 3600 + 15000, 20},
		{24 * 3600, 60},
		{7 * 86400, 300},
		{30 * 86400, 1800},
		{365 * 86400, 6 * 3600},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_EQ(timeline_step(cases[i].range_s * NS_PER_S), cases[i].step_s * NS_PER_S);
}

static void steps_sum_to_the_range(void)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct selector selector;
	struct timeline timeline;
	struct profile *profile = sample_profile_new("a", START + 10 * NS_PER_S, 10 * NS_PER_S);

	for (uint32_t i = 0; i < 500; i++)
		sample_profile_add(
			profile, &(struct sample_profile_sample){.stack = "f", .slot = i});
	sample_profile_seal(profile);
	CHECK_EQ(selector_parse("", 0, &selector, error), 0);
	CHECK_EQ(timeline_init(&timeline, &selector,
			 (struct time_range){START + 12 * NS_PER_S, START + MINUTE}),
		0);
	CHECK_EQ(timeline.start_ns, START);
	CHECK_EQ(timeline.count, 4);
	CHECK_EQ(timeline_add(&timeline, profile), 0);
	/* From second 12 to 15, then to 20: 50 samples of 10 ms a second. */
	CHECK_EQ(timeline.sums[0], 1500000000);
	CHECK_EQ(timeline.sums[1], 2500000000);
	CHECK_EQ(timeline.sums[2], 0);
	CHECK_EQ(timeline.sums[3], 0);
	profile_free(profile);
	timeline_done(&timeline);
	selector_done(&selector);
}

static void an_empty_range_has_no_steps(void)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct selector selector;
	struct timeline timeline;

	CHECK_EQ(selector_parse("", 0, &selector, error), 0);
	CHECK_EQ(timeline_init(&timeline, &selector, (struct time_range){START, START}), 0);
	CHECK_EQ(timeline.count, 0);
	timeline_done(&timeline);
	selector_done(&selector);
}

int main(void)
{
	RUN(steps_grow_with_the_range);
	RUN(steps_sum_to_the_range);
	RUN(an_empty_range_has_no_steps);
	return 0;
}
