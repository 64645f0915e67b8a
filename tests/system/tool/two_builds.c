/* SPDX-License-Identifier: Apache-2.0 */
/* Two builds: a program of which each build spends its time a little differently.
 *
 * BUILD 1:  steady 35 %, even 25 %, slow 10 %, before 30 %
 * BUILD 2:  steady 35 %, even 25 %, slow 30 %, after  10 %, and everything lies at another address
 *
 * Usage: two_builds SECONDS
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* About 0.2 ms on any machine of these years: a round is shorter than a tick of the sampler. */
#define STEPS 100000u

static volatile uint64_t sink;

/* The functions differ in SALT, lest the compiler makes them one. */
#define WORK(name, salt)                                                     \
	__attribute__((noinline)) static void name(unsigned parts)           \
	{                                                                    \
		uint64_t state = sink + (salt);                              \
                                                                             \
		for (uint64_t i = 0; i < (uint64_t)STEPS / 100 * parts; i++) \
			state = state * 6364136223846793005u + (salt);       \
		sink = state;                                                \
	}

#if BUILD == 2
WORK(padding, 17)
#endif
WORK(steady, 1)
WORK(even, 3)
WORK(slow, 5)
#if BUILD == 2
WORK(after, 7)
#else
WORK(before, 7)
#endif

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 1);

#if BUILD == 2
	padding(100);
#endif
	while (now() < end) {
		steady(35);
		even(25);
#if BUILD == 2
		slow(30);
		after(10);
#else
		slow(10);
		before(30);
#endif
	}
	return 0;
}
