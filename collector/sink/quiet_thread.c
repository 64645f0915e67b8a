/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/quiet_thread.h"

#include <signal.h>
#include <time.h>

int quiet_thread_start(pthread_t *ret_thread, void *(*run)(void *context), void *context)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(ret_thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

void quiet_thread_init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}
