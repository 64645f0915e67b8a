/* SPDX-License-Identifier: Apache-2.0 */
/* Store digest: what a store answers, as text that tells nothing of how it keeps it.
 *
 * What it is   visits a range in the detail that is asked for, cuts what has to be cut, adds up and
 *              sorts: equal texts mean equal answers, whether they came of logs or of segments.
 * Ownership    texts are for the caller to free.
 * Threads      any.
 * Errors       what a test does not expect ends it: an error of the store; a piece that leaves its
 *              range or its step.
 */
#pragma once

#include "store/disk/profile_store.h"

/* One line for each row of the answer: of PROFILE_STORE_SLOTS, each window as it came; else sums,
 * with no more said of a row than FILTER's detail has; of each step apart. */
char *store_digest(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter);
/* One line for each window, in the order in which they came. */
char *store_digest_windows(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter);
/* One line for each command of each window that told of any, sorted. */
char *store_digest_lives(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter);
/* All of it at once: three ranges and steps in each detail, windows, lives. */
char *store_digest_all(struct profile_store *store, uint64_t from_ns, uint64_t until_ns);
