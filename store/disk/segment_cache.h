/* SPDX-License-Identifier: Apache-2.0 */
/* Segment cache: dictionaries of segments that were decoded, for the next who asks.
 *
 * What it is   the groups used last, of all segments of a store, within a limit of bytes. A group is
 *              shared by those who use it at once; one in use is never dropped.
 * Ownership    owns the groups; the readers are the caller's, who forgets a segment's groups before
 *              its reader is closed.
 * Threads      any, at once; groups are decoded without the lock.
 * Errors       those of segment_group_open; -ENOMEM.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "store/disk/segment_reader.h"

/* A day of fifty busy processes. */
#define SEGMENT_CACHE_BYTES_DEFAULT ((size_t)128 << 20)
#define SEGMENT_CACHE_LIST_COUNT 1024u

struct segment_cache_entry;

struct segment_cache {
	pthread_mutex_t lock;
	struct segment_cache_entry *lists[SEGMENT_CACHE_LIST_COUNT]; /* by hash */
	struct segment_cache_entry *first, *last; /* used last; used longest ago */
	size_t byte_count;
	size_t bytes_max;
	uint64_t decoded_count;
	uint64_t reused_count;
};

/* What is asked for: group INDEX of the segment with this number, decoded at least so deep. */
struct segment_cache_key {
	uint64_t number;
	uint32_t index;
	enum segment_depth depth;
};

void segment_cache_init(struct segment_cache *cache, size_t bytes_max);
void segment_cache_done(struct segment_cache *cache);
/* RET_ENTRY goes back by segment_cache_give; its group stays until then. */
int segment_cache_take(struct segment_cache *cache, const struct segment_cache_key *key,
	const struct segment_reader *reader, struct segment_cache_entry **ret_entry);
const struct segment_group *segment_cache_group(const struct segment_cache_entry *entry);
void segment_cache_give(struct segment_cache *cache, struct segment_cache_entry *entry);
/* Drops the groups of segment NUMBER, of which none is in use. */
void segment_cache_forget(struct segment_cache *cache, uint64_t number);
