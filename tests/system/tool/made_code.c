/* SPDX-License-Identifier: Apache-2.0 */
/* Makes code at run time and tells its names as runtimes do, under the pid that it has in its own
 * namespace, in a /tmp of its own. The code stays where it is; what it is called changes.
 *
 *     made_code file|link SECONDS NAME...
 *
 * Runs for SECONDS under each NAME and prints, before and after each, the time and the CPU time used
 * so far: `NAME FROM_NS UNTIL_NS FROM_CPU_NS UNTIL_CPU_NS`. With `link` the map is a symbolic link. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#define CODE_AT 64
#define ROUNDS 1000000

/* push rbp; mov rbp, rsp; 1: dec rdi; jnz 1b; pop rbp; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};

typedef void (*made_fn)(uint64_t rounds);

static void need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "made_code: cannot %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int open_map(int is_link)
{
	char path[64];
	int fd;

	need(unshare(CLONE_NEWNS) == 0, "have mounts of its own");
	need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "keep its mounts to itself");
	need(mount("none", "/tmp", "tmpfs", 0, NULL) == 0, "mount a /tmp");
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	if (is_link)
		need(symlink("/tmp/elsewhere", path) == 0, "make a link");
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	need(fd >= 0, "open its map");
	return fd;
}

static uint8_t *make_code(void)
{
	uint8_t *page = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(page != MAP_FAILED, "map memory");
	memcpy(page + CODE_AT, code, sizeof(code));
	return page + CODE_AT;
}

/* In two pieces, so that a reader meets a line without its end. */
static void tell(int fd, uint64_t start, size_t size, const char *name)
{
	char line[256];
	size_t length =
		(size_t)snprintf(line, sizeof(line), "%" PRIx64 " %zx %s\n", start, size, name);

	need(write(fd, line, 9) == 9, "write to its map");
	need(write(fd, line + 9, length - 9) == (ssize_t)(length - 9), "write to its map");
}

__attribute__((noinline)) static void run_for(made_fn fn, uint64_t seconds)
{
	uint64_t until = now(CLOCK_MONOTONIC) + seconds * 1000000000;

	while (now(CLOCK_MONOTONIC) < until)
		fn(ROUNDS);
}

int main(int argc, char **argv)
{
	uint8_t *at;
	made_fn fn;
	int fd;

	if (argc < 4)
		return 2;
	fd = open_map(strcmp(argv[1], "link") == 0);
	at = make_code();
	memcpy(&fn, &at, sizeof(fn));
	/* What lies underneath is told first, and does not count. */
	tell(fd, (uint64_t)(uintptr_t)at - CODE_AT, 4096, "all of the page");
	for (int i = 3; i < argc; i++) {
		uint64_t from = now(CLOCK_REALTIME), cpu = now(CLOCK_PROCESS_CPUTIME_ID);

		tell(fd, (uint64_t)(uintptr_t)at, sizeof(code), argv[i]);
		run_for(fn, strtoull(argv[2], NULL, 10));
		printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", argv[i], from,
			now(CLOCK_REALTIME), cpu, now(CLOCK_PROCESS_CPUTIME_ID));
		need(fflush(stdout) == 0, "say what it did");
	}
	return 0;
}
