/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/quiet_thread.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "store/base/clock.h"
#include "tests/support/check.h"

/* What the thread saw blocked. */
static sigset_t seen;

static void *look(void *context)
{
	CHECK_EQ(pthread_sigmask(SIG_SETMASK, NULL, &seen), 0);
	return context;
}

static void a_thread_gets_no_signals_and_its_maker_goes_on_getting_them(void)
{
	int value;
	pthread_t thread;
	sigset_t mine;
	void *returned;

	CHECK_EQ(quiet_thread_start(&thread, look, &value), 0);
	CHECK_EQ(pthread_join(thread, &returned), 0);
	CHECK(returned == &value);
	CHECK(sigismember(&seen, SIGTERM) == 1 && sigismember(&seen, SIGINT) == 1);
	CHECK(sigismember(&seen, SIGHUP) == 1 && sigismember(&seen, SIGPIPE) == 1);
	CHECK_EQ(pthread_sigmask(SIG_SETMASK, NULL, &mine), 0);
	CHECK(sigismember(&mine, SIGTERM) == 0 && sigismember(&mine, SIGPIPE) == 0);
}

/* The monotonic clock counts from the boot: as wall time such a moment is long past. */
static void a_timed_wait_goes_by_the_monotonic_clock(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition;
	struct timespec from, until, end;

	quiet_thread_init_condition(&condition);
	CHECK_EQ(clock_gettime(CLOCK_MONOTONIC, &from), 0);
	until = from;
	until.tv_nsec += 1000 * 1000;
	if (until.tv_nsec >= (long)NS_PER_S) {
		until.tv_nsec -= (long)NS_PER_S;
		until.tv_sec++;
	}
	pthread_mutex_lock(&lock);
	while (pthread_cond_timedwait(&condition, &lock, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&lock);
	CHECK_EQ(clock_gettime(CLOCK_MONOTONIC, &end), 0);
	CHECK(end.tv_sec > until.tv_sec ||
		(end.tv_sec == until.tv_sec && end.tv_nsec >= until.tv_nsec));
	pthread_cond_destroy(&condition);
}

int main(void)
{
	RUN(a_thread_gets_no_signals_and_its_maker_goes_on_getting_them);
	RUN(a_timed_wait_goes_by_the_monotonic_clock);
	return 0;
}
