/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/proc_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct proc_root real;

static void stat_is_read_whatever_the_name(void)
{
	static const char text[] =
		"4711 (a) (b c) S 17 4711 4711 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 12 0 987654 1 2 3";
	static const char kernel[] =
		"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0";
	struct proc_stat stat;

	CHECK_EQ(proc_parse_stat(text, strlen(text), &stat), 0);
	CHECK_STR(stat.name, "a) (b c");
	CHECK_EQ(stat.parent_pid, 17);
	CHECK_EQ(stat.thread_count, 12);
	CHECK_EQ(stat.started_at_ticks, 987654);
	CHECK(!stat.is_kernel_thread);
	CHECK_EQ(proc_parse_stat(kernel, strlen(kernel), &stat), 0);
	CHECK(stat.is_kernel_thread);
	CHECK_EQ(proc_parse_stat("4711 a S", 8, &stat), -EBADMSG);
	CHECK_EQ(proc_parse_stat("4711 )a( S", 10, &stat), -EBADMSG);
	CHECK_EQ(proc_parse_stat("4711 (a) S 1 2", 14, &stat), -EBADMSG);
	CHECK_EQ(proc_parse_stat("", 0, &stat), -EBADMSG);
}

static void this_process_is_read(void)
{
	struct proc_stat stat;
	char path[PATH_MAX];

	CHECK_EQ(proc_read_stat(&real, (uint32_t)getpid(), &stat), 0);
	CHECK_EQ(stat.parent_pid, getppid());
	CHECK_EQ(stat.thread_count, 1);
	CHECK_EQ(proc_read_exe(&real, (uint32_t)getpid(), path), 0);
	CHECK(strstr(path, "unit_collector_process_proc_reader"));
	CHECK_EQ(proc_read_stat(&real, 0x7ffffff0, &stat), -ENOENT);
}

static int count_map(void *context, const struct maps_line *line)
{
	(void)line;
	++*(unsigned *)context;
	return 0;
}

static int stop_at_once(void *context, const struct maps_line *line)
{
	(void)line;
	++*(unsigned *)context;
	return -ECANCELED;
}

static void executable_mappings_are_given_and_broken_lines_counted(void)
{
	struct proc_root root;
	uint64_t malformed;
	unsigned count = 0;

	work_run("mkdir -p proc/7 && for i in $(seq 1000 2000); do "
		 "echo \"${i}000-${i}800 r-xp 00000000 00:01 9 /tmp/a\"; "
		 "echo \"${i}800-${i}900 rw-p 00000000 00:01 9 /tmp/a\"; echo nonsense; done "
		 "> proc/7/maps");
	CHECK_EQ(proc_root_init(&root, work_path("proc")), 0);
	CHECK_EQ(proc_each_map(&root, 7, count_map, &count, &malformed), 0);
	CHECK_EQ(count, 1001);
	CHECK_EQ(malformed, 1001);
	count = 0;
	CHECK_EQ(proc_each_map(&root, 7, stop_at_once, &count, &malformed), -ECANCELED);
	CHECK_EQ(count, 1);
	CHECK_EQ(proc_each_map(&root, 8, count_map, &count, &malformed), -ENOENT);

	/* A line that no buffer holds is one malformed line, and reading goes on. */
	work_run("mkdir -p proc/9 && head -c 100000 /dev/zero | tr '\\0' x > proc/9/maps && "
		 "printf '\\n1000-2000 r-xp 0 00:01 9 /a\\n' >> proc/9/maps");
	count = 0;
	CHECK_EQ(proc_each_map(&root, 9, count_map, &count, &malformed), 0);
	CHECK_EQ(count, 1);
	CHECK(malformed > 0);
	proc_root_done(&root);
}

/* The kernel shows no memory for a thread that has ended, the main thread included. */
static void mappings_outlive_the_main_thread(void)
{
	struct proc_root root;
	uint64_t malformed = 1;
	int count = 0;

	work_run("for t in 20 21 22 23; do mkdir -p ended/20/task/$t; done; : > ended/20/maps; "
		 ": > ended/20/task/20/maps; : > ended/20/task/21/maps; "
		 "printf '1000-2000 r-xp 0 00:01 9 /a\n' | tee ended/20/task/22/maps "
		 "> ended/20/task/23/maps; mkdir -p ended/30 && : > ended/30/maps");
	CHECK_EQ(proc_root_init(&root, work_path("ended")), 0);
	CHECK_EQ(proc_each_map(&root, 20, count_map, &count, &malformed), 0);
	CHECK_EQ(count, 1);
	CHECK_EQ(malformed, 0);
	/* A process without memory has no mappings, which is no fault. */
	CHECK_EQ(proc_each_map(&root, 30, count_map, &count, &malformed), 0);
	CHECK_EQ(count, 1);
	proc_root_done(&root);
}

static int find_pid(void *context, uint32_t pid)
{
	if (pid == (uint32_t)getpid())
		*(bool *)context = true;
	return 0;
}

static void processes_are_listed(void)
{
	bool found = false;

	CHECK_EQ(proc_each_pid(&real, find_pid, &found), 0);
	CHECK(found);
}

struct own_map {
	uint64_t start;
	uint64_t end;
};

static int find_code(void *context, const struct maps_line *line)
{
	struct own_map *map = context;
	uint64_t here = (uint64_t)(uintptr_t)&find_code;

	if (line->start <= here && here < line->end)
		*map = (struct own_map){line->start, line->end};
	return 0;
}

static void the_file_behind_a_mapping_is_opened(void)
{
	struct own_map map = {0, 0};
	struct stat mapped, own;
	uint64_t malformed;
	int fd;

	CHECK_EQ(proc_each_map(&real, (uint32_t)getpid(), find_code, &map, &malformed), 0);
	fd = proc_open_mapped(&real, (uint32_t)getpid(), map.start, map.end);
	CHECK(fd >= 0);
	CHECK_EQ(fstat(fd, &mapped), 0);
	CHECK_EQ(stat("/proc/self/exe", &own), 0);
	CHECK(mapped.st_ino == own.st_ino && mapped.st_dev == own.st_dev);
	close(fd);
	CHECK_EQ(proc_open_mapped(&real, (uint32_t)getpid(), map.start, map.end + 4096), -ENOENT);
}

static void paths_stay_below_the_root_of_the_process(void)
{
	struct proc_root root;
	int fd;

	work_run("mkdir -p other/5/root/etc && echo inside > other/5/root/etc/passwd && "
		 "ln -s /etc/passwd other/5/root/absolute && "
		 "ln -s ../../../../../../etc/passwd other/5/root/upward && mkfifo "
		 "other/5/root/fifo");
	CHECK_EQ(proc_root_init(&root, work_path("other")), 0);
	for (int i = 0; i < 3; i++) {
		static const char *const paths[] = {"/etc/passwd", "/absolute", "/upward"};
		char text[16] = {0};

		fd = proc_open_path(&root, 5, paths[i]);
		CHECK(fd >= 0);
		CHECK_EQ(read(fd, text, sizeof(text) - 1), 7);
		CHECK_STR(text, "inside\n");
		close(fd);
	}
	CHECK_EQ(proc_open_path(&root, 5, "/fifo"), -EMEDIUMTYPE);
	CHECK_EQ(proc_open_path(&root, 5, "/none"), -ENOENT);
	CHECK_EQ(proc_open_direct(&root, 5, "/fifo"), -EMEDIUMTYPE);
	CHECK_EQ(proc_open_direct(&root, 5, "/none"), -ENOENT);
	CHECK_EQ(proc_open_path(&root, 6, "/etc/passwd"), -ENOENT);
	CHECK_EQ(proc_open_own(work_path("other/5/root/fifo")), -EMEDIUMTYPE);
	proc_root_done(&root);
}

int main(void)
{
	CHECK_EQ(proc_root_init(&real, "/proc"), 0);
	RUN(stat_is_read_whatever_the_name);
	RUN(this_process_is_read);
	RUN(executable_mappings_are_given_and_broken_lines_counted);
	RUN(mappings_outlive_the_main_thread);
	RUN(processes_are_listed);
	RUN(the_file_behind_a_mapping_is_opened);
	RUN(paths_stay_below_the_root_of_the_process);
	CHECK_EQ(proc_root_init(&real, "/nonexistent"), -ENOENT);
	return 0;
}
