/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "store/base/cleanup.h"
#include "store/disk/catalog_mark.h"
#include "store/disk/catalog_read.h"
#include "store/disk/catalog_write.h"

/* Notes of one transaction: enough that a commit costs little beside them. */
#define APPLY_BYTES_MAX ((size_t)4 << 20)

struct catalog {
	char *folder;
	size_t queue_bytes_max;
	struct catalog_known known;
	struct catalog_tables tables; /* of the thread, until `open` is set */
	struct catalog_writer writer; /* of the thread */

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t fed;
	pthread_cond_t applied;
	struct catalog_note *first, **last;
	size_t queued_bytes;
	uint64_t fed_serial, applied_serial;
	uint64_t reach_ns; /* all hours from here on are there */
	bool open;
	bool broken; /* the file failed: nothing of it is believed any more */
	bool lost; /* notes since this was last told */
	bool woken;
};

static void init_waits(struct catalog *catalog)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&catalog->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&catalog->fed, &attributes);
	pthread_cond_init(&catalog->applied, &attributes);
	pthread_condattr_destroy(&attributes);
}

int catalog_new(const char *folder, size_t queue_bytes_max, struct catalog **ret_catalog)
{
	struct catalog *catalog;
	int r;

	if (mkdir(folder, 0750) < 0 && errno != EEXIST)
		return -errno;
	catalog = calloc(1, sizeof(*catalog));
	if (!catalog)
		return -ENOMEM;
	catalog->folder = strdup(folder);
	catalog->queue_bytes_max = queue_bytes_max;
	catalog->last = &catalog->first;
	catalog->reach_ns = UINT64_MAX;
	r = catalog->folder ? catalog_known_init(&catalog->known) : -ENOMEM;
	if (r < 0) {
		free(catalog->folder);
		free(catalog);
		return r;
	}
	init_waits(catalog);
	*ret_catalog = catalog;
	return 0;
}

static void free_notes(struct catalog_note *note)
{
	while (note) {
		struct catalog_note *next = note->next;

		catalog_note_free(note);
		note = next;
	}
}

void catalog_free(struct catalog *catalog, uint64_t watermark)
{
	bool lost = false, in_order;

	if (!catalog)
		return;
	in_order = catalog->open && catalog_apply(catalog, 0, &lost) == 0 && !lost &&
		!catalog->broken && catalog->reach_ns == 0 &&
		lmdb_env_sync(catalog->tables.env) == 0;
	if (catalog->open)
		catalog_tables_close(&catalog->tables);
	/* Without it the next start makes it anew. */
	if (in_order)
		(void)catalog_mark_leave(catalog->folder, watermark);
	free_notes(catalog->first);
	catalog_known_done(&catalog->known);
	pthread_cond_destroy(&catalog->fed);
	pthread_cond_destroy(&catalog->applied);
	pthread_mutex_destroy(&catalog->lock);
	free(catalog->folder);
	free(catalog);
}

/* Whether what lies in the folder is what was closed in order there, and nothing came since. */
static bool take_up(struct catalog *catalog, uint64_t watermark)
{
	struct catalog_mark mark;

	return catalog_mark_take(catalog->folder, &mark) == 0 && mark.watermark == watermark &&
		catalog_mark_verify(catalog->folder, &mark) == 0;
}

int catalog_open(struct catalog *catalog, uint64_t watermark, bool *ret_whole)
{
	bool whole = take_up(catalog, watermark);
	int r;

	if (!whole)
		catalog_mark_wipe(catalog->folder);
	r = catalog_tables_open(&catalog->tables, catalog->folder);
	if (r == 0) {
		r = catalog_writer_init(&catalog->writer, &catalog->tables);
		if (r < 0)
			catalog_tables_close(&catalog->tables);
	}
	pthread_mutex_lock(&catalog->lock);
	catalog->open = r == 0;
	catalog->broken = r < 0;
	catalog->reach_ns = whole && r == 0 ? 0 : UINT64_MAX;
	pthread_mutex_unlock(&catalog->lock);
	if (r == 0)
		*ret_whole = whole;
	return r;
}

const struct catalog_known *catalog_known(const struct catalog *catalog)
{
	return &catalog->known;
}

/* ---- The queue ---- */

void catalog_feed(struct catalog *catalog, struct catalog_note *note)
{
	size_t size;

	if (!note)
		return;
	size = catalog_note_size(note);
	pthread_mutex_lock(&catalog->lock);
	if (!catalog->broken && catalog->queued_bytes + size <= catalog->queue_bytes_max) {
		note->next = NULL;
		*catalog->last = note;
		catalog->last = &note->next;
		catalog->queued_bytes += size;
		catalog->fed_serial++;
		note = NULL;
		pthread_cond_signal(&catalog->fed);
	} else {
		catalog->lost = true;
		catalog->reach_ns = UINT64_MAX;
	}
	pthread_mutex_unlock(&catalog->lock);
	catalog_note_free(note);
}

void catalog_wake(struct catalog *catalog)
{
	pthread_mutex_lock(&catalog->lock);
	catalog->woken = true;
	pthread_cond_signal(&catalog->fed);
	pthread_mutex_unlock(&catalog->lock);
}

static struct timespec moment(uint64_t monotonic_ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(monotonic_ns / NS_PER_S),
		.tv_nsec = (long)(monotonic_ns % NS_PER_S),
	};
}

/* Takes the front of the queue. RET_COUNT notes are in it. */
static struct catalog_note *take_notes(struct catalog *catalog, uint64_t *ret_count)
{
	struct catalog_note *first = catalog->first, *last = NULL;
	size_t bytes = 0;

	*ret_count = 0;
	while (catalog->first && bytes < APPLY_BYTES_MAX) {
		last = catalog->first;
		bytes += catalog_note_size(last);
		catalog->first = last->next;
		(*ret_count)++;
	}
	if (last)
		last->next = NULL;
	if (!catalog->first)
		catalog->last = &catalog->first;
	catalog->queued_bytes -= bytes;
	return last ? first : NULL;
}

static int write_notes(struct catalog *catalog, const struct catalog_note *first)
{
	struct lmdb_txn *txn;
	int r = lmdb_write_begin(catalog->tables.env, &txn);

	if (r < 0)
		return r;
	for (const struct catalog_note *note = first; r == 0 && note; note = note->next)
		r = catalog_write_note(&catalog->writer, txn, note);
	if (r < 0) {
		lmdb_write_abort(txn);
		return r;
	}
	r = lmdb_write_commit(txn);
	for (const struct catalog_note *note = first; r == 0 && note; note = note->next) {
		for (uint32_t i = 0; i < note->count; i++)
			catalog_known_add(&catalog->known, note->entries[i].fingerprint);
	}
	return r;
}

static void note_result(struct catalog *catalog, uint64_t count, int error)
{
	pthread_mutex_lock(&catalog->lock);
	catalog->applied_serial += count;
	if (error < 0) {
		/* A full disk leaves the file as it was. */
		catalog->broken |= error != -ENOSPC;
		catalog->lost = true;
		catalog->reach_ns = UINT64_MAX;
	}
	pthread_cond_broadcast(&catalog->applied);
	pthread_mutex_unlock(&catalog->lock);
}

int catalog_apply(struct catalog *catalog, uint64_t timeout_ns, bool *ret_lost)
{
	struct timespec until = moment(clock_monotonic_ns() + timeout_ns);
	struct catalog_note *notes;
	uint64_t count;
	int r = 0;

	pthread_mutex_lock(&catalog->lock);
	while (timeout_ns > 0 && !catalog->first && !catalog->woken && !catalog->lost &&
		pthread_cond_timedwait(&catalog->fed, &catalog->lock, &until) == 0)
		;
	catalog->woken = false;
	while (r == 0 && (notes = take_notes(catalog, &count))) {
		pthread_mutex_unlock(&catalog->lock);
		r = catalog->broken ? -EAGAIN : write_notes(catalog, notes);
		free_notes(notes);
		note_result(catalog, count, r);
		pthread_mutex_lock(&catalog->lock);
	}
	*ret_lost = catalog->lost;
	catalog->lost = false;
	pthread_mutex_unlock(&catalog->lock);
	return r;
}

void catalog_set_reach(struct catalog *catalog, uint64_t from_ns)
{
	pthread_mutex_lock(&catalog->lock);
	if (!catalog->broken && !catalog->lost)
		catalog->reach_ns = from_ns;
	pthread_mutex_unlock(&catalog->lock);
}

int catalog_trim(struct catalog *catalog, uint64_t edge_ns, bool *ret_done)
{
	uint32_t day = (uint32_t)(edge_ns / CATALOG_HOUR_NS / CATALOG_DAY_HOURS), count = 0;
	struct lmdb_txn *txn;
	int r = lmdb_write_begin(catalog->tables.env, &txn);

	if (r < 0)
		return r;
	r = catalog_write_trim(&catalog->writer, txn, day, &count);
	if (r == 0)
		r = lmdb_write_commit(txn);
	else
		lmdb_write_abort(txn);
	/* Were any of it to come again, it would have to be noted again. */
	if (count > 0)
		catalog_known_clear(&catalog->known);
	if (r < 0)
		note_result(catalog, 0, r);
	else
		*ret_done = count == 0;
	return r;
}

uint64_t catalog_bytes(struct catalog *catalog)
{
	struct lmdb_usage usage = {0};
	bool open;

	pthread_mutex_lock(&catalog->lock);
	open = catalog->open;
	pthread_mutex_unlock(&catalog->lock);
	/* It stays open until nobody uses it any more. */
	if (!open || lmdb_env_usage(catalog->tables.env, &usage) < 0)
		return 0;
	return usage.file_bytes;
}

/* ---- Lists ---- */

/* Waits for what was fed before. -EAGAIN: not in time, or it does not reach so far. */
static int begin_list(struct catalog *catalog, uint64_t from_ns)
{
	struct timespec until = moment(clock_monotonic_ns() + CATALOG_WAIT_NS);
	uint64_t serial;
	int r = 0;

	pthread_mutex_lock(&catalog->lock);
	serial = catalog->fed_serial;
	while (r == 0 && catalog->open && !catalog->broken && catalog->reach_ns <= from_ns &&
		catalog->applied_serial < serial)
		r = -pthread_cond_timedwait(&catalog->applied, &catalog->lock, &until);
	if (!catalog->open || catalog->broken || catalog->reach_ns > from_ns ||
		catalog->applied_serial < serial)
		r = -EAGAIN;
	pthread_mutex_unlock(&catalog->lock);
	return r == -ETIMEDOUT ? -EAGAIN : r;
}

/* A file that cannot be read is believed no more. */
static int end_list(struct catalog *catalog, int r)
{
	if (r != -EUCLEAN)
		return r == -EUSERS ? -EAGAIN : r;
	note_result(catalog, 0, r);
	return -EAGAIN;
}

int catalog_names(struct catalog *catalog, const struct profile_store_label_query *query,
	profile_store_label_fn visit, void *context, bool *ret_more)
{
	int r = begin_list(catalog, query->from_ns);

	return r < 0
		? r
		: end_list(catalog,
			  catalog_read_names(&catalog->tables, query, visit, context, ret_more));
}

int catalog_values(struct catalog *catalog, const char *name,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more)
{
	int r = begin_list(catalog, query->from_ns);

	return r < 0 ? r
		     : end_list(catalog,
			       catalog_read_values(
				       &catalog->tables, name, query, visit, context, ret_more));
}
