/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/ring_layout.h"

#include <errno.h>

#include "bpf/abi/limit.h"
#include "tests/support/check.h"

static struct ring_layout choose(uint32_t cpu_count, uint32_t hz)
{
	struct ring_layout layout;

	CHECK_EQ(ring_layout_choose(cpu_count, hz, 0, 0, &layout), 0);
	CHECK((layout.ring_bytes & (layout.ring_bytes - 1)) == 0);
	CHECK_EQ(layout.wake_bytes, layout.ring_bytes / 2);
	CHECK((uint64_t)layout.cpus_per_ring * layout.ring_count >= cpu_count);
	return layout;
}

static void small_machines_have_one_small_ring(void)
{
	struct ring_layout layout = choose(2, 19);

	CHECK_EQ(layout.ring_count, 1);
	CHECK_EQ(layout.cpus_per_ring, 2);
	CHECK_EQ(layout.ring_bytes, 256 * 1024);
}

static void rings_grow_with_the_rate_up_to_a_limit(void)
{
	CHECK_EQ(choose(8, 97).ring_bytes, 4 * 1024 * 1024);
	CHECK_EQ(choose(8, 10000).ring_bytes, 8 * 1024 * 1024);
	CHECK_EQ(choose(64, 97).ring_count, 8);
	CHECK_EQ(choose(65, 97).ring_count, 9);
}

static void the_largest_machine_has_no_more_rings_than_there_may_be(void)
{
	struct ring_layout layout;

	CHECK(choose(8192, 97).ring_count <= RINGS_MAX);
	CHECK_EQ(ring_layout_choose(8192, 97, 1, 0, &layout), 0);
	CHECK_EQ(layout.cpus_per_ring, 8);
	CHECK_EQ(layout.ring_count, RINGS_MAX);
}

static void what_is_asked_for_is_taken(void)
{
	struct ring_layout layout;

	CHECK_EQ(ring_layout_choose(16, 97, 1, 1 << 16, &layout), 0);
	CHECK_EQ(layout.cpus_per_ring, 1);
	CHECK_EQ(layout.ring_count, 16);
	CHECK_EQ(layout.ring_bytes, 1 << 16);
	CHECK_EQ(ring_layout_choose(4, 97, 100, 0, &layout), 0);
	CHECK_EQ(layout.cpus_per_ring, 4);
}

static void impossible_sizes_are_refused(void)
{
	struct ring_layout layout = {.ring_count = 42};

	CHECK_EQ(ring_layout_choose(4, 97, 0, 100000, &layout), -EINVAL);
	CHECK_EQ(ring_layout_choose(4, 97, 0, 1 << 15, &layout), -EINVAL);
	CHECK_EQ(ring_layout_choose(4, 97, 0, 1 << 27, &layout), -EINVAL);
	CHECK_EQ(ring_layout_choose(0, 97, 0, 0, &layout), -EINVAL);
	CHECK_EQ(layout.ring_count, 42);
}

static void rings_shrink_to_a_limit_but_not_below_the_least(void)
{
	struct ring_layout layout;

	CHECK_EQ(ring_layout_choose(64, 97, 0, 1 << 22, &layout), 0);
	ring_layout_limit(&layout, UINT64_C(1) << 25);
	CHECK_EQ(layout.ring_bytes, 1 << 22);
	ring_layout_limit(&layout, (UINT64_C(1) << 24) + 1);
	CHECK_EQ(layout.ring_bytes, 1 << 21);
	CHECK_EQ(layout.wake_bytes, 1 << 20);
	ring_layout_limit(&layout, 1);
	CHECK_EQ(layout.ring_bytes, 1 << 16);
	CHECK_EQ(layout.wake_bytes, 1 << 15);
}

int main(void)
{
	RUN(rings_shrink_to_a_limit_but_not_below_the_least);
	RUN(small_machines_have_one_small_ring);
	RUN(rings_grow_with_the_rate_up_to_a_limit);
	RUN(the_largest_machine_has_no_more_rings_than_there_may_be);
	RUN(what_is_asked_for_is_taken);
	RUN(impossible_sizes_are_refused);
	return 0;
}
