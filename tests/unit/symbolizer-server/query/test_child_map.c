/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/child_map.h"

#include "tests/support/check.h"

static void every_child_is_found_again(void)
{
	struct child_map map;

	child_map_init(&map);
	CHECK_EQ(child_map_find(&map, 0, 0), CHILD_MAP_NONE);
	for (uint32_t i = 0; i < 100000; i++) {
		CHECK_EQ(child_map_find(&map, i / 3, i), CHILD_MAP_NONE);
		CHECK_EQ(child_map_add(&map, i / 3, i, i), 0);
	}
	for (uint32_t i = 0; i < 100000; i++)
		CHECK_EQ(child_map_find(&map, i / 3, i), i);
	CHECK_EQ(child_map_find(&map, 5, 0), CHILD_MAP_NONE);
	child_map_done(&map);
}

int main(void)
{
	RUN(every_child_is_found_again);
	return 0;
}
