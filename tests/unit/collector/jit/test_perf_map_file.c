/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/perf_map_file.h"

#include <errno.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct proc_root root;

/* Process 10, which is 3 in its own namespace, runs as USER. */
static void set_up(unsigned user)
{
	work_run("rm -rf proc && mkdir -p proc/10/root/tmp && "
		 "echo '10 (c) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 500 0' > proc/10/stat "
		 "&& printf 'Name:\\tc\\nUid:\\t9\\t%u\\t9\\t9\\nNSpid:\\t10\\t3\\n' > "
		 "proc/10/status && echo '10 20 a' > proc/10/root/tmp/perf-3.map",
		user);
	CHECK_EQ(proc_root_init(&root, work_path("proc")), 0);
}

static int try_open(void)
{
	int fd = perf_map_open(&root, 10, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : fd;
}

static void the_owner_is_read_from_the_status(void)
{
	struct perf_map_owner owner = {0, 0};

	CHECK_EQ(perf_map_parse_owner("Name:\ta\nUid:\t1\t2\t3\t4\nNSpid:\t70\t8\t1\n", &owner), 0);
	CHECK_EQ(owner.uid, 2);
	CHECK_EQ(owner.inner_pid, 1);
	CHECK_EQ(perf_map_parse_owner("Uid:\t0\t4294967295\t0\t0", &owner), 0);
	CHECK_EQ(owner.uid, UINT32_MAX);
	CHECK_EQ(owner.inner_pid, 0);
	/* A name may look like a field. */
	CHECK_EQ(perf_map_parse_owner("Name:\tUid:\t7\nUid:\t1\t2\t3\t4\n", &owner), 0);
	CHECK_EQ(owner.uid, 2);
	CHECK_EQ(perf_map_parse_owner("", &owner), -EBADMSG);
	CHECK_EQ(perf_map_parse_owner("Uid:\t1\n", &owner), -EBADMSG);
	CHECK_EQ(perf_map_parse_owner("Uid:\t1\t\n", &owner), -EBADMSG);
	CHECK_EQ(perf_map_parse_owner("Uid:\t1\t4294967296\n", &owner), -EBADMSG);
	CHECK_EQ(perf_map_parse_owner("Uid:\t1\t2\nNSpid:\tx\n", &owner), -EBADMSG);
	CHECK_EQ(owner.uid, 2);
}

static void the_map_is_that_of_the_inner_pid_below_the_root_of_the_process(void)
{
	set_up(0);
	CHECK_EQ(try_open(), 0);
	work_run("mv proc/10/root/tmp/perf-3.map proc/10/root/tmp/perf-10.map");
	CHECK_EQ(try_open(), -ENOENT);
	work_run("sed -i /NSpid/d proc/10/status");
	CHECK_EQ(try_open(), 0);
	proc_root_done(&root);
}

static void a_file_of_another_user_is_refused_and_one_of_root_is_not(void)
{
	set_up(1234);
	CHECK_EQ(try_open(), 0);
	work_run("chown 1234 proc/10/root/tmp/perf-3.map");
	CHECK_EQ(try_open(), 0);
	work_run("chown 1235 proc/10/root/tmp/perf-3.map");
	CHECK_EQ(try_open(), -EPERM);
	proc_root_done(&root);
}

static void links_and_what_is_no_file_are_refused(void)
{
	set_up(0);
	work_run("cd proc/10/root/tmp && mv perf-3.map other && ln -s other perf-3.map");
	CHECK_EQ(try_open(), -ELOOP);
	work_run("cd proc/10/root/tmp && rm perf-3.map && ln other perf-3.map");
	CHECK_EQ(try_open(), -EPERM);
	work_run("cd proc/10/root/tmp && rm perf-3.map && mkfifo perf-3.map");
	CHECK_EQ(try_open(), -EMEDIUMTYPE);
	work_run("cd proc/10/root/tmp && rm perf-3.map && mkdir perf-3.map");
	CHECK_EQ(try_open(), -EMEDIUMTYPE);
	work_run("cd proc/10/root && rm -r tmp/perf-3.map && mv tmp/other tmp/perf-3.map && "
		 "mv tmp elsewhere && ln -s elsewhere tmp");
	CHECK_EQ(try_open(), -ELOOP);
	proc_root_done(&root);
}

static void another_process_of_the_same_pid_is_told_apart(void)
{
	int fd;

	set_up(0);
	fd = perf_map_open(&root, 10, 500 * proc_tick_ns() + 1);
	CHECK(fd >= 0);
	close(fd);
	CHECK_EQ(perf_map_open(&root, 10, 501 * proc_tick_ns()), -ESRCH);
	CHECK_EQ(perf_map_open(&root, 11, 0), -ESRCH);
	work_run("rm proc/10/stat");
	CHECK_EQ(perf_map_open(&root, 10, 0), -ESRCH);
	proc_root_done(&root);
}

int main(void)
{
	RUN(the_owner_is_read_from_the_status);
	RUN(the_map_is_that_of_the_inner_pid_below_the_root_of_the_process);
	RUN(a_file_of_another_user_is_refused_and_one_of_root_is_not);
	RUN(links_and_what_is_no_file_are_refused);
	RUN(another_process_of_the_same_pid_is_told_apart);
	return 0;
}
