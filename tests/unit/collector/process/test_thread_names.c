/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/thread_names.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/work_dir.h"

static struct thread_names names;

static const char *name_of(uint32_t pid, uint32_t tid, uint32_t flags)
{
	static struct event_sample sample;

	sample = (struct event_sample){.pid = pid, .tid = tid, .cpu = 3, .flags = flags};
	memset(sample.comm, 'x', sizeof(sample.comm));
	thread_names_fill(&names, &sample);
	CHECK(memchr(sample.comm, '\0', sizeof(sample.comm)) != NULL);
	return sample.comm;
}

static void named(uint32_t pid, uint32_t tid, const char *name)
{
	struct task_record record = {
		.kind = TASK_NAMED, .pid = pid, .tid = tid, .named = {.name = name}};

	thread_names_apply(&names, &record);
}

static void forked(uint32_t pid, uint32_t tid, uint32_t parent_tid)
{
	struct task_record record = {.kind = TASK_FORKED,
		.pid = pid,
		.tid = tid,
		.parent_pid = 5,
		.parent_tid = parent_tid};

	thread_names_apply(&names, &record);
}

/* A folder like /proc with two threads of process 70 and a worker of the kernel. */
static void make_proc(void)
{
	work_run("mkdir -p proc/70/task/70 proc/70/task/71 proc/8/task/8");
	work_write_text("proc/70/task/70/comm", "server\n");
	work_write_text("proc/70/task/71/comm", "a long name of a thread\n");
	work_write_text("proc/8/task/8/comm", "kworker/0:1-events\n");
	CHECK_EQ(thread_names_init(&names, work_path("proc"), true), 0);
}

static void records_give_names_and_children_inherit_them(void)
{
	make_proc();
	named(50, 50, "shell");
	CHECK_STR(name_of(50, 50, 0), "shell");
	forked(50, 51, 50);
	forked(60, 60, 51);
	CHECK_STR(name_of(50, 51, 0), "shell");
	CHECK_STR(name_of(60, 60, 0), "shell");
	named(60, 60, "ls");
	CHECK_STR(name_of(60, 60, 0), "ls");
	CHECK_STR(name_of(50, 50, 0), "shell");
	named(60, 61, "more than fifteen characters");
	CHECK_STR(name_of(60, 61, 0), "more than fifte");
	thread_names_done(&names);
}

static void what_no_record_named_is_read(void)
{
	make_proc();
	CHECK_STR(name_of(70, 70, 0), "server");
	CHECK_STR(name_of(70, 71, 0), "a long name of ");
	/* And kept: the file is gone. */
	work_run("rm -r proc/70");
	CHECK_STR(name_of(70, 70, 0), "server");
	/* One that was never read goes by its process, or by none. */
	CHECK_STR(name_of(70, 72, 0), "server");
	CHECK_STR(name_of(90, 91, 0), "[unknown]");
	CHECK_STR(name_of(8, 8, EVENT_KERNEL_THREAD), "kworker/0:1");
	thread_names_done(&names);
}

static void a_number_that_is_used_again_has_no_old_name(void)
{
	make_proc();
	named(80, 80, "old");
	forked(80, 80, 4000);
	CHECK_STR(name_of(80, 80, 0), "[unknown]");
	thread_names_done(&names);
}

static void any_number_of_threads_fits(void)
{
	make_proc();
	for (uint32_t tid = 1; tid < 200000; tid++)
		named(1, tid, tid % 2 ? "odd" : "even");
	CHECK_STR(name_of(1, 199999, 0), "odd");
	thread_names_done(&names);
}

static void idle_and_foreign_numbers_are_not_looked_up(void)
{
	make_proc();
	CHECK_STR(name_of(0, 0, EVENT_KERNEL_THREAD), "swapper/3");
	CHECK_STR(name_of(0, 0, 0), "[unknown]");
	names.pids_are_ours = false;
	CHECK_STR(name_of(70, 70, 0), "[unknown]");
	CHECK_STR(name_of(0, 0, EVENT_KERNEL_THREAD), "[unknown]");
	thread_names_done(&names);
}

static void this_thread_is_read(void)
{
	CHECK_EQ(thread_names_init(&names, NULL, true), 0);
	CHECK_EQ(pthread_setname_np(pthread_self(), "myself"), 0);
	CHECK_STR(name_of((uint32_t)getpid(), (uint32_t)gettid(), 0), "myself");
	thread_names_done(&names);
	thread_names_done(&names);
}

static void without_memory_there_is_no_table(void)
{
	fail_alloc_after(0);
	CHECK_EQ(thread_names_init(&names, NULL, true), -ENOMEM);
	fail_alloc_never();
	CHECK_EQ(thread_names_init(&names, "/there/is/no/proc", true), -ENOENT);
}

int main(void)
{
	RUN(records_give_names_and_children_inherit_them);
	RUN(what_no_record_named_is_read);
	RUN(a_number_that_is_used_again_has_no_old_name);
	RUN(any_number_of_threads_fits);
	RUN(idle_and_foreign_numbers_are_not_looked_up);
	RUN(this_thread_is_read);
	RUN(without_memory_there_is_no_table);
	return 0;
}
