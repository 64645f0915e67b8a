/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/memory_limit.h"

#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define MIB (UINT64_C(1) << 20)

static const struct memory_plan usual = {
	.limit = MEMORY_UNLIMITED,
	.unwind_bytes_max = 12 * MIB,
	.queue_bytes_max = 8 * MIB,
	.hold_bytes_max = 16 * MIB,
	.jit_bytes_max = 4 * MIB,
	.ring_bytes_max = UINT64_MAX,
};

/* A process of GROUPS, with MOUNTS, each a text for printf. */
static void set_up(const char *groups, const char *mounts)
{
	work_run("rm -rf proc sys && mkdir -p proc/self sys && printf '%s' > proc/self/cgroup && "
		 "printf '%s' > proc/self/mountinfo",
		groups, mounts);
}

static void set_limit(const char *group, const char *name, const char *value)
{
	work_run("mkdir -p sys/%s && echo %s > sys/%s/%s", group, value, group, name);
}

static uint64_t limit(void)
{
	char *root = strdup(work_path("%s", ""));
	uint64_t found;

	CHECK(root);
	root[strlen(root) - 1] = '\0';
	found = memory_limit_read(work_path("proc"), root);
	free(root);
	return found;
}

static void of_cgroup_v2_the_least_on_the_way_up_counts(void)
{
	set_up("0::/a/b\\n", "30 23 0:26 / /sys rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\\n");
	CHECK(limit() == MEMORY_UNLIMITED);
	set_limit("a/b", "memory.max", "max");
	CHECK(limit() == MEMORY_UNLIMITED);
	set_limit("a/b", "memory.max", "50000000");
	CHECK_EQ(limit(), 50000000);
	set_limit("a", "memory.max", "40000000");
	CHECK_EQ(limit(), 40000000);
	set_limit(".", "memory.max", "30000000");
	CHECK_EQ(limit(), 30000000);
	set_limit("a/b", "memory.high", "20000000");
	CHECK_EQ(limit(), 20000000);
	/* A sibling's limit is not ours. */
	set_limit("a/c", "memory.max", "1000");
	CHECK_EQ(limit(), 20000000);
}

static void of_cgroup_v1_the_hierarchy_of_the_memory_controller_counts(void)
{
	set_up("5:memory,pids:/a\\n4:cpu:/x\\n0::/y\\n",
		"30 23 0:26 / /sys/cpu rw - cgroup cgroup rw,cpu\\n"
		"31 23 0:27 / /sys/memory rw shared:5 - cgroup cgroup rw,pids,memory\\n"
		"32 23 0:28 / /sys/unified rw - cgroup2 cgroup2 rw\\n");
	set_limit("cpu/x", "memory.limit_in_bytes", "1000");
	set_limit("memory/a", "memory.limit_in_bytes", "9223372036854771712");
	CHECK(limit() == MEMORY_UNLIMITED);
	set_limit("memory/a", "memory.limit_in_bytes", "41943040");
	CHECK_EQ(limit(), 41943040);
	set_limit("unified/y", "memory.max", "30000000");
	CHECK_EQ(limit(), 30000000);
}

/* Without a cgroup namespace a container sees its own part mounted, and its path from outside. */
static void a_part_that_is_mounted_is_where_its_path_begins(void)
{
	set_up("5:memory:/docker/3f4e/x\\n",
		"31 23 0:27 /docker/3f4e /sys/memory rw - cgroup cgroup rw,memory\\n");
	set_limit("memory/x", "memory.limit_in_bytes", "41943040");
	CHECK_EQ(limit(), 41943040);
	set_up("5:memory:/elsewhere\\n",
		"31 23 0:27 /docker/3f4e /sys/memory rw - cgroup cgroup rw,memory\\n");
	set_limit("memory", "memory.limit_in_bytes", "31943040");
	CHECK_EQ(limit(), 31943040);
}

static void what_makes_no_sense_limits_nothing(void)
{
	set_up("nonsense\\n0:\\n0::/a\\n5:memoryless:/b\\n",
		"31 23\\n - \\n31 - cgroup2\\n30 23 0:26 / - cgroup2 cgroup2 rw\\n");
	CHECK(limit() == MEMORY_UNLIMITED);
	set_up("0::/a\\n", "30 23 0:26 / /sys rw - cgroup2 cgroup2 rw\\n");
	set_limit("a", "memory.max", "nonsense");
	CHECK(limit() == MEMORY_UNLIMITED);
	work_run("rm -r proc");
	CHECK(limit() == MEMORY_UNLIMITED);
}

static void without_a_limit_that_matters_all_is_as_usual(void)
{
	struct memory_plan plan = memory_plan_make(MEMORY_UNLIMITED, &usual);

	CHECK_EQ(plan.unwind_bytes_max, usual.unwind_bytes_max);
	plan = memory_plan_make(1024 * MIB, &usual);
	CHECK(plan.limit == MEMORY_UNLIMITED);
	CHECK_EQ(plan.hold_bytes_max, usual.hold_bytes_max);
}

static void a_limit_is_shared_out_and_not_exceeded(void)
{
	for (uint64_t at = 24 * MIB; at < 128 * MIB; at += MIB) {
		struct memory_plan plan = memory_plan_make(at, &usual);

		CHECK(plan.limit == at);
		CHECK(plan.unwind_bytes_max + plan.queue_bytes_max + plan.hold_bytes_max +
				plan.jit_bytes_max + plan.ring_bytes_max + 16 * MIB <=
			at);
		CHECK(plan.unwind_bytes_max <= usual.unwind_bytes_max);
	}
	CHECK(memory_plan_make(40 * MIB, &usual).unwind_bytes_max > 7 * MIB);
	/* However small it is, something must be there to work with. */
	CHECK_EQ(memory_plan_make(1, &usual).unwind_bytes_max, MIB);
	CHECK(memory_plan_make(1, &usual).hold_bytes_max > 0);
}

static void this_process_has_what_its_own_limit_leaves(void)
{
	struct memory_plan plan = memory_plan_own(12 * MIB);

	CHECK(plan.unwind_bytes_max >= MIB && plan.unwind_bytes_max <= 12 * MIB);
	CHECK_EQ(plan.limit, memory_plan_make(memory_limit_read(NULL, NULL), &usual).limit);
}

int main(void)
{
	RUN(this_process_has_what_its_own_limit_leaves);
	RUN(of_cgroup_v2_the_least_on_the_way_up_counts);
	RUN(of_cgroup_v1_the_hierarchy_of_the_memory_controller_counts);
	RUN(a_part_that_is_mounted_is_where_its_path_begins);
	RUN(what_makes_no_sense_limits_nothing);
	RUN(without_a_limit_that_matters_all_is_as_usual);
	RUN(a_limit_is_shared_out_and_not_exceeded);
	return 0;
}
