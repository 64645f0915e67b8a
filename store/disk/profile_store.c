/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   DIR/lock  DIR/format  DIR/profiles/0000000001.log, 0000000002.seg ...   store_dir
 *        log = records + index                                log_file writes, log_reader reads
 *        record = header + block                              log_record, block_codec
 *        segment = what many logs held                        segment_writer, segment_reader
 *
 *   append -> queue -> store_writer (groups, fdatasync) -> time_index -> store_visit
 *                           |                 logs              |            ^
 *                           +-> store_files (retention)         v            |
 *                                       ^               store_compact -> store_pieces
 *                                       +----------------------+     segments
 */
#include "store/disk/profile_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "store/base/cleanup.h"
#include "store/base/fault.h"
#include "store/base/must.h"
#include "store/disk/compaction.h"
#include "store/disk/store_compact.h"
#include "store/disk/store_files.h"
#include "store/disk/store_load.h"
#include "store/disk/store_state.h"
#include "store/disk/store_visit.h"
#include "store/disk/store_writer.h"

/* What may wait for the disk: a second of a fleet's batches; beyond, senders keep theirs. */
#define PENDING_BYTES_MAX (UINT64_C(64) << 20)
#define PENDING_COUNT_MAX UINT64_C(65536)

/* A log ends at the latest after ten minutes or so many bytes; earlier under a small retention, so
 * that whole files can follow it. */
#define ROLL_BYTES_MIN (UINT64_C(1) << 20)
#define ROLL_BYTES_MAX (UINT64_C(64) << 20)
#define ROLL_NS_MIN (60 * NS_PER_S)
#define ROLL_NS_MAX COMPACTION_PERIOD_NS_MIN
#define ROLLS_PER_SIZE 16
#define ROLLS_PER_AGE 8

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

static void configure(struct profile_store *store, const struct profile_store_config *config)
{
	must(config->dir && config->clock.read);
	store->config = *config;
	store->config.dir = NULL;
	if (store->config.retain_ns == 0)
		store->config.retain_ns = PROFILE_STORE_RETAIN_NS_DEFAULT;
	if (store->config.pending_bytes_max == 0)
		store->config.pending_bytes_max = PENDING_BYTES_MAX;
	if (store->config.hot_ns == 0)
		store->config.hot_ns = PROFILE_STORE_HOT_NS_DEFAULT;
	if (store->config.grace_ns == 0)
		store->config.grace_ns = PROFILE_STORE_GRACE_NS_DEFAULT;
	if (store->config.retain_bytes == 0)
		store->config.retain_bytes = PROFILE_STORE_RETAIN_BYTES_DEFAULT;
	store->roll_bytes =
		clamp(store->config.retain_bytes / ROLLS_PER_SIZE, ROLL_BYTES_MIN, ROLL_BYTES_MAX);
	store->roll_ns = clamp(store->config.retain_ns / ROLLS_PER_AGE, ROLL_NS_MIN, ROLL_NS_MAX);
}

static int init_store(struct profile_store *store, const struct profile_store_config *config)
{
	pthread_condattr_t attributes;

	configure(store, config);
	store->dir = (struct store_dir){.profiles_fd = -1, .lock_fd = -1};
	store->active.fd = -1;
	store->last = &store->first;
	batch_seen_init(&store->seen);
	segment_cache_init(&store->cache, SEGMENT_CACHE_BYTES_DEFAULT);
	pthread_mutex_init(&store->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&store->work, &attributes);
	pthread_cond_init(&store->compact, &attributes);
	pthread_cond_init(&store->answered, &attributes);
	pthread_condattr_destroy(&attributes);
	return time_index_init(&store->index);
}

static void free_store(struct profile_store *store)
{
	store_catalog_free(store->catalog);
	time_index_done(&store->index);
	batch_seen_done(&store->seen);
	log_file_done(&store->active);
	for (uint32_t i = 0; i < store->file_count; i++)
		store_file_free(store, store->files[i]);
	free(store->files);
	segment_cache_done(&store->cache);
	store_dir_close(&store->dir);
	pthread_cond_destroy(&store->work);
	pthread_cond_destroy(&store->compact);
	pthread_cond_destroy(&store->answered);
	pthread_mutex_destroy(&store->lock);
	free(store);
}

static int start_threads(struct profile_store *store, struct profile_store_report *report)
{
	int r;

	store_writer_retain(store);
	store->next_retain_ns = clock_monotonic_ns() + STORE_RETAIN_PERIOD_NS;
	r = -pthread_create(&store->thread, NULL, store_writer_run, store);
	store->has_thread = r == 0;
	if (r == 0 && compaction_is_worth_it(store->config.retain_ns)) {
		r = -pthread_create(&store->compactor, NULL, store_compact_run, store);
		store->has_compactor = r == 0;
	}
	if (r < 0)
		snprintf(report->problem, sizeof(report->problem), "no thread: %s", fault_text(r));
	return r;
}

static void stop_threads(struct profile_store *store)
{
	pthread_mutex_lock(&store->lock);
	store->closing = true;
	pthread_cond_signal(&store->work);
	pthread_cond_signal(&store->compact);
	pthread_mutex_unlock(&store->lock);
	if (store->has_compactor)
		pthread_join(store->compactor, NULL);
	if (store->has_thread)
		pthread_join(store->thread, NULL);
}

static int open_store(
	struct profile_store *store, const char *path, struct profile_store_report *report)
{
	int r = store_dir_open(&store->dir, path, store->config.read_only, report->problem);

	if (r == 0)
		r = store_load(store, report);
	if (r < 0)
		return r;
	store->counters[PROFILE_STORE_files_found] = report->file_count;
	store->counters[PROFILE_STORE_torn_tails] = report->torn_tail_count;
	store->counters[PROFILE_STORE_torn_bytes] = report->torn_tail_bytes;
	store->counters[PROFILE_STORE_damaged_stretches] = report->damaged_count;
	if (store->config.catalog && !store->config.read_only)
		store_catalog_start(store, path);
	return store->config.read_only ? 0 : start_threads(store, report);
}

int profile_store_open(const struct profile_store_config *config,
	struct profile_store_report *ret_report, struct profile_store **ret_store)
{
	struct profile_store *store = calloc(1, sizeof(*store));
	int r;

	*ret_report = (struct profile_store_report){0};
	if (!store)
		return -ENOMEM;
	r = init_store(store, config);
	if (r == 0)
		r = open_store(store, config->dir, ret_report);
	if (r < 0) {
		store_catalog_stop(store->catalog);
		stop_threads(store);
		free_store(store);
		return r;
	}
	*ret_store = store;
	return 0;
}

void profile_store_close(struct profile_store *store)
{
	if (!store)
		return;
	store_catalog_stop(store->catalog);
	stop_threads(store);
	must(!store->visits && !store->first);
	free_store(store);
}

static int build_record(
	const struct profile *profile, struct log_record *record, struct store_pending *pending)
{
	SCOPED_FREE uint8_t *block = NULL;
	struct bytes_writer writer;
	size_t block_bytes;
	int r = block_encode(profile, &block, &block_bytes);

	if (r < 0)
		return r;
	bytes_writer_init(&writer, LOG_RECORD_BYTES_MAX + LOG_RECORD_ALIGN_BYTES);
	r = log_record_write(record, block, block_bytes, &writer);
	if (r == 0)
		pending->bytes = bytes_writer_take(&writer, &pending->byte_count);
	bytes_writer_done(&writer);
	return r;
}

/* Whether appends are refused just now, before any work is put into them. */
static int refuse_early(struct profile_store *store, const struct log_record *record,
	const struct clock_reading *now)
{
	struct retention_limits limits = {
		now->realtime_ns, store->config.retain_ns, UINT64_MAX, UINT64_MAX};
	int r = 0;

	if (store->config.read_only)
		return -EROFS;
	pthread_mutex_lock(&store->lock);
	if (record->until_ns <= retention_edge_ns(&limits)) {
		r = -ESTALE;
	} else if (store->full && now->monotonic_ns < store->full_retry_ns) {
		r = -ENOSPC;
	} else if (store->full) {
		/* This one goes to see whether there is room again. */
		store->full_retry_ns = now->monotonic_ns + STORE_FULL_RETRY_NS;
	}
	pthread_mutex_unlock(&store->lock);
	return r;
}

static int enqueue(struct profile_store *store, struct store_pending *pending)
{
	int r = 0;

	pthread_mutex_lock(&store->lock);
	if (store->closing) {
		r = -ESHUTDOWN;
	} else if (store->pending_count >= PENDING_COUNT_MAX ||
		store->pending_bytes + pending->byte_count > store->config.pending_bytes_max) {
		r = -ENOBUFS;
	} else {
		*store->last = pending;
		store->last = &pending->next;
		store->pending_count++;
		store->pending_bytes += pending->byte_count;
		store->counters[PROFILE_STORE_records_offered]++;
		store->appended_serial++;
		pthread_cond_signal(&store->work);
	}
	pthread_mutex_unlock(&store->lock);
	return r;
}

static enum profile_store_counter counter_of_refusal(int error)
{
	switch (error) {
	case -ESTALE:
		return PROFILE_STORE_refused_old;
	case -ENOSPC:
		return PROFILE_STORE_refused_full;
	case -ENOBUFS:
		return PROFILE_STORE_refused_queue;
	case -EFBIG:
		return PROFILE_STORE_refused_large;
	default:
		return PROFILE_STORE_refused_other;
	}
}

/* Offered and refused at once, so that a reading adds up at any moment. */
static void count_refusal(struct profile_store *store, int error)
{
	pthread_mutex_lock(&store->lock);
	store->counters[PROFILE_STORE_records_offered]++;
	store->counters[counter_of_refusal(error)]++;
	pthread_mutex_unlock(&store->lock);
}

static int append(struct profile_store *store, const struct batch_key *key,
	const struct profile *profile, profile_store_done_fn done, void *context)
{
	struct clock_reading now = clock_read(&store->config.clock);
	struct store_pending *pending;
	struct log_record record;
	int r;

	log_record_describe(&record, profile);
	record.key = *key;
	record.received_at_ns = now.realtime_ns;
	r = refuse_early(store, &record, &now);
	if (r < 0)
		return r;
	pending = calloc(1, sizeof(*pending));
	if (!pending)
		return -ENOMEM;
	*pending = (struct store_pending){
		.key = *key, .received_at_ns = now.realtime_ns, .done = done, .context = context};
	r = build_record(profile, &record, pending);
	if (r == 0)
		r = store_catalog_note(store->catalog, profile, &pending->note);
	if (r == 0)
		r = enqueue(store, pending);
	if (r < 0) {
		catalog_note_free(pending->note);
		free(pending->bytes);
		free(pending);
	}
	return r;
}

int profile_store_append(struct profile_store *store, const struct batch_key *key,
	const struct profile *profile, profile_store_done_fn done, void *context)
{
	int r = append(store, key, profile, done, context);

	if (r < 0)
		count_refusal(store, r);
	return r;
}

int profile_store_flush(struct profile_store *store)
{
	uint64_t begin, end;
	int r;

	if (store->config.read_only)
		return 0;
	pthread_mutex_lock(&store->lock);
	begin = store->answered_serial;
	end = store->appended_serial;
	if (store->flush_serial < end)
		store->flush_serial = end;
	pthread_cond_signal(&store->work);
	while (store->answered_serial < end)
		pthread_cond_wait(&store->answered, &store->lock);
	r = store->failed_serial > begin ? store->failed_error : 0;
	pthread_mutex_unlock(&store->lock);
	return r;
}

void profile_store_retain(struct profile_store *store)
{
	uint64_t serial;

	if (store->config.read_only)
		return;
	pthread_mutex_lock(&store->lock);
	serial = ++store->retain_wanted;
	pthread_cond_signal(&store->work);
	while (store->retain_done < serial)
		pthread_cond_wait(&store->answered, &store->lock);
	pthread_mutex_unlock(&store->lock);
}

void profile_store_compact(struct profile_store *store)
{
	uint64_t serial;

	/* Logs that are due end. */
	profile_store_retain(store);
	if (!store->has_compactor)
		return;
	pthread_mutex_lock(&store->lock);
	serial = ++store->compact_wanted;
	pthread_cond_signal(&store->compact);
	while (store->compact_done < serial)
		pthread_cond_wait(&store->answered, &store->lock);
	pthread_mutex_unlock(&store->lock);
}

/* Registers a visit and fixes what it may see. False: nothing in the index can match. */
static bool begin_visit(struct profile_store *store, const struct store_visitor *visitor,
	struct store_visit *visit, struct time_selection *selection)
{
	/* What is told of windows is told by each batch, whatever types it has. */
	const char *type = visitor->profile ? visitor->filter.type : NULL;
	bool may_match;

	pthread_mutex_lock(&store->lock);
	may_match = time_index_select(&store->index, visitor->filter.host, type, selection);
	selection->id_end = store->visible_id;
	*visit = (struct store_visit){++store->visit_serial, store->visits};
	store->visits = visit;
	pthread_mutex_unlock(&store->lock);
	return may_match;
}

static void end_visit(struct profile_store *store, const struct store_visit *visit)
{
	struct store_visit **at;

	pthread_mutex_lock(&store->lock);
	for (at = &store->visits; *at != visit; at = &(*at)->next)
		;
	*at = visit->next;
	pthread_mutex_unlock(&store->lock);
	store_files_reap(store);
}

static int run_visit(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter, struct store_visitor *visitor)
{
	struct retention_limits limits = {clock_read(&store->config.clock).realtime_ns,
		store->config.retain_ns, UINT64_MAX, UINT64_MAX};
	struct time_selection selection;
	struct store_visit registered;
	bool may_match;
	int r;

	visitor->from_ns = clamp(from_ns, retention_edge_ns(&limits), UINT64_MAX);
	visitor->until_ns = until_ns;
	if (filter)
		visitor->filter = *filter;
	if (visitor->from_ns >= until_ns)
		return 0;
	selection = (struct time_selection){.from_ns = visitor->from_ns, .until_ns = until_ns};
	may_match = begin_visit(store, visitor, &registered, &selection);
	r = store_visit_run(store, may_match ? &selection : NULL, registered.serial, visitor);
	end_visit(store, &registered);
	return r;
}

int profile_store_visit(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter, profile_store_visit_fn visit, void *context)
{
	struct store_visitor visitor = {.profile = visit, .context = context};

	return run_visit(store, from_ns, until_ns, filter, &visitor);
}

int profile_store_visit_lives(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter, profile_store_lives_fn visit, void *context)
{
	struct store_visitor visitor = {.lives = visit, .context = context};

	return run_visit(store, from_ns, until_ns, filter, &visitor);
}

int profile_store_visit_windows(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter, profile_store_window_fn visit, void *context)
{
	struct store_visitor visitor = {.window = visit, .context = context};

	return run_visit(store, from_ns, until_ns, filter, &visitor);
}

uint64_t profile_store_serial(struct profile_store *store, uint64_t from_ns, uint64_t until_ns)
{
	struct retention_limits limits = {clock_read(&store->config.clock).realtime_ns,
		store->config.retain_ns, UINT64_MAX, UINT64_MAX};
	uint64_t serial;

	if (from_ns < retention_edge_ns(&limits))
		return 0;
	pthread_mutex_lock(&store->lock);
	serial = range_serials_of(&store->serials, from_ns, until_ns);
	pthread_mutex_unlock(&store->lock);
	return serial + 1;
}

static void sum_files(const struct profile_store *store, struct profile_store_stats *stats)
{
	for (uint32_t i = 0; i < store->file_count; i++) {
		const struct store_file *file = store->files[i];

		stats->bytes += file->bytes;
		stats->record_count += file->record_count;
		if (file->kind == STORE_SEGMENT) {
			stats->segment_count++;
			stats->segment_bytes += file->bytes;
		}
		if (file->record_count == 0)
			continue;
		if (stats->oldest_ns == 0 || file->start_ns < stats->oldest_ns)
			stats->oldest_ns = file->start_ns;
		if (file->until_ns > stats->newest_ns)
			stats->newest_ns = file->until_ns;
	}
}

static void look_at_disk(const struct profile_store *store, struct profile_store_stats *stats)
{
	struct statvfs disk;

	if (fstatvfs(store->dir.profiles_fd, &disk) < 0)
		return;
	stats->disk_bytes = (uint64_t)disk.f_blocks * disk.f_frsize;
	stats->disk_free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
}

static void look_at_cache(struct profile_store *store, struct profile_store_stats *stats)
{
	struct segment_cache *cache = &store->cache;

	pthread_mutex_lock(&cache->lock);
	stats->cache_bytes = cache->byte_count;
	stats->counters[PROFILE_STORE_groups_decoded] = cache->decoded_count;
	stats->counters[PROFILE_STORE_groups_reused] = cache->reused_count;
	pthread_mutex_unlock(&cache->lock);
}

void profile_store_stats(struct profile_store *store, struct profile_store_stats *ret_stats)
{
	struct profile_store_stats stats = {0};

	look_at_disk(store, &stats);
	if (store->catalog)
		stats.catalog_bytes = catalog_bytes(store_catalog_get(store->catalog));

	pthread_mutex_lock(&store->lock);
	memcpy(stats.counters, store->counters, sizeof(stats.counters));
	look_at_cache(store, &stats);
	sum_files(store, &stats);
	stats.file_count = store->file_count;
	stats.compact_error = store->compact_error;
	stats.pending_count = store->pending_count;
	stats.pending_bytes = store->pending_bytes;
	stats.full = store->full;
	stats.commit_error = store->commit_error;
	pthread_mutex_unlock(&store->lock);
	*ret_stats = stats;
}
