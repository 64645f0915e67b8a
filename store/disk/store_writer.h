/* SPDX-License-Identifier: Apache-2.0 */
/* Store writer: the one thread that changes the folder.
 *
 * What it is   takes appends in groups, makes each group durable with one fdatasync and answers it;
 *              rolls, seals and expires files.
 * Ownership    owns the active file and the set of seen batches while it runs.
 * Threads      store_writer_run is the thread; the rest is for before and after it.
 * Errors       every append of a group that failed is answered with the error.
 */
#pragma once

#include "store/disk/store_state.h"

/* An append waits no longer than this for company. */
#define STORE_LINGER_NS (50 * NS_PER_MS)
/* A group is closed once it holds so much. */
#define STORE_GROUP_BYTES_MAX ((size_t)4 << 20)
/* Looking for equal keys compares each with each. */
#define STORE_GROUP_COUNT_MAX 1024u
#define STORE_RETAIN_PERIOD_NS (120 * NS_PER_S)
/* A full disk is tried this often. */
#define STORE_FULL_RETRY_NS NS_PER_S

/* Thread body; returns once the store is closing and everything is answered. */
void *store_writer_run(void *store);
/* Deletes what is past retention and forgets its batches. */
void store_writer_retain(struct profile_store *store);
