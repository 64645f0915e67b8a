/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   queue -> group -> seen before? -> index (not yet visible) -> write ... write -> fdatasync
 *                                                                                      |
 *                        answers <- seen, visible <------------------------------------+
 *
 * While one group is on its way to the disk the next one gathers. A lone append goes at once; the
 * next waits until STORE_LINGER_NS after the last commit began, so that a trickle costs at most
 * twenty fdatasyncs a second.
 *
 * After a failed write or fdatasync nobody knows what of the file reached the disk, and asking
 * again may answer a lie: the file is left as it was durable, nothing is added to it any more, and
 * the next group begins a new one. Only a full disk is a known state: the file is cut back and used
 * on.
 */
#include "store/disk/store_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/disk/store_files.h"

struct group {
	struct store_pending *first;
	uint64_t count;
	uint64_t bytes;
	bool full; /* took all that a group may hold */
};

static bool is_full(int error)
{
	return error == -ENOSPC || error == -EDQUOT;
}

/* Ends the active file without a seal: it is read from its start when the store opens next. */
static void abandon_active(struct profile_store *store)
{
	struct store_file *file = store->active_file;

	log_file_rollback(&store->active);
	log_file_done(&store->active);
	pthread_mutex_lock(&store->lock);
	store->active_file = NULL;
	if (file->record_count == 0) {
		store->counters[PROFILE_STORE_files_given_up]++;
		store_dir_remove(&store->dir, STORE_LOG, file->number);
		store_files_drop(store, file);
	}
	pthread_mutex_unlock(&store->lock);
}

static void seal_active(struct profile_store *store)
{
	struct store_file *file = store->active_file;

	if (!file)
		return;
	if (file->record_count == 0 || log_file_seal(&store->active) < 0) {
		abandon_active(store);
		return;
	}
	pthread_mutex_lock(&store->lock);
	file->bytes = store->active.byte_count;
	store->active_file = NULL;
	pthread_mutex_unlock(&store->lock);
	log_file_done(&store->active);
}

/* Files end with their hour, so that retention can delete whole ones, and at a size that is quickly
 * read again after a crash. */
static void roll_if_due(struct profile_store *store, uint64_t now_ns)
{
	if (store->active_file &&
		(now_ns / store->roll_ns > store->active_period ||
			store->active.byte_count >= store->roll_bytes ||
			store->active.record_count + STORE_GROUP_COUNT_MAX >
				LOG_FILE_RECORD_COUNT_MAX))
		seal_active(store);
}

static int begin_file(struct profile_store *store, uint64_t now_ns)
{
	uint64_t number = store_files_take_number(store);
	char name[STORE_NAME_BYTES];
	struct store_file *file;
	int r;

	store_dir_name(STORE_LOG, number, name);
	r = log_file_create(&store->active, store->dir.profiles_fd, name, number);
	if (r < 0)
		return r;
	pthread_mutex_lock(&store->lock);
	r = store_files_add(store, STORE_LOG, number, &file);
	if (r == 0) {
		store->active_file = file;
		store->counters[PROFILE_STORE_files_created]++;
	}
	pthread_mutex_unlock(&store->lock);
	if (r < 0) {
		log_file_done(&store->active);
		store_dir_remove(&store->dir, STORE_LOG, number);
		return r;
	}
	store->active_period = now_ns / store->roll_ns;
	return 0;
}

/* Marks what is a duplicate: of a durable batch, or of one in the same group. */
static void mark_duplicates(struct profile_store *store, struct group *group)
{
	for (struct store_pending *item = group->first; item; item = item->next) {
		if (batch_seen_has(&store->seen, &item->key)) {
			item->result = -EALREADY;
			continue;
		}
		for (struct store_pending *one = group->first; one != item; one = one->next) {
			if (one->key.sequence == item->key.sequence &&
				memcmp(&one->key, &item->key, sizeof(item->key)) == 0) {
				item->twin = one->twin ? one->twin : one;
				break;
			}
		}
	}
}

static bool to_be_written(const struct store_pending *item)
{
	return item->result == 0 && !item->twin;
}

/* Gives each record its place in the index, where nobody sees it before it is durable. */
static void index_group(struct profile_store *store, const struct group *group)
{
	uint64_t offset = store->active.byte_count;
	struct log_record record;

	pthread_mutex_lock(&store->lock);
	for (struct store_pending *item = group->first; item; item = item->next) {
		if (!to_be_written(item))
			continue;
		item->result = log_record_parse(item->bytes, item->byte_count, &record);
		if (item->result == 0)
			item->result = time_index_add(
				&store->index, &record, store->active_file, (uint32_t)offset);
		/* No room for its host, types or hour: it will not fit later either. */
		if (item->result == -E2BIG)
			item->result = -EFBIG;
		if (item->result == 0)
			offset += item->byte_count;
	}
	pthread_mutex_unlock(&store->lock);
}

/* RET_SYNCING tells a failed write from a failed fdatasync. */
static int write_group(struct profile_store *store, const struct group *group, bool *ret_syncing)
{
	bool first = store->active.durable_count == 0;
	int r = 0;

	*ret_syncing = false;
	for (struct store_pending *item = group->first; r == 0 && item; item = item->next) {
		if (to_be_written(item))
			r = log_file_append(&store->active, item->bytes, item->byte_count);
	}
	if (r < 0)
		return r;
	*ret_syncing = true;
	r = log_file_commit(&store->active);
	/* A file that its folder does not know is lost with the power. */
	if (r == 0 && first)
		r = store_dir_sync(&store->dir);
	return r;
}

static bool entry_not_visible(const void *context, const struct time_entry *entry)
{
	const struct profile_store *store = context;

	return entry->id >= store->visible_id;
}

static void fail_group(struct profile_store *store, struct group *group, int error, bool syncing)
{
	enum profile_store_counter counter =
		syncing ? PROFILE_STORE_sync_failures : PROFILE_STORE_write_failures;

	for (struct store_pending *item = group->first; item; item = item->next) {
		if (to_be_written(item))
			item->result = error;
	}
	pthread_mutex_lock(&store->lock);
	if (store->visible_id < store->index.next_id)
		time_index_remove(&store->index, entry_not_visible, store);
	store->visible_id = store->index.next_id;
	store->failed_error = error;
	store->failed_serial = store->answered_serial + group->count;
	if (is_full(error)) {
		store->full = true;
		store->full_retry_ns =
			clock_read(&store->config.clock).monotonic_ns + STORE_FULL_RETRY_NS;
	} else {
		store->counters[counter]++;
	}
	pthread_mutex_unlock(&store->lock);
	if (!store->active_file)
		return;
	if (syncing || !is_full(error) || log_file_rollback(&store->active) < 0)
		abandon_active(store);
}

static void publish_group(struct profile_store *store, const struct group *group)
{
	struct store_file *file = store->active_file;
	struct log_record record;

	pthread_mutex_lock(&store->lock);
	for (struct store_pending *item = group->first; item; item = item->next) {
		if (!to_be_written(item))
			continue;
		if (log_record_parse(item->bytes, item->byte_count, &record) == 0) {
			store_file_count(file, &record);
			range_serials_touch(&store->serials, record.start_ns,
				record.until_ns + PROFILE_SLOT_NS);
		}
		if (batch_seen_add(&store->seen, &item->key, item->received_at_ns) < 0)
			store->seen.forgotten_count++;
		store->counters[PROFILE_STORE_bytes_appended] += item->byte_count;
	}
	file->bytes = store->active.byte_count;
	store->visible_id = store->index.next_id;
	store->counters[PROFILE_STORE_commits]++;
	store->counters[PROFILE_STORE_keys_forgotten] = store->seen.forgotten_count;
	store->full = false;
	pthread_mutex_unlock(&store->lock);
}

static void commit_group(struct profile_store *store, struct group *group)
{
	uint64_t now_ns = clock_read(&store->config.clock).realtime_ns;
	bool any = false, syncing = false;
	int r = 0;

	mark_duplicates(store, group);
	for (const struct store_pending *item = group->first; item; item = item->next)
		any |= to_be_written(item);
	if (any) {
		roll_if_due(store, now_ns);
		if (!store->active_file)
			r = begin_file(store, now_ns);
		if (r == 0) {
			index_group(store, group);
			r = write_group(store, group, &syncing);
		}
		if (r < 0)
			fail_group(store, group, r, syncing);
		else
			publish_group(store, group);
	}
	pthread_mutex_lock(&store->lock);
	store->commit_error = r;
	pthread_mutex_unlock(&store->lock);
}

static int result_of(const struct store_pending *item)
{
	if (!item->twin)
		return item->result;
	return item->twin->result == 0 ? -EALREADY : item->twin->result;
}

static enum profile_store_counter counter_of_result(int result)
{
	if (result == 0)
		return PROFILE_STORE_records_appended;
	if (result == -EALREADY)
		return PROFILE_STORE_duplicates;
	return result == -EFBIG ? PROFILE_STORE_refused_large : PROFILE_STORE_records_failed;
}

/* Nothing of the group is pending any more: at the same moment, so that a reading adds up. */
static void count_results(struct profile_store *store, const struct group *group)
{
	pthread_mutex_lock(&store->lock);
	for (const struct store_pending *item = group->first; item; item = item->next)
		store->counters[counter_of_result(result_of(item))]++;
	store->pending_count -= group->count;
	store->pending_bytes -= group->bytes;
	pthread_mutex_unlock(&store->lock);
}

static void answer_group(struct profile_store *store, struct group *group)
{
	struct store_pending *item;

	count_results(store, group);
	for (item = group->first; item; item = item->next) {
		store_catalog_feed(store->catalog, item->note, result_of(item) == 0);
		item->done(item->context, result_of(item));
	}
	while ((item = group->first)) {
		group->first = item->next;
		free(item->bytes);
		free(item);
	}
	pthread_mutex_lock(&store->lock);
	store->answered_serial += group->count;
	pthread_cond_broadcast(&store->answered);
	pthread_mutex_unlock(&store->lock);
}

void store_writer_retain(struct profile_store *store)
{
	uint64_t now_ns = clock_read(&store->config.clock).realtime_ns;
	struct retention_limits limits = {now_ns, store->config.retain_ns, UINT64_MAX, UINT64_MAX};

	roll_if_due(store, now_ns);
	store_files_retain(store, now_ns);
	batch_seen_expire(&store->seen, retention_edge_ns(&limits));
}

/* Waits, under the lock, for a change or until UNTIL_NS (monotonic). */
static void wait_until(struct profile_store *store, uint64_t until_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / NS_PER_S),
		.tv_nsec = (long)(until_ns % NS_PER_S),
	};

	pthread_cond_timedwait(&store->work, &store->lock, &until);
}

static bool hurried(const struct profile_store *store)
{
	return store->closing || store->flush_serial > store->answered_serial ||
		store->retain_wanted > store->retain_done ||
		store->pending_bytes >= STORE_GROUP_BYTES_MAX ||
		store->pending_count >= STORE_GROUP_COUNT_MAX;
}

/* Waits until there is something to do. */
static void wait_for_work(struct profile_store *store)
{
	while (!store->first && !store->closing && store->retain_wanted == store->retain_done &&
		clock_monotonic_ns() < store->next_retain_ns)
		wait_until(store, store->next_retain_ns);
	while (store->first && !hurried(store) &&
		clock_monotonic_ns() < store->last_commit_ns + STORE_LINGER_NS)
		wait_until(store, store->last_commit_ns + STORE_LINGER_NS);
}

/* Takes the front of the queue. */
static struct group take_group(struct profile_store *store)
{
	struct group group = {.first = store->first};
	struct store_pending *last = NULL;

	while (store->first && group.count < STORE_GROUP_COUNT_MAX &&
		(group.count == 0 ||
			group.bytes + store->first->byte_count <= STORE_GROUP_BYTES_MAX)) {
		last = store->first;
		group.count++;
		group.bytes += last->byte_count;
		store->first = last->next;
	}
	if (last)
		last->next = NULL;
	if (!store->first)
		store->last = &store->first;
	return group;
}

static void retain_if_due(struct profile_store *store)
{
	uint64_t wanted;

	pthread_mutex_lock(&store->lock);
	wanted = store->retain_wanted;
	pthread_mutex_unlock(&store->lock);
	if (wanted == store->retain_done && clock_monotonic_ns() < store->next_retain_ns)
		return;
	store_writer_retain(store);
	store->next_retain_ns = clock_monotonic_ns() + STORE_RETAIN_PERIOD_NS;
	pthread_mutex_lock(&store->lock);
	store->retain_done = wanted;
	pthread_cond_broadcast(&store->answered);
	pthread_mutex_unlock(&store->lock);
}

void *store_writer_run(void *context)
{
	struct profile_store *store = context;
	bool closing;

	do {
		struct group group;

		pthread_mutex_lock(&store->lock);
		wait_for_work(store);
		group = take_group(store);
		closing = store->closing && !store->first;
		pthread_mutex_unlock(&store->lock);
		if (group.first) {
			store->last_commit_ns = clock_monotonic_ns();
			commit_group(store, &group);
			answer_group(store, &group);
		}
		retain_if_due(store);
	} while (!closing);
	seal_active(store);
	return NULL;
}
