/* SPDX-License-Identifier: Apache-2.0 */
/* Store state: what the parts of the profile store share.
 *
 * What it is   the store itself, seen by profile_store.c and store_*.c only.
 * Ownership    profile_store.c makes and frees it.
 * Threads      fields under "lock" are used with it held; those of the writer by its thread, or
 *              before it starts and after it ended.
 * Errors       none.
 */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/disk/batch_seen.h"
#include "store/disk/log_file.h"
#include "store/disk/profile_store.h"
#include "store/disk/range_serial.h"
#include "store/disk/retention.h"
#include "store/disk/segment_cache.h"
#include "store/disk/store_catalog.h"
#include "store/disk/store_dir.h"
#include "store/disk/time_index.h"

/* A file that holds what was appended. */
struct store_file {
	enum store_kind kind; /* a log or a segment */
	uint64_t number;
	uint64_t bytes;
	uint64_t record_count; /* batches */
	uint64_t start_ns; /* of the earliest window */
	uint64_t until_ns; /* end of the latest window */
	uint64_t newest_ns; /* likewise, but no later than it was received */
	uint64_t received_ns; /* when its latest batch was */
	struct segment_reader *reader; /* of a segment */
	uint64_t born_at; /* visits up to this serial do not see it: they see what it replaced */
	enum retention_verdict verdict; /* other than KEEP: to be deleted */
	uint64_t doomed_at; /* visits up to this serial may still read it */
	bool unfit; /* could not be compacted: is left as it is until the store opens again */
};

/* One running visit, on its own stack. */
struct store_visit {
	uint64_t serial;
	struct store_visit *next;
};

/* One append on its way to the disk. */
struct store_pending {
	struct store_pending *next;
	struct store_pending *twin; /* an earlier append of the same key in the same group */
	struct batch_key key;
	struct catalog_note *note; /* for the catalogue, or NULL */
	uint64_t received_at_ns;
	uint8_t *bytes; /* a whole log record */
	size_t byte_count;
	profile_store_done_fn done;
	void *context;
	int result;
};

struct profile_store {
	struct profile_store_config config; /* dir is not kept */
	struct store_dir dir;
	uint64_t roll_bytes;
	uint64_t roll_ns;

	pthread_mutex_t lock;
	struct time_index index;
	uint64_t visible_id; /* entries below are durable */
	struct range_serials serials; /* of what is durable */
	struct store_file **files; /* those being deleted included */
	uint32_t file_count;
	uint32_t file_capacity;
	struct store_visit *visits;
	uint64_t visit_serial;
	uint64_t counters[PROFILE_STORE_COUNTER_COUNT];
	struct store_pending *first, **last; /* the queue */
	uint64_t pending_count, pending_bytes; /* waiting or being written */
	uint64_t appended_serial, answered_serial, flush_serial;
	uint64_t retain_wanted, retain_done;
	uint64_t next_number; /* of a file */
	uint64_t compact_wanted, compact_done;
	bool compact_stuck; /* a segment that was given up could not be removed */
	int compact_error; /* of the last compaction; 0: it went well */
	bool closing;
	bool full;
	uint64_t full_retry_ns; /* monotonic: when the next append is let through to try */
	int commit_error; /* of the last commit */
	int failed_error; /* of the last commit that failed */
	uint64_t failed_serial; /* answered_serial behind that commit */
	pthread_cond_t work; /* for the writer */
	pthread_cond_t compact; /* for the compactor */
	pthread_cond_t answered; /* for those who flush, retain or compact */

	struct store_catalog *catalog; /* NULL: there is none */
	struct segment_cache cache; /* has a lock of its own */

	pthread_t compactor;
	bool has_compactor;
	pthread_t thread;
	bool has_thread;
	struct log_file active; /* the writer's from here on */
	struct store_file *active_file;
	uint64_t active_period; /* received / roll_ns of its first record */
	struct batch_seen seen;
	uint64_t last_commit_ns; /* monotonic */
	uint64_t next_retain_ns; /* monotonic */
};

/* Troubles of this process, which another attempt may not have; others are the file's own. */
static inline bool store_error_is_ours(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

/* Takes the lock. */
static inline bool store_is_closing(struct profile_store *store)
{
	bool closing;

	pthread_mutex_lock(&store->lock);
	closing = store->closing;
	pthread_mutex_unlock(&store->lock);
	return closing;
}
