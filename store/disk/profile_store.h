/* SPDX-License-Identifier: Apache-2.0 */
/* Profile store: keeps every profile durably and gives back those of a range of time.
 *
 * What it is   append, acknowledged once it is on the disk; visit, piece by piece in time order;
 *              compaction of what is old into coarser pieces; retention by age and by size. The folder, its files and its formats are known to
 *              store/disk alone.
 * Ownership    the store owns its folder (one process at a time), its index and one writer thread.
 *              A profile given to a visitor is borrowed for that call.
 * Threads      append, visit, stats, flush and retain from any thread at once; open and close
 *              belong to one owner while nobody else uses the store.
 * Errors       0, or a negative errno named at each function. Damage in a file costs what is
 *              damaged, is counted, and never stops the rest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "store/disk/batch_key.h"
#include "store/profile/profile.h"

#define PROFILE_STORE_RETAIN_NS_DEFAULT (UINT64_C(90) * 24 * 3600 * NS_PER_S)
#define PROFILE_STORE_RETAIN_BYTES_DEFAULT (UINT64_C(20) << 30)
#define PROFILE_STORE_HOT_NS_DEFAULT (UINT64_C(48) * 3600 * NS_PER_S)
/* Collectors send a window within seconds, and again for minutes if they must. */
#define PROFILE_STORE_GRACE_NS_DEFAULT (UINT64_C(300) * NS_PER_S)

struct profile_store;

struct profile_store_config {
	const char *dir; /* the data folder; made if it is missing */
	uint64_t retain_ns; /* 0: the default; UINT64_MAX: for ever */
	uint64_t retain_bytes; /* 0: the default; UINT64_MAX: as much as the disk takes */
	uint64_t pending_bytes_max; /* what may wait for the disk; 0: the default */
	uint64_t hot_ns; /* slots are kept so long; 0: the default; UINT64_MAX: for ever */
	uint64_t grace_ns; /* an hour is compacted so long after its end; 0: the default */
	struct clock clock;
	bool compact_on_demand; /* only when profile_store_compact says so */
	bool catalog; /* keeps lists of labels beside the profiles: profile_store_labels.h */
	bool read_only; /* looks at a folder, even one in use: no lock, no thread, no change */
};

/* What opening found; the caller logs it. */
struct profile_store_report {
	uint64_t file_count;
	uint64_t record_count;
	uint64_t torn_tail_count; /* unfinished ends of files, from a crash: cut and set aside */
	uint64_t torn_tail_bytes;
	uint64_t damaged_count; /* stretches in the middle of files that could not be read */
	uint64_t damaged_bytes;
	char problem[256]; /* after a failure: what went wrong, for people */
};

/* Makes or opens the folder, cuts what a crash left unfinished and deletes what is past retention.
 * RET_REPORT is filled on failure as well.
 * -EBUSY: another process has this folder open.  -ENOTSUP: written in a format that this version
 * does not know.  -EACCES, -EROFS, -ENOTDIR, -ENOSPC, ...: the folder cannot be used. */
int profile_store_open(const struct profile_store_config *config,
	struct profile_store_report *ret_report, struct profile_store **ret_store);
/* Commits what was appended, answers it, and closes. Accepts NULL. */
void profile_store_close(struct profile_store *store);

/* RESULT: 0, durable. -EALREADY: a batch of this key is durable already, this one was left out.
 * -EFBIG: the index has no room for its host, type or hour.  -ENOSPC, -EIO, ...: not stored; the
 * sender keeps it and tries again. */
typedef void (*profile_store_done_fn)(void *context, int result);

/* Takes a copy of a sealed and checked PROFILE and stamps it with the time of the store's clock.
 * If this returns 0, DONE is called exactly once, by the writer thread, which it must not hold up
 * (nor may it flush or close the store); else DONE is not called:
 * -ENOSPC: the disk is full, tried again by itself.  -ENOBUFS: more waits for the disk than may.
 * -ESTALE: all of it is older than the retention.  -EFBIG: too large for one record.
 * -EROFS: opened read-only.  -ESHUTDOWN: closing.  -ENOMEM. */
int profile_store_append(struct profile_store *store, const struct batch_key *key,
	const struct profile *profile, profile_store_done_fn done, void *context);
/* Commits at once and waits until everything appended before is answered.
 * 0, or the error of the last commit that it waited for and that failed. */
int profile_store_flush(struct profile_store *store);

/* How much of what a profile holds a visitor needs; the store may give more, never less. */
enum profile_store_detail {
	PROFILE_STORE_SLOTS = 0, /* windows as they came, slots included while they are kept */
	PROFILE_STORE_ROWS, /* rows by stack, thread and CPU, summed over time */
	/* Rows by stack and series, summed over time. A thread is a series then: pid and tid are 0,
	 * it has no name, and CPUs are unknown. */
	PROFILE_STORE_STACKS,
	PROFILE_STORE_SERIES, /* sums by series alone: every row has the empty stack */
};

/* Leaves out, without decoding, what cannot match; a visited profile may still hold more.
 * NULL fields and a NULL filter match all. */
struct profile_store_filter {
	const char *host; /* exact name */
	const char *type; /* five-part profile type */
	const char *service; /* exact service_name; the empty text: such that have none */
	enum profile_store_detail detail;
	/* 0: sums may reach over the whole range. Else none reaches over origin + k * step. */
	uint64_t step_ns;
	uint64_t step_origin_ns;
	/* NULL, or raised by the number of blocks and sections that were left out because they could
	 * not be read. */
	uint64_t *unreadable_count;
};

/* PROFILE is sealed, checked and complete (nothing may be added to it). 0 goes on; anything else
 * ends the visit and becomes its result. */
typedef int (*profile_store_visit_fn)(void *context, const struct profile *profile);

/* Calls VISIT for everything in [FROM_NS, UNTIL_NS) that was durable when the visit began, ordered
 * by the start of windows, one in memory at a time and no lock held. What cannot be read is left
 * out and counted. A file that retention or compaction deletes meanwhile is read to its end.
 * A profile is one of two:
 * - a window of one host: its head has the host. It may reach over an end of the range or a step:
 *   which of its samples lie inside is told by sample_range.h.
 * - a piece of what was compacted: its head has no host, and each label set has the label `host`.
 *   It lies inside the range and inside one step, so that all of it counts; it may be a day long.
 *   It has slots only where they were asked for; then pieces are windows of one host as they came,
 *   may reach over ends and steps as those do, and have slots as long as the store keeps them. */
int profile_store_visit(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter, profile_store_visit_fn visit, void *context);

/* The processes that started and ended in one window, as far as one batch tells. */
struct profile_store_lives {
	struct life_name host;
	uint64_t start_ns; /* of the window, epoch */
	uint64_t until_ns;
	const struct life_table *table; /* sorted; empty where the batch told none */
};

typedef int (*profile_store_lives_fn)(void *context, const struct profile_store_lives *lives);

/* The same for what profiles tell of lives alone, which is much less to decode; the filter's type
 * counts as well. A window in several batches comes as often; each life stands in one of them. */
int profile_store_visit_lives(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter, profile_store_lives_fn visit, void *context);

/* What one batch told of its host and its window, beside samples. */
struct profile_store_window {
	struct life_name host;
	uint64_t start_ns; /* epoch */
	uint64_t until_ns;
	uint64_t received_at_ns; /* epoch, by the store's clock */
	uint32_t online_cpu_count;
	uint64_t busy_ns; /* sums over the CPUs */
	uint64_t idle_ns;
	uint64_t steal_ns;
	uint64_t sampled_ns;
	struct life_name kernel_release;
	struct life_name collector_version;
};

typedef int (*profile_store_window_fn)(void *context, const struct profile_store_window *window);

/* The same for the windows alone, each whole, without their samples; of the filter, host and type
 * count. A window in several batches comes as often. */
int profile_store_visit_windows(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter, profile_store_window_fn visit, void *context);

/* Equal numbers, other than 0, mean that the range holds what it held before. 0: it reaches to what
 * retention takes away as time goes by. Asked before a visit, it tells later whether the answer of
 * that visit still holds. */
uint64_t profile_store_serial(struct profile_store *store, uint64_t from_ns, uint64_t until_ns);

/* Deletes what is past retention now; the writer thread does so by itself every few minutes. */
void profile_store_retain(struct profile_store *store);
/* Ends logs that are due, compacts now what can be, and waits for it; the compactor does so by
 * itself. */
void profile_store_compact(struct profile_store *store);

/* Counters since opening: name, meaning. Offered = appended + duplicates + refused by one of the
 * reasons + failed + pending now. Files found + created + segments written = expired + evicted +
 * replaced + given up + those that could not be deleted + those there are now. */
#define PROFILE_STORE_COUNTERS(X)                                                              \
	X(records_offered, "batches handed to the store")                                      \
	X(records_appended, "batches made durable")                                            \
	X(bytes_appended, "bytes made durable, headers included")                              \
	X(duplicates, "batches whose key was durable already: answered, not stored again")     \
	X(refused_full, "batches refused because the disk is full")                            \
	X(refused_queue, "batches refused because too much waits for the disk")                \
	X(refused_old, "batches refused because all of them is older than the retention")      \
	X(refused_large, "batches refused because they do not fit a record or the index")      \
	X(refused_other, "batches refused for lack of memory, or while the store closes")      \
	X(records_failed, "batches not stored because their group commit failed")              \
	X(write_failures, "group commits whose write failed, other than by a full disk")       \
	X(sync_failures, "group commits whose fdatasync failed: nothing of them acknowledged") \
	X(commits, "group commits, one fdatasync each")                                        \
	X(files_found, "files found when opening")                                             \
	X(files_created, "log files begun")                                                    \
	X(files_given_up, "log files given up before anything in them was durable")            \
	X(files_expired, "files deleted by age")                                               \
	X(files_evicted, "files deleted by size")                                              \
	X(files_replaced, "files deleted because a segment holds what they held")              \
	X(segments_written, "segments made by compaction")                                     \
	X(compactions_failed, "compactions that failed: what they were to replace stayed")     \
	X(compact_bytes_in, "bytes of the files that segments replaced")                       \
	X(compact_bytes_out, "bytes of the segments that replaced them")                       \
	X(bytes_deleted, "bytes given back by deleting files")                                 \
	X(delete_failures, "files that should have been deleted and could not be")             \
	X(torn_tails, "unfinished ends of files found when opening")                           \
	X(torn_bytes, "bytes of those ends")                                                   \
	X(damaged_stretches, "unreadable stretches in the middle of files found when opening") \
	X(blocks_read, "blocks decoded for visits")                                            \
	X(blocks_unreadable, "blocks left out of a visit: bytes damaged, or not readable")     \
	X(pieces_read, "pieces of segments handed to visits")                                  \
	X(sections_unreadable, "parts of segments left out of a visit: damaged")               \
	X(groups_decoded, "dictionaries of segments decoded for visits")                       \
	X(groups_reused, "dictionaries of segments that were in memory already")               \
	X(keys_forgotten, "batch keys forgotten before their time because too many are known") \
	X(catalog_made_anew, "times the catalogue of labels was made from the profiles")       \
	X(catalog_failures, "times the catalogue lost series, to find them in the profiles")   \
	X(catalog_not_ready, "lists of labels read from the profiles, for want of a catalogue")

enum profile_store_counter {
#define X(name, meaning) PROFILE_STORE_##name,
	PROFILE_STORE_COUNTERS(X)
#undef X
		PROFILE_STORE_COUNTER_COUNT
};

struct profile_store_stats {
	uint64_t counters[PROFILE_STORE_COUNTER_COUNT];
	uint64_t file_count; /* logs and segments */
	uint64_t segment_count; /* of these */
	uint64_t record_count; /* batches in all of them */
	uint64_t bytes; /* of all files */
	uint64_t segment_bytes; /* of these, segments */
	uint64_t cache_bytes; /* in memory: decoded dictionaries of segments */
	uint64_t oldest_ns; /* start of the oldest window, epoch; 0 if there is none */
	uint64_t newest_ns; /* end of the newest window, epoch; 0 if there is none */
	uint64_t pending_count; /* appended, not yet answered */
	uint64_t pending_bytes;
	uint64_t disk_bytes; /* of the file system; 0: it does not tell */
	uint64_t disk_free_bytes; /* of these, for us */
	uint64_t catalog_bytes; /* of the catalogue of labels, on the disk */
	bool full; /* the disk is full: appends are refused until it has room again */
	int commit_error; /* result of the last commit */
	int compact_error; /* of the last compaction */
};

void profile_store_stats(struct profile_store *store, struct profile_store_stats *ret_stats);
