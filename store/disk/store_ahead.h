/* SPDX-License-Identifier: Apache-2.0 */
/* Store ahead: groups of segments, opened by a thread of its own a few before a visit needs them.
 *
 * What it is   to read and decode a dictionary takes about as long as what a visit does with it: both
 *              at once answer a question that was not asked before in little more than half the time.
 * Ownership    borrows the cache, and the readers of the list, until store_ahead_end.
 * Threads      one owner, and the thread that it starts. Where none can be started, the owner opens
 *              groups itself.
 * Errors       -ENOMEM; of each group those of segment_cache_take.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/disk/segment_cache.h"

/* Opened groups that wait: the largest have a few megabytes. */
#define STORE_AHEAD_COUNT_MAX 4u

struct store_ahead_group {
	struct segment_cache_key key;
	const struct segment_reader *reader;
};

struct store_ahead_opened {
	struct segment_cache_entry *entry; /* NULL: there is an error, or it was given away */
	int error;
};

struct store_ahead {
	struct segment_cache *cache;
	const struct store_ahead_group *groups;
	uint32_t group_count;
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct store_ahead_opened opened[STORE_AHEAD_COUNT_MAX]; /* group i is at i % COUNT_MAX */
	uint32_t opened_count; /* of the list, so far */
	uint32_t taken_count;
	bool ending;
};

/* GROUPS, in the order in which they will be taken, stay until store_ahead_end. */
void store_ahead_begin(struct store_ahead *ahead, struct segment_cache *cache,
	const struct store_ahead_group *groups, uint32_t group_count);
/* The next group of the list; goes back by segment_cache_give. */
int store_ahead_take(struct store_ahead *ahead, struct segment_cache_entry **ret_entry);
/* What was opened and not taken goes back. */
void store_ahead_end(struct store_ahead *ahead);
