/* SPDX-License-Identifier: Apache-2.0 */
/* Runs for ever, in what is hard to unwind: callbacks out of the C library, the kernel's vDSO,
 * the prologue and the epilogue of small functions, stacks that are aligned anew, signal handlers and deep recursion.
 * Built without frame pointers. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define KEYS 300
#define DEPTH 60

static volatile uint64_t sink;

static __attribute__((noinline)) int compare_keys(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static __attribute__((noinline)) uint64_t sort_keys(uint64_t seed)
{
	uint64_t keys[KEYS];

	for (int i = 0; i < KEYS; i++)
		keys[i] = seed = seed * UINT64_C(6364136223846793005) + 1;
	qsort(keys, KEYS, sizeof(keys[0]), compare_keys);
	return keys[KEYS / 2];
}

/* The library that the kernel maps. */
static __attribute__((noinline)) uint64_t ask_time(void)
{
	struct timespec time = {0, 0};

	for (int i = 0; i < 200; i++)
		clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_nsec;
}

/* An array that must be aligned better than the stack is, of a size that only the call tells. */
static __attribute__((noinline)) uint64_t align_anew(uint64_t seed, unsigned count)
{
	_Alignas(64) volatile uint64_t aligned[8];
	volatile uint8_t bytes[count];

	aligned[seed & 7] = seed;
	memset((void *)(uintptr_t)bytes, (int)seed, count);
	return sort_keys(aligned[seed & 7] + bytes[count / 2] + ask_time());
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is what this is about. */
static __attribute__((noinline)) uint64_t descend(unsigned depth, uint64_t seed)
{
	char text[32];

	if (depth == 0)
		return align_anew(seed, 100 + (unsigned)(seed & 127));
	snprintf(text, sizeof(text), "%g", (double)(seed & 1023));
	return descend(depth - 1, seed + (uint64_t)strlen(text)) + depth;
}

static void on_signal(int number)
{
	uint64_t keys[KEYS / 10], seed = (uint64_t)number;

	/* Too few for qsort to allocate memory, which a handler may not. */
	for (int round = 0; round < 10; round++) {
		for (size_t i = 0; i < KEYS / 10; i++)
			keys[i] = seed = seed * UINT64_C(6364136223846793005) + 1;
		qsort(keys, KEYS / 10, sizeof(keys[0]), compare_keys);
	}
	sink = sink + keys[3];
}

static void *run(void *argument)
{
	for (uint64_t i = (uintptr_t)argument;; i++)
		sink = sink + descend(DEPTH, i);
	return NULL;
}

int main(void)
{
	struct itimerval often = {{0, 500}, {0, 500}};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	pthread_t thread;

	if (sigaction(SIGPROF, &action, NULL) != 0 || setitimer(ITIMER_PROF, &often, NULL) != 0 ||
		pthread_create(&thread, NULL, run, (void *)7) != 0)
		return 1;
	run(NULL);
	return 0;
}
