/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that start and end are counted once each, by the names that they have, with the time
 * that they really used. */
#include "collector/kernel/lives.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/kernel/privilege.h"
#include "tests/support/check.h"

/* Other processes of this machine have other parents. */
#define PARENT "stone-parent"
#define ROWS_MAX (4 * LIFE_ROWS_MAX)
/* The kernel frees a process some milliseconds after its parent asked for it. */
#define COUNTED_WITHIN_NS (10 * NS_PER_S)

struct row {
	struct life_key key;
	struct life_values values;
};

/* The program that is started: this one, told to end at once. Its name is that of its file. */
#define PROGRAM "test_lives"
#define TOLD_TO_END "end"

static struct lives *lives;
static struct tally tally;
static char own_path[PATH_MAX];
/* What was taken so far of children of PARENT, and what stands without a name. */
static struct row rows[ROWS_MAX];
static uint32_t row_count;
static struct life_values other;

static void add(struct life_values *to, const struct life_values *values)
{
	to->execs += values->execs;
	to->forks += values->forks;
	to->exits += values->exits;
	to->bare_exits += values->bare_exits;
	to->cpu_ns += values->cpu_ns;
	to->lifetime_ns += values->lifetime_ns;
}

static int keep(void *context, const struct life_key *key, const struct life_values *values)
{
	(void)context;
	if (!key->command[0]) {
		add(&other, values);
		return 0;
	}
	if (strcmp(key->parent, PARENT) != 0)
		return 0;
	for (uint32_t i = 0; i < row_count; i++) {
		if (memcmp(&rows[i].key, key, sizeof(*key)) == 0) {
			add(&rows[i].values, values);
			return 0;
		}
	}
	CHECK(row_count < ROWS_MAX);
	rows[row_count++] = (struct row){*key, *values};
	return 0;
}

static void take(void)
{
	CHECK_EQ(lives_take(lives, clock_monotonic_ns() + NS_PER_S, keep, NULL), 0);
}

static struct life_values of(const char *command)
{
	for (uint32_t i = 0; i < row_count; i++)
		if (strcmp(rows[i].key.command, command) == 0)
			return rows[i].values;
	return (struct life_values){0};
}

static void begin(void)
{
	take();
	row_count = 0;
	other = (struct life_values){0};
}

/* Takes until COUNT processes called COMMAND have been counted as ended. */
static struct life_values take_exits(const char *command, uint64_t count)
{
	uint64_t until_ns = clock_monotonic_ns() + COUNTED_WITHIN_NS;

	while (of(command).exits < count) {
		take();
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(10000);
	}
	return of(command);
}

/* Takes until the processes called COMMAND have used CPU_NS. */
static struct life_values take_cpu(const char *command, uint64_t cpu_ns)
{
	uint64_t until_ns = clock_monotonic_ns() + COUNTED_WITHIN_NS;

	while (of(command).cpu_ns < cpu_ns) {
		take();
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(10000);
	}
	return of(command);
}

static void reap(pid_t pid, int wanted)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), wanted);
}

static void burn(uint64_t cpu_ns)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec < cpu_ns);
}

static uint64_t time_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000;
}

/* Of all children that were waited for. */
static uint64_t children_cpu_ns(void)
{
	struct rusage usage;

	CHECK_EQ(getrusage(RUSAGE_CHILDREN, &usage), 0);
	return time_ns(usage.ru_utime) + time_ns(usage.ru_stime);
}

static void programs_are_counted_by_name_and_parent(void)
{
	struct life_values started, made;

	begin();
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl(own_path, PROGRAM, TOLD_TO_END, NULL);
			_exit(1);
		}
		reap(pid, 0);
	}
	started = take_exits(PROGRAM, 20);
	made = of(PARENT);
	CHECK_EQ(started.execs, 20);
	CHECK_EQ(started.exits, 20);
	CHECK_EQ(started.bare_exits, 0);
	CHECK_EQ(started.forks, 0);
	CHECK_EQ(made.forks, 20);
	CHECK_EQ(made.execs, 0);
	CHECK_EQ(made.exits, 0);
	CHECK_EQ(row_count, 2);
}

static void time_is_what_the_parent_is_told(void)
{
	uint64_t begin_ns = clock_monotonic_ns(), before_ns = children_cpu_ns(), told_ns, passed_ns;
	struct life_values ended;

	begin();
	for (int i = 0; i < 30; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			burn((uint64_t)i * NS_PER_MS / 4);
			_exit(0);
		}
		reap(pid, 0);
	}
	told_ns = children_cpu_ns() - before_ns;
	take_exits(PARENT, 30);
	/* The parent may ask before the child has left its CPU: then it is told less. rusage cuts
	 * microseconds off. */
	ended = take_cpu(PARENT, told_ns - 30 * 2000);
	passed_ns = clock_monotonic_ns() - begin_ns;
	printf("cpu %.3f ms, rusage %.3f ms, lived %.3f ms\n", (double)ended.cpu_ns / 1e6,
		(double)told_ns / 1e6, (double)ended.lifetime_ns / 1e6);
	CHECK_EQ(ended.bare_exits, 30);
	CHECK_EQ(ended.forks, 30);
	CHECK(ended.cpu_ns <= told_ns + told_ns / 20 + 30 * 100000);
	/* A life ends before the last of its CPU time: letting go of memory takes some tens of
	 * microseconds of 4 ms, on a busy host more. */
	CHECK(ended.lifetime_ns >= ended.cpu_ns - ended.cpu_ns / 10 &&
		ended.lifetime_ns <= passed_ns);
}

static void *burn_in_thread(void *context)
{
	burn(10 * NS_PER_MS);
	return context;
}

static void threads_are_no_processes(void)
{
	struct life_values ended;
	pid_t pid;

	begin();
	pid = fork();
	if (pid == 0) {
		pthread_t threads[4];

		prctl(PR_SET_NAME, "many-threads");
		for (int i = 0; i < 4; i++)
			CHECK_EQ(pthread_create(&threads[i], NULL, burn_in_thread, NULL), 0);
		/* They outlive the main thread. */
		syscall(SYS_exit, 0);
	}
	reap(pid, 0);
	ended = take_cpu("many-threads", 40 * NS_PER_MS);
	take();
	CHECK_EQ(of("many-threads").exits, 1);
	CHECK_EQ(of(PARENT).forks, 1);
	CHECK_EQ(ended.forks, 0);
	CHECK(ended.cpu_ns < 400 * NS_PER_MS);
}

static void *start_program(void *context)
{
	execl(own_path, PROGRAM, TOLD_TO_END, NULL);
	return context;
}

static void a_thread_that_starts_a_program_is_its_process(void)
{
	struct life_values ended;
	pid_t pid;

	begin();
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		CHECK_EQ(pthread_create(&thread, NULL, start_program, NULL), 0);
		for (;;)
			pause();
	}
	reap(pid, 0);
	ended = take_exits(PROGRAM, 1);
	usleep(100000);
	take();
	CHECK_EQ(of(PROGRAM).exits, 1);
	CHECK_EQ(ended.execs, 1);
	CHECK_EQ(ended.bare_exits, 0);
	CHECK_EQ(of(PARENT).exits, 0);
	CHECK_EQ(row_count, 2);
}

static void an_end_counts_at_once_and_its_time_when_the_parent_has_asked(void)
{
	siginfo_t info;
	pid_t pid;

	begin();
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		burn(20 * NS_PER_MS);
		_exit(7);
	}
	CHECK_EQ(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	usleep(200000);
	take();
	CHECK_EQ(of(PARENT).exits, 1);
	CHECK_EQ(of(PARENT).cpu_ns, 0);
	/* What it waits for its parent is no life. */
	CHECK(of(PARENT).lifetime_ns >= 20 * NS_PER_MS);
	reap(pid, 7);
	CHECK(take_cpu(PARENT, 20 * NS_PER_MS).cpu_ns < 60 * NS_PER_MS);
	CHECK_EQ(of(PARENT).exits, 1);
}

static void each_is_told_once(void)
{
	uint64_t exits;

	begin();
	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		reap(pid, 0);
		if (i % 10 == 0)
			take();
	}
	exits = take_exits(PARENT, 200).exits;
	usleep(100000);
	take();
	CHECK_EQ(exits, 200);
	CHECK_EQ(of(PARENT).exits, 200);
	CHECK_EQ(of(PARENT).forks, 200);
}

/* An event is in the table of its time, whenever that is taken. */
static void a_turn_parts_by_time(void)
{
	struct life_values first;
	pid_t pid;

	begin();
	lives_begin(lives, clock_monotonic_ns() + 100 * NS_PER_MS);
	pid = fork();
	if (pid == 0)
		_exit(0);
	reap(pid, 0);
	usleep(150000);
	pid = fork();
	if (pid == 0)
		_exit(0);
	reap(pid, 0);
	take();
	first = of(PARENT);
	CHECK_EQ(first.forks, 1);
	CHECK_EQ(take_exits(PARENT, 2).forks, 2);
}

/* Each with a name of its own, all waiting for us at once. */
static void start_many(pid_t *pids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (pids[i] == 0) {
			char name[COMM_BYTES];

			snprintf(name, sizeof(name), "stone-%u", i);
			prctl(PR_SET_NAME, name);
			_exit(0);
		}
	}
}

/* So many more than fit; twice what is expected to find no room, since the kernel's tables hold a few
 * more than they are asked to, and the notes of whoever was freed meanwhile make room. */
#define TOO_MANY 200

static void full_tables_lose_names_and_no_process(void)
{
	static pid_t pids[LIFE_ROWS_MAX + TOO_MANY];
	uint64_t unnamed = tally_value(&tally, TALLY_lives_unnamed);
	uint64_t unnoted = tally_value(&tally, TALLY_lives_unnoted);
	uint64_t forks, exits;

	begin();
	/* All in one turn. */
	lives_begin(lives, UINT64_MAX);
	start_many(pids, LIFE_ROWS_MAX + TOO_MANY);
	for (uint32_t i = 0; i < LIFE_ROWS_MAX + TOO_MANY; i++)
		reap(pids[i], 0);
	take();
	exits = other.exits;
	forks = other.forks;
	for (uint32_t i = 0; i < row_count; i++) {
		exits += rows[i].values.exits;
		forks += rows[i].values.forks;
	}
	printf("%u rows, %lu ends without a name, %lu not noted\n", row_count,
		(unsigned long)other.exits,
		(unsigned long)(tally_value(&tally, TALLY_lives_unnoted) - unnoted));
	CHECK(row_count <= LIFE_ROWS_MAX + 1);
	/* Others of this machine may have lost their names, too. */
	CHECK(other.exits >= 100);
	CHECK(exits >= LIFE_ROWS_MAX + TOO_MANY);
	CHECK(forks >= LIFE_ROWS_MAX + TOO_MANY);
	CHECK(tally_value(&tally, TALLY_lives_unnamed) - unnamed >= 100);
	CHECK(tally_value(&tally, TALLY_lives_unnoted) - unnoted >= 100);
}

static int refuse(void *context, const struct life_key *key, const struct life_values *values)
{
	(void)context, (void)key, (void)values;
	return -ENOSPC;
}

static void what_the_taker_refuses_is_told(void)
{
	pid_t pid;

	begin();
	pid = fork();
	if (pid == 0)
		_exit(0);
	reap(pid, 0);
	CHECK_EQ(lives_take(lives, UINT64_MAX, refuse, NULL), -ENOSPC);
	CHECK_EQ(tally_value(&tally, TALLY_lives_dropped), 1);
}

static void a_kernel_that_refuses_is_told(void)
{
	struct sampler_reason reason;
	struct lives *none = NULL;

	CHECK_EQ(lives_open("/there/is/no/btf", &tally, &reason, &none), -ENOENT);
	CHECK(strstr(reason.text, "no BTF") != NULL);
	CHECK(none == NULL);
	lives_free(NULL);
}

int main(int argc, char **argv)
{
	struct sampler_reason reason = {{0}};
	ssize_t length;

	if (argc == 2 && strcmp(argv[1], TOLD_TO_END) == 0)
		return 0;
	length = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
	CHECK(length > 0);
	own_path[length] = '\0';
	/* Children must not tell again what waits to be printed. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	privilege_need_sampling();
	RUN(a_kernel_that_refuses_is_told);
	if (lives_open(NULL, &tally, &reason, &lives) < 0)
		fprintf(stderr, "%s\n", reason.text);
	CHECK(lives != NULL);
	CHECK_EQ(prctl(PR_SET_NAME, PARENT), 0);
	RUN(programs_are_counted_by_name_and_parent);
	RUN(time_is_what_the_parent_is_told);
	RUN(threads_are_no_processes);
	RUN(a_thread_that_starts_a_program_is_its_process);
	RUN(an_end_counts_at_once_and_its_time_when_the_parent_has_asked);
	RUN(each_is_told_once);
	RUN(a_turn_parts_by_time);
	RUN(full_tables_lose_names_and_no_process);
	RUN(what_the_taker_refuses_is_told);
	lives_free(lives);
	return 0;
}
