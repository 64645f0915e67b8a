/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/task_events.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

/* A program makes about ten records of a hundred bytes and more; a ring holds 256 KiB at most. */
#define OVERFLOWING_PROGRAM_COUNT 500

static struct tally tally;

static struct task_events *open_events(const char *cpu_folder)
{
	struct task_events_config config = {.cpu_folder = cpu_folder, .tally = &tally};
	struct task_events *events;
	int r = task_events_new(&config, &events);

	if (r < 0)
		fprintf(stderr, "this test needs root or CAP_PERFMON\n");
	CHECK_EQ(r, 0);
	return events;
}

/* A child that starts /bin/true and ends. */
static pid_t run_program(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void a_program_is_followed_from_fork_to_exit(void)
{
	struct task_events *events = open_events(NULL);
	uint64_t started_ns = clock_monotonic_ns();
	pid_t pid = run_program();
	uint64_t ended_ns = clock_monotonic_ns();
	struct task_record record;
	uint64_t last_ns = 0;
	unsigned mapped = 0, build_ids = 0, stage = 0;

	while (task_events_next(events, ended_ns, &record) == 1) {
		CHECK(record.time_ns >= last_ns);
		last_ns = record.time_ns;
		/* A sanitizer may keep a thread of its own. */
		if (record.pid != (uint32_t)pid || record.tid != record.pid)
			continue;
		CHECK(record.time_ns >= started_ns && record.time_ns <= ended_ns);
		switch (record.kind) {
		case TASK_FORKED:
			CHECK_EQ(record.parent_pid, getpid());
			CHECK_EQ(stage++, 0);
			break;
		case TASK_NAMED:
			CHECK(record.named.is_exec);
			CHECK_STR(record.named.name, "true");
			CHECK_EQ(stage++, 1);
			break;
		case TASK_MAPPED:
			CHECK_EQ(stage, 2);
			if (mapped++ == 0)
				CHECK(strstr(record.mapped.path, "/true"));
			build_ids += build_id_known(&record.mapped.build_id);
			break;
		case TASK_EXITED:
			CHECK_EQ(stage++, 2);
			break;
		case TASK_LOST:
			CHECK(!"records were lost");
		}
	}
	CHECK_EQ(stage, 3);
	/* The program, the dynamic linker, libc, the vDSO. */
	CHECK(mapped >= 4);
	if (task_events_have_build_ids(events))
		CHECK(build_ids >= 3);
	task_events_free(events);
}

static void records_younger_than_asked_for_wait(void)
{
	struct task_events *events = open_events(NULL);
	uint64_t before_ns = clock_monotonic_ns();
	struct task_record record;
	bool found = false;
	pid_t pid = run_program();

	while (task_events_next(events, before_ns, &record) == 1)
		CHECK(record.pid != (uint32_t)pid);
	while (task_events_next(events, UINT64_MAX, &record) == 1)
		found |= record.pid == (uint32_t)pid;
	CHECK(found);
	CHECK(tally_value(&tally, TALLY_task_records) > 0);
	task_events_free(events);
}

static void records_that_found_no_room_are_counted(void)
{
	struct task_events *events = open_events(NULL);
	struct task_record record;
	cpu_set_t one, all;
	bool told = false;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	CHECK_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
	CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
	/* Nobody empties the rings meanwhile; the loss is told once there is room again. */
	for (int i = 0; i < OVERFLOWING_PROGRAM_COUNT; i++)
		run_program();
	while (task_events_next(events, UINT64_MAX, &record) == 1)
		told |= record.kind == TASK_LOST;
	for (int i = 0; i < 8; i++)
		run_program();
	while (task_events_next(events, UINT64_MAX, &record) == 1)
		told |= record.kind == TASK_LOST;
	CHECK(told);
	CHECK(tally_value(&tally, TALLY_task_records_lost) > 0);
	CHECK_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
	task_events_free(events);
}

static bool sees_a_program(struct task_events *events)
{
	pid_t pid = run_program();
	struct task_record record;
	bool found = false;

	while (task_events_next(events, UINT64_MAX, &record) == 1)
		found |= record.pid == (uint32_t)pid;
	return found;
}

static void cpus_that_come_and_go_are_followed(void)
{
	struct task_events *events;

	work_write_text("online", "0\n");
	events = open_events(work_dir());
	CHECK_EQ(task_events_cpus_changed(events), 0);
	work_run("cp /sys/devices/system/cpu/online online");
	CHECK_EQ(task_events_cpus_changed(events), 0);
	CHECK(sees_a_program(events));
	work_write_text("online", "0\n");
	CHECK_EQ(task_events_cpus_changed(events), 0);
	work_run("cp /sys/devices/system/cpu/online online");
	CHECK_EQ(task_events_restart(events), 0);
	CHECK(sees_a_program(events));
	task_events_free(events);
}

int main(void)
{
	RUN(a_program_is_followed_from_fork_to_exit);
	RUN(records_younger_than_asked_for_wait);
	RUN(records_that_found_no_room_are_counted);
	RUN(cpus_that_come_and_go_are_followed);
	return 0;
}
