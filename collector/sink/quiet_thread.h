/* SPDX-License-Identifier: Apache-2.0 */
/* Quiet thread: one that gets no signals.
 *
 * What it is   pthread_create with all signals blocked: they are for the program's main thread.
 * Ownership    the caller joins the thread.
 * Threads      any.
 * Errors       -EAGAIN: no more threads.
 */
#pragma once

#include <pthread.h>

int quiet_thread_start(pthread_t *ret_thread, void *(*run)(void *context), void *context);
/* For timed waits: a stepped wall clock must not stretch them. */
void quiet_thread_init_condition(pthread_cond_t *condition);
