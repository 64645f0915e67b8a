/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/timeline.h"

#include "store/base/clock.h"
#include "tests/support/check.h"

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

int main(void)
{
	RUN(steps_grow_with_the_range);
	return 0;
}
