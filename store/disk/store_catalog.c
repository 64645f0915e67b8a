/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   append -> note -> writer: durable -> queue -> this thread -> tables
 *                                                    |
 *   profiles of the store, day by day, the newest first, while the catalogue is not whole
 */
#include "store/disk/store_catalog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/disk/store_state.h"

#define CATALOG_FOLDER "catalog"
#define DAY_NS (CATALOG_HOUR_NS * CATALOG_DAY_HOURS)
/* What is past retention is left out of lists at once; it is taken out this often. */
#define TRIM_PERIOD_NS (300 * NS_PER_S)
/* A disk that was full is tried again after so long, and after twice as long each time: making a
 * catalogue reads all profiles. */
#define RETRY_NS_MIN (600 * NS_PER_S)
#define RETRY_NS_MAX (UINT64_C(24) * 3600 * NS_PER_S)

struct store_catalog {
	struct profile_store *store;
	struct catalog *catalog;
	uint64_t watermark; /* when the store was opened */
	pthread_t thread;
	bool has_thread;
	_Atomic bool stopping;
	bool wanted; /* to be made anew, not before... */
	uint64_t not_before_ns; /* monotonic */
	uint64_t retry_ns; /* what it waits when it fails next */
	uint64_t next_trim_ns; /* monotonic */
};

static void count(struct store_catalog *catalog, enum profile_store_counter counter)
{
	pthread_mutex_lock(&catalog->store->lock);
	catalog->store->counters[counter]++;
	pthread_mutex_unlock(&catalog->store->lock);
}

/* What was lost is looked up in the profiles again. */
static void want_again(struct store_catalog *catalog, int error)
{
	count(catalog, PROFILE_STORE_catalog_failures);
	catalog->wanted = true;
	if (error == 0)
		return;
	catalog->not_before_ns = clock_monotonic_ns() + catalog->retry_ns;
	catalog->retry_ns =
		catalog->retry_ns < RETRY_NS_MAX / 2 ? catalog->retry_ns * 2 : RETRY_NS_MAX;
}

static void apply(struct store_catalog *catalog, uint64_t timeout_ns)
{
	bool lost = false;
	int r = catalog_apply(catalog->catalog, timeout_ns, &lost);

	if (lost)
		want_again(catalog, r);
}

/* ---- Making it anew ---- */

static int note_profile(void *context, const struct profile *profile)
{
	struct store_catalog *catalog = context;
	struct catalog_note *note = NULL;
	int r;

	if (atomic_load(&catalog->stopping))
		return -ECANCELED;
	r = catalog_note_new(catalog_known(catalog->catalog), profile, &note);
	if (r < 0)
		return r;
	catalog_feed(catalog->catalog, note);
	apply(catalog, 0);
	return catalog->wanted ? -ECANCELED : 0;
}

static int note_range(struct store_catalog *catalog, uint64_t from_ns, uint64_t until_ns)
{
	const struct profile_store_filter filter = {
		.detail = PROFILE_STORE_SERIES,
		.step_ns = CATALOG_HOUR_NS,
	};

	return profile_store_visit(
		catalog->store, from_ns, until_ns, &filter, note_profile, catalog);
}

/* The days of RANGE that hold anything; what is of the future comes with the first of them. */
static int note_days(struct store_catalog *catalog)
{
	uint64_t day_ns = clock_read(&catalog->store->config.clock).realtime_ns / DAY_NS * DAY_NS;
	struct profile_store_stats stats;
	int r = note_range(catalog, day_ns, UINT64_MAX);

	profile_store_stats(catalog->store, &stats);
	while (r == 0 && stats.oldest_ns > 0 && day_ns > stats.oldest_ns) {
		catalog_set_reach(catalog->catalog, day_ns);
		day_ns -= DAY_NS;
		r = note_range(catalog, day_ns, day_ns + DAY_NS);
	}
	return r;
}

static void make_anew(struct store_catalog *catalog)
{
	int r;

	catalog->wanted = false;
	count(catalog, PROFILE_STORE_catalog_made_anew);
	r = note_days(catalog);
	if (r == 0) {
		catalog_set_reach(catalog->catalog, 0);
		catalog->retry_ns = RETRY_NS_MIN;
	} else if (!atomic_load(&catalog->stopping) && !catalog->wanted) {
		want_again(catalog, r);
	}
}

/* ---- The thread ---- */

/* Before this there is nothing in the store; all if it is empty. */
static uint64_t edge_ns(struct store_catalog *catalog)
{
	struct profile_store_stats stats;

	profile_store_stats(catalog->store, &stats);
	return stats.file_count == 0 ? clock_read(&catalog->store->config.clock).realtime_ns
				     : stats.oldest_ns;
}

static void trim_if_due(struct store_catalog *catalog)
{
	uint64_t now_ns = clock_monotonic_ns(), edge;
	bool done = false;

	if (now_ns < catalog->next_trim_ns)
		return;
	edge = edge_ns(catalog);
	catalog->next_trim_ns = now_ns + TRIM_PERIOD_NS;
	/* Lists wait for what is fed: a part at a time. What fails is told as lost. */
	while (!done && !atomic_load(&catalog->stopping) &&
		catalog_trim(catalog->catalog, edge, &done) == 0)
		apply(catalog, 0);
}

static void *run(void *context)
{
	struct store_catalog *catalog = context;
	bool whole = false;
	int r = catalog_open(catalog->catalog, catalog->watermark, &whole);

	if (r < 0) {
		count(catalog, PROFILE_STORE_catalog_failures);
		return NULL;
	}
	catalog->wanted = !whole;
	while (!atomic_load(&catalog->stopping)) {
		if (catalog->wanted && clock_monotonic_ns() >= catalog->not_before_ns)
			make_anew(catalog);
		trim_if_due(catalog);
		apply(catalog, TRIM_PERIOD_NS);
	}
	return NULL;
}

/* ---- Start and stop ---- */

/* A number for the names and sizes of all files of profiles: other files, other number. */
static uint64_t watermark(const struct profile_store *store)
{
	int fd = openat(store->dir.profiles_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	struct stat status;
	uint64_t sum = 0;

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	/* In any order: each file adds its own. */
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): a folder stream of our own. */
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || fstatat(fd, entry->d_name, &status, 0) < 0)
			continue;
		const uint64_t words[2] = {
			hash_bytes(entry->d_name, strlen(entry->d_name)), (uint64_t)status.st_size};

		sum += hash_bytes(words, sizeof(words));
	}
	closedir(folder);
	return sum;
}

void store_catalog_start(struct profile_store *store, const char *path)
{
	SCOPED_FREE struct store_catalog *catalog = calloc(1, sizeof(*catalog));
	SCOPED_FREE char *folder = NULL;

	if (!catalog || asprintf(&folder, "%s/" CATALOG_FOLDER, path) < 0)
		return;
	catalog->store = store;
	catalog->retry_ns = RETRY_NS_MIN;
	catalog->watermark = watermark(store);
	if (catalog_new(folder, CATALOG_QUEUE_BYTES_MAX, &catalog->catalog) < 0)
		return;
	/* The thread asks the store for its figures, and those have the catalogue's in them. */
	store->catalog = catalog;
	catalog->has_thread = pthread_create(&catalog->thread, NULL, run, catalog) == 0;
	if (!catalog->has_thread) {
		store->catalog = NULL;
		catalog_free(catalog->catalog, 0);
		return;
	}
	(void)TAKE(catalog);
}

void store_catalog_stop(struct store_catalog *catalog)
{
	if (!catalog || !catalog->has_thread)
		return;
	atomic_store(&catalog->stopping, true);
	catalog_wake(catalog->catalog);
	pthread_join(catalog->thread, NULL);
	catalog->has_thread = false;
}

void store_catalog_free(struct store_catalog *catalog)
{
	if (!catalog)
		return;
	store_catalog_stop(catalog);
	catalog_free(catalog->catalog, watermark(catalog->store));
	free(catalog);
}

int store_catalog_note(struct store_catalog *catalog, const struct profile *profile,
	struct catalog_note **ret_note)
{
	if (catalog)
		return catalog_note_new(catalog_known(catalog->catalog), profile, ret_note);
	*ret_note = NULL;
	return 0;
}

void store_catalog_feed(struct store_catalog *catalog, struct catalog_note *note, bool durable)
{
	if (catalog && durable)
		catalog_feed(catalog->catalog, note);
	else
		catalog_note_free(note);
}

struct catalog *store_catalog_get(struct store_catalog *catalog)
{
	return catalog ? catalog->catalog : NULL;
}
