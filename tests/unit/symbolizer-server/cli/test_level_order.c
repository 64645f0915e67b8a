/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/level_order.h"

#include <errno.h>

#include "tests/support/check.h"

static void nodes_come_depth_first(void)
{
	/* total(main(f(x, y), g(h(i)))), level by level: total main f g x y h i. */
	static const uint32_t counts[] = {1, 2, 2, 1, 0, 0, 1, 0};
	static const uint32_t order[] = {0, 1, 2, 4, 5, 3, 6, 7};
	static const uint32_t depths[] = {0, 1, 2, 2, 3, 3, 3, 4};
	uint32_t first[8], ret_order[8], ret_depths[8];

	CHECK_EQ(level_order_walk(counts, 8, first, ret_order, ret_depths), 0);
	for (uint32_t i = 0; i < 8; i++) {
		CHECK_EQ(ret_order[i], order[i]);
		CHECK_EQ(ret_depths[i], depths[i]);
	}
}

static void counts_that_make_no_tree_are_refused(void)
{
	static const struct {
		uint32_t counts[4];
		uint32_t count;
		int result;
	} cases[] = {
		{{0}, 0, 0},
		{{0}, 1, 0},
		{{1}, 1, -EBADMSG},
		{{3, 0, 0, 0}, 4, 0},
		{{2, 0, 0, 0}, 4, -EBADMSG},
		{{4, 0, 0, 0}, 4, -EBADMSG},
		{{0, 3, 0, 0}, 4, -EBADMSG},
		{{1, 1, 1, 0}, 4, 0},
		{{1, UINT32_MAX, 1, 0}, 4, -EBADMSG},
	};
	uint32_t first[4], order[4], depths[4];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_EQ(level_order_walk(cases[i].counts, cases[i].count, first, order, depths),
			cases[i].result);
	}
}

int main(void)
{
	RUN(nodes_come_depth_first);
	RUN(counts_that_make_no_tree_are_refused);
	return 0;
}
