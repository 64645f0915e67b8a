/* SPDX-License-Identifier: Apache-2.0 */
/* Recursion: recursion DEPTH SECONDS. Burns CPU time at the bottom of so many calls. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* Not inlined, not cloned, and not the last call of its caller. */
#define KEEP __attribute__((noinline, noclone, used))
#define STAY __asm__ volatile("" ::: "memory")

/* Long enough that the way down and up is nothing beside it, at any depth. */
#define BURN_NS 20000000

int burn(int seed);
int descend(int depth);
int begin(int depth);

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

KEEP int burn(int seed)
{
	int64_t until_ns = now_ns() + BURN_NS;
	uint64_t state = (uint64_t)seed;

	while (now_ns() < until_ns) {
		for (int i = 0; i < 20000; i++)
			state = state * 6364136223846793005u + 1442695040888963407u;
	}
	STAY;
	return (int)(state >> 63);
}

KEEP int descend(int depth)
{
	int below = depth > 1 ? descend(depth - 1) : burn(depth);

	STAY;
	return below + depth;
}

KEEP int begin(int depth)
{
	int sum = descend(depth);

	STAY;
	return sum;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 1;
	int64_t until_ns = now_ns() + (int64_t)(argc > 2 ? atoi(argv[2]) : 1) * 1000000000;
	int sum = 0;

	while (now_ns() < until_ns)
		sum += begin(depth);
	return sum == 4711;
}
