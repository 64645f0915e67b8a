/* SPDX-License-Identifier: Apache-2.0 */
/* A program that knows where its own CPU time went, so that a profile of it can be judged.
 *
 * Each thread always runs the part that is furthest behind its intended share, for a slice of 5 to
 * 20 ms of its own CPU time, measured by CLOCK_THREAD_CPUTIME_ID. So the shares are right at every
 * moment to within a slice, and the slices have no period that a sampler could fall in step with.
 *
 * A report gets one JSON line every 100 ms: what each part has used until then, by the same clock.
 *
 * Functions reach the kernel through syscall() alone: libc's own wrappers have no frame pointer and
 * may use its register for something else, which would hide the function that called them.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/truth/truth_library.h"

#define NS_PER_SECOND 1000000000ull
#define NS_PER_MS 1000000ull
#define SLICE_MS_MIN 5
#define SLICE_MS_MAX 20
#define REPORT_INTERVAL_NS (100 * NS_PER_MS)
#define SECONDS_MAX 3600
#define THREADS_MAX 64
/* About 50 us of arithmetic between two looks at the clock: far below a slice, far above a look. */
#define MIXES_PER_LOOK 20000
/* Of /dev/zero at a time: nearly all of the time is the kernel's. */
#define READ_BYTES (256 * 1024)
#define READS_PER_LOOK 8

#define KEEP __attribute__((noinline, noclone))

struct part {
	const char *name;
	unsigned int percent;
	void (*run)(uint64_t until_ns);
};

struct worker {
	pthread_t thread;
	uint64_t random;
	_Atomic uint64_t *used_ns; /* of each part */
};

static atomic_bool stopping;
static int zero_fd;
static volatile uint64_t sink;

void truth_alpha(uint64_t until_ns);
void truth_beta(uint64_t until_ns);
void truth_through_library(uint64_t until_ns);
bool truth_callback(void *context);
void truth_kernel(uint64_t until_ns);

static const struct part parts[] = {
	{"truth_alpha", 40, truth_alpha},
	{"truth_beta", 25, truth_beta},
	{"truth_callback", 15, truth_through_library},
	{"truth_kernel", 20, truth_kernel},
};
#define PART_COUNT (sizeof(parts) / sizeof(parts[0]))

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static KEEP uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* TRUTH_INNER says whether these two end up inside their callers; the build makes both kinds.
 * gcc takes the frame pointer, and with it the caller, out of a function that calls nothing and
 * keeps nothing on its stack; so each keeps something. */
TRUTH_INNER uint64_t truth_inner_mix(uint64_t value)
{
	volatile uint64_t kept = value;

	for (unsigned int i = 0; i < MIXES_PER_LOOK; i++) {
		value ^= value >> 29;
		value *= 0x9e3779b97f4a7c15u;
	}
	return value ^ kept;
}

TRUTH_INNER uint64_t truth_inner_turn(uint64_t value)
{
	volatile uint64_t kept = value;

	for (unsigned int i = 0; i < MIXES_PER_LOOK; i++)
		value = (value << 7 | value >> 57) + i * 0x2545f4914f6cdd1du;
	return value ^ kept;
}

KEEP void truth_alpha(uint64_t until_ns)
{
	do
		sink = truth_inner_mix(sink);
	while (thread_cpu_ns() < until_ns);
}

KEEP void truth_beta(uint64_t until_ns)
{
	do
		sink = truth_inner_turn(sink + 1);
	while (thread_cpu_ns() < until_ns);
}

KEEP bool truth_callback(void *context)
{
	const uint64_t *until_ns = context;

	sink = truth_inner_mix(truth_inner_turn(sink));
	return thread_cpu_ns() < *until_ns;
}

KEEP void truth_through_library(uint64_t until_ns)
{
	truth_library_repeat(truth_callback, &until_ns);
}

static KEEP void truth_read(char *buffer)
{
	for (unsigned int i = 0; i < READS_PER_LOOK; i++)
		syscall(SYS_read, zero_fd, buffer, READ_BYTES);
}

KEEP void truth_kernel(uint64_t until_ns)
{
	char buffer[READ_BYTES];

	do {
		truth_read(buffer);
		syscall(SYS_getppid);
	} while (thread_cpu_ns() < until_ns);
}

/* The part that is furthest behind its share of what WORKER has used. */
static size_t next_part(const struct worker *worker)
{
	int64_t total = 0, behind, most = INT64_MIN;
	size_t next = 0;

	for (size_t i = 0; i < PART_COUNT; i++)
		total += (int64_t)worker->used_ns[i];
	for (size_t i = 0; i < PART_COUNT; i++) {
		behind = total / 100 * parts[i].percent - (int64_t)worker->used_ns[i];
		if (behind > most) {
			most = behind;
			next = i;
		}
	}
	return next;
}

static void *work(void *context)
{
	struct worker *worker = context;
	uint64_t started_ns = thread_cpu_ns(), ended_ns;
	uint64_t slice_ms;
	size_t part;

	while (!stopping) {
		part = next_part(worker);
		slice_ms = SLICE_MS_MIN +
			random_next(&worker->random) % (SLICE_MS_MAX - SLICE_MS_MIN + 1);
		parts[part].run(started_ns + slice_ms * NS_PER_MS);
		ended_ns = thread_cpu_ns();
		worker->used_ns[part] += ended_ns - started_ns;
		started_ns = ended_ns;
	}
	return NULL;
}

static int start_workers(struct worker *workers, unsigned int thread_count)
{
	char name[16];
	int r;

	for (unsigned int i = 0; i < thread_count; i++) {
		workers[i].random = 88172645463325252u + i * 2654435761u;
		workers[i].used_ns = calloc(PART_COUNT, sizeof(*workers[i].used_ns));
		if (!workers[i].used_ns)
			return -ENOMEM;
		r = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (r)
			return -r;
		snprintf(name, sizeof(name), "truth-%u", i % THREADS_MAX);
		pthread_setname_np(workers[i].thread, name);
	}
	return 0;
}

static void write_report(FILE *report, const struct worker *workers, unsigned int thread_count)
{
	uint64_t used_ns;

	fprintf(report, "{\"at_ns\":%llu,\"process_cpu_ns\":%llu,\"threads\":%u,\"cpu_ns\":{",
		(unsigned long long)clock_ns(CLOCK_REALTIME),
		(unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID), thread_count);
	for (size_t i = 0; i < PART_COUNT; i++) {
		used_ns = 0;
		for (unsigned int t = 0; t < thread_count; t++)
			used_ns += workers[t].used_ns[i];
		fprintf(report, "%s\"%s\":%llu", i ? "," : "", parts[i].name,
			(unsigned long long)used_ns);
	}
	fprintf(report, "}}\n");
	(void)fflush(report);
}

static void run(FILE *report, struct worker *workers, unsigned int thread_count, uint64_t seconds)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + seconds * NS_PER_SECOND;
	const struct timespec pause = {.tv_nsec = (long)REPORT_INTERVAL_NS};

	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		write_report(report, workers, thread_count);
		nanosleep(&pause, NULL);
	}
	stopping = true;
	for (unsigned int i = 0; i < thread_count; i++)
		pthread_join(workers[i].thread, NULL);
	write_report(report, workers, thread_count);
}

/* Reads the value of an option; exits with status 2 where it is not within 1..MAX. */
static unsigned int number_of(const char *option, const char *text, unsigned long max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value < 1 || value > max) {
		fprintf(stderr, "truth: --%s takes 1..%lu, not \"%s\"\n", option, max, text);
		exit(2);
	}
	return (unsigned int)value;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seconds", required_argument, NULL, 's'},
		{"threads", required_argument, NULL, 't'},
		{"report", required_argument, NULL, 'r'},
		{0},
	};
	static struct worker workers[THREADS_MAX];
	unsigned int seconds = 10, thread_count = 3;
	FILE *report = stdout;
	int option, r;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			seconds = number_of("seconds", optarg, SECONDS_MAX);
		else if (option == 't')
			thread_count = number_of("threads", optarg, THREADS_MAX);
		else if (option == 'r')
			report = fopen(optarg, "we");
		else
			return 2;
	}
	zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (!report || zero_fd < 0) {
		perror("truth: report or /dev/zero");
		return 1;
	}
	r = start_workers(workers, thread_count);
	if (r < 0) {
		fprintf(stderr, "truth: cannot start threads: %s\n", strerror(-r));
		return 1;
	}
	run(report, workers, thread_count, seconds);
	return 0;
}
