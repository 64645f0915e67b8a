/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/cpu_times.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static const char text[] = "cpu  11 22 33 44 55 66 77 88 99 100\n"
			   "cpu0 1 2 3 100 50 4 5 7 1 0\n"
			   "cpu2 10 0 0 20 0 0 0 0 0 0\n"
			   "intr 12345\n"
			   "cpu9 1 1 1 1\n";

static void every_cpu_is_read(void)
{
	struct cpu_times times = {0};

	CHECK_EQ(cpu_times_parse(&times, text, strlen(text), 10), 0);
	CHECK_EQ(times.count, 2);
	CHECK_EQ(times.items[0].cpu, 0);
	CHECK_EQ(times.items[0].busy_ns, 150);
	CHECK_EQ(times.items[0].idle_ns, 1500);
	CHECK_EQ(times.items[0].steal_ns, 70);
	CHECK_EQ(times.items[1].cpu, 2);
	CHECK_EQ(times.items[1].busy_ns, 100);
	cpu_times_done(&times);
}

static void what_is_no_such_text_is_refused(void)
{
	struct cpu_times times = {0};

	CHECK_EQ(cpu_times_parse(&times, "", 0, 10), -EBADMSG);
	CHECK_EQ(cpu_times_parse(&times, "cpu  1 2 3\n", 11, 10), -EBADMSG);
	CHECK_EQ(cpu_times_parse(&times, "cpu99999 1 2 3\n", 15, 10), -EBADMSG);
	CHECK_EQ(cpu_times_parse(&times, "cpu0 1 2", 8, 10), -EBADMSG);
	CHECK_EQ(cpu_times_read(&times, work_path("missing")), -ENOENT);
	CHECK_EQ(times.count, 0);
	cpu_times_done(&times);
}

static void differences_are_by_cpu_and_never_negative(void)
{
	struct cpu_times before = {0}, after = {0};
	struct cpu_time passed;

	CHECK_EQ(cpu_times_parse(&before, text, strlen(text), 10), 0);
	work_write_text("stat",
		"cpu 1\ncpu0 2 2 3 90 50 4 5 9\ncpu1 5 0 0 1 0 0 0 0\n"
		"cpu2 11 0 0 30 0 0 0 0\n");
	CHECK_EQ(cpu_times_read(&after, work_path("stat")), 0);
	CHECK_EQ(after.count, 3);
	passed = cpu_time_since(&before, &after.items[0]);
	CHECK(passed.idle_ns > 0);
	CHECK_EQ(cpu_times_parse(
			 &after, "cpu0 2 2 3 90 50 4 5 9\ncpu1 5 0 0 1\ncpu2 11 0 0 30\n", 51, 10),
		0);
	passed = cpu_time_since(&before, &after.items[0]);
	CHECK_EQ(passed.busy_ns, 10);
	CHECK_EQ(passed.idle_ns, 0);
	CHECK_EQ(passed.steal_ns, 20);
	passed = cpu_time_since(&before, &after.items[1]);
	CHECK_EQ(passed.cpu, 1);
	CHECK_EQ(passed.busy_ns, 50);
	passed = cpu_time_since(&before, &after.items[2]);
	CHECK_EQ(passed.busy_ns, 10);
	CHECK_EQ(passed.idle_ns, 100);
	cpu_times_done(&before);
	cpu_times_done(&after);
}

static void this_host_is_read(void)
{
	struct cpu_times times = {0};

	CHECK_EQ(cpu_times_read(&times, NULL), 0);
	CHECK(times.count >= 1);
	CHECK(times.items[0].busy_ns > 0);
	cpu_times_done(&times);
}

int main(void)
{
	RUN(every_cpu_is_read);
	RUN(what_is_no_such_text_is_refused);
	RUN(differences_are_by_cpu_and_never_negative);
	RUN(this_host_is_read);
	return 0;
}
