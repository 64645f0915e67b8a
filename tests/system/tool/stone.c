/* SPDX-License-Identifier: Apache-2.0 */
/* A program with many lives: burns SECONDS of CPU time in stone_hot, after whatever its first word says.
 * Each build of it (STONE_BUILD) has a build-ID of its own; it is static, so that it runs in any root.
 *
 *   stone spin SECONDS                  in the main thread
 *   stone late SECONDS                  likewise, a second after it was started
 *   stone fork SECONDS                  in a child that starts no program
 *   stone leader SECONDS                in a thread that outlives the main thread
 *   stone exec SECONDS PROGRAM          here, then likewise as PROGRAM
 *   stone memory SECONDS PROGRAM        as PROGRAM, copied into memory
 *   stone root SECONDS FOLDER           with FOLDER as its root
 *   stone map SECONDS FILE COUNT        with COUNT mappings of code of FILE
 *   stone as PID PROGRAM SECONDS        PROGRAM, with the pid PID: prints it, waits for its end
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef STONE_BUILD
#define STONE_BUILD 1
#endif

static volatile uint64_t sink;

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A clock is read once in some milliseconds, so that nearly all time is here. */
__attribute__((noinline)) static void stone_hot(double seconds)
{
	double until = cpu_seconds() + seconds;

	do {
		for (uint64_t i = 0; i < 2000000; i++)
			sink += i * STONE_BUILD;
	} while (cpu_seconds() < until);
}

static int fail(const char *what)
{
	fprintf(stderr, "stone: %s: %s\n", what, strerror(errno));
	return 1;
}

static void *hot_thread(void *seconds)
{
	stone_hot(*(double *)seconds);
	exit(0);
}

static int outlive_leader(double seconds)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, hot_thread, &seconds) != 0)
		return fail("pthread_create");
	syscall(SYS_exit, 0);
	return 1;
}

static int in_child(double seconds)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		stone_hot(seconds);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : fail("fork");
}

static int start(const char *program, const char *seconds)
{
	execl(program, program, "spin", seconds, (char *)NULL);
	return fail(program);
}

static int from_memory(const char *seconds, const char *program)
{
	char name[] = "stone", kind[] = "spin";
	char *arguments[] = {name, kind, (char *)(uintptr_t)seconds, NULL};
	char *const nothing[] = {NULL};
	int file = open(program, O_RDONLY | O_CLOEXEC);
	int memory = memfd_create("stone-memory", MFD_CLOEXEC);
	struct stat status;

	if (file < 0 || memory < 0 || fstat(file, &status) < 0 ||
		sendfile(memory, file, NULL, (size_t)status.st_size) != status.st_size)
		return fail("copying the program");
	fexecve(memory, arguments, nothing);
	return fail("fexecve");
}

static int below(const char *folder, double seconds)
{
	if (chroot(folder) < 0 || chdir("/") < 0)
		return fail(folder);
	stone_hot(seconds);
	return 0;
}

/* Every second page has other rights, so that none is joined with the one before. */
static int with_mappings(double seconds, const char *path, long count)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return fail(path);
	for (long i = 0; i < count; i++) {
		int rights = PROT_READ | PROT_EXEC | (i % 2 ? 0 : PROT_WRITE);

		if (mmap(NULL, 4096, rights, MAP_PRIVATE, file, 0) == MAP_FAILED)
			return fail("mmap");
	}
	stone_hot(seconds);
	return 0;
}

static int as_pid(long wanted, const char *program, const char *seconds)
{
	pid_t pids[1] = {(pid_t)wanted};
	struct clone_args arguments = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)pids, .set_tid_size = 1};
	long pid = syscall(SYS_clone3, &arguments, sizeof(arguments));
	int status;

	if (pid == 0)
		_exit(start(program, seconds));
	if (pid < 0)
		return fail("clone3");
	return waitpid((pid_t)pid, &status, 0) == pid ? status : fail("waitpid");
}

static int live(const char *kind, char **words)
{
	double seconds = strtod(words[0], NULL);

	if (strcmp(kind, "spin") == 0)
		return stone_hot(seconds), 0;
	if (strcmp(kind, "late") == 0)
		return sleep(1), stone_hot(seconds), 0;
	if (strcmp(kind, "fork") == 0)
		return in_child(seconds);
	if (strcmp(kind, "leader") == 0)
		return outlive_leader(seconds);
	if (!words[1])
		return 2;
	if (strcmp(kind, "exec") == 0)
		return stone_hot(seconds), start(words[1], words[0]);
	if (strcmp(kind, "memory") == 0)
		return from_memory(words[0], words[1]);
	if (strcmp(kind, "root") == 0)
		return below(words[1], seconds);
	if (!words[2])
		return 2;
	if (strcmp(kind, "map") == 0)
		return with_mappings(seconds, words[1], strtol(words[2], NULL, 10));
	return strcmp(kind, "as") == 0 ? as_pid(strtol(words[0], NULL, 10), words[1], words[2]) : 2;
}

int main(int argc, char **argv)
{
	return argc >= 3 ? live(argv[1], argv + 2) : 2;
}
