/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   pick -> NUMBER.new: write, fsync -> look at it -> rename, folder synced -> swap under the lock
 *                                                                              |
 *                                     what was replaced: deleted after its last visit
 *
 * The segment names in itself what it replaces, and a rename is all or nothing: whatever a crash
 * leaves, store_load finds either the old files, or the segment and perhaps some of the old files,
 * which it deletes. A segment names also what its input replaced: of that, too, something may have
 * come back by a crash.
 */
#include "store/disk/store_compact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/disk/compaction.h"
#include "store/disk/segment_writer.h"
#include "store/disk/store_blocks.h"
#include "store/disk/store_files.h"

/* Whole files follow the retention: none may be much of it. */
#define FILES_PER_SIZE 16
#define INPUT_BYTES_MIN (UINT64_C(16) << 20)
/* Sixteen logs, or a day of a fleet's segments; what is lost with one file stays bounded. */
#define INPUT_BYTES_MAX (UINT64_C(4) << 30)
/* What the disk must have besides what a segment may take: ingest goes first. */
#define FREE_BYTES_MIN (UINT64_C(8) << 20)
/* More than a day file replaced in all its life. */
#define REPLACED_COUNT_MAX (1u << 20)
/* Others first: of the processor, and of the disk (best effort, the last of its eight levels). */
#define NICENESS 10
#define IO_PRIORITY ((2 << 13) | 7)
#define IO_PRIORITY_OF_PROCESS 1

/* One segment in the making. */
struct job {
	struct profile_store *store;
	struct store_visit visit; /* keeps the input there */
	struct store_file **files; /* the input, rising by number */
	uint32_t file_count;
	struct store_blocks blocks; /* of the logs among them */
	const struct segment_reader **readers; /* of the segments among them */
	uint32_t reader_count;
	uint64_t *replaced;
	uint32_t replaced_count;
	uint64_t bytes_in;
	uint64_t record_count;
	uint64_t number;
	uint64_t slots_from_ns; /* what ends before has none any more */
	struct segment_reader *made;
};

static void free_job(struct job *job)
{
	free(job->files);
	store_blocks_done(&job->blocks);
	free(job->readers);
	free(job->replaced);
	segment_reader_close(job->made);
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

/* ---- What is to be done ---- */

static struct compaction_file candidate(const struct store_file *file)
{
	struct compaction_file candidate = {
		.number = file->number,
		.bytes = file->bytes,
		.received_ns = file->received_ns,
		.is_segment = file->kind == STORE_SEGMENT,
		.unfit = file->unfit,
	};
	const struct segment_summary *summary;

	if (file->reader) {
		summary = segment_reader_summary(file->reader);
		candidate.slots_until_ns = summary->slot_bytes > 0 ? summary->slots_until_ns : 0;
	}
	return candidate;
}

/* Locked. Files that go, or are still written, are none. */
static bool is_candidate(const struct profile_store *store, const struct store_file *file)
{
	return file->verdict == RETENTION_KEEP && file != store->active_file &&
		file->record_count > 0;
}

static int file_compare(const void *left, const void *right)
{
	const struct store_file *one = *(const struct store_file *const *)left;
	const struct store_file *other = *(const struct store_file *const *)right;

	return (one->number > other->number) - (one->number < other->number);
}

/* Locked: leaves in job->files what is to become one segment. */
static int pick_files(struct profile_store *store, uint64_t now_ns, struct job *job)
{
	SCOPED_FREE struct compaction_file *candidates =
		calloc(store->file_count ? store->file_count : 1, sizeof(*candidates));
	struct compaction_limits limits = {
		.now_ns = now_ns,
		.age_ns = store->config.retain_ns,
		.grace_ns = store->config.grace_ns,
		.hot_ns = store->config.hot_ns,
		.bytes_max = clamp(store->config.retain_bytes / FILES_PER_SIZE, INPUT_BYTES_MIN,
			INPUT_BYTES_MAX),
	};
	uint32_t count = 0;

	job->files = malloc((store->file_count ? store->file_count : 1) * sizeof(*job->files));
	if (!candidates || !job->files)
		return -ENOMEM;
	for (uint32_t i = 0; i < store->file_count; i++) {
		if (is_candidate(store, store->files[i]))
			job->files[count++] = store->files[i];
	}
	if (count > 1)
		qsort(job->files, count, sizeof(struct store_file *), file_compare);
	for (uint32_t i = 0; i < count; i++)
		candidates[i] = candidate(job->files[i]);
	if (compaction_pick(candidates, count, &limits) == 0)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		if (candidates[i].picked)
			job->files[job->file_count++] = job->files[i];
	}
	return 0;
}

/* Locked: from here on the input stays until leave_input. */
static void hold_input(struct profile_store *store, struct job *job)
{
	job->visit = (struct store_visit){++store->visit_serial, store->visits};
	store->visits = &job->visit;
	job->number = store->next_number++;
}

static int add_replaced(struct job *job, const uint64_t *numbers, uint32_t count)
{
	uint64_t *grown;

	if (count > REPLACED_COUNT_MAX - job->replaced_count)
		return -E2BIG;
	grown = realloc(job->replaced, (job->replaced_count + count) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memcpy(grown + job->replaced_count, numbers, count * sizeof(*numbers));
	job->replaced = grown;
	job->replaced_count += count;
	return 0;
}

static int number_compare(const void *left, const void *right)
{
	uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;

	return (one > other) - (one < other);
}

static int list_input(struct job *job)
{
	int r = 0;

	job->readers = malloc(job->file_count * sizeof(*job->readers));
	if (!job->readers)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < job->file_count; i++) {
		const struct store_file *file = job->files[i];
		const struct segment_summary *summary;

		job->bytes_in += file->bytes;
		job->record_count += file->record_count;
		r = add_replaced(job, &file->number, 1);
		if (r < 0 || file->kind == STORE_LOG)
			continue;
		summary = segment_reader_summary(file->reader);
		job->readers[job->reader_count++] = file->reader;
		if (summary->replaced_count > 0)
			r = add_replaced(job, summary->replaced, summary->replaced_count);
	}
	if (r == 0)
		qsort(job->replaced, job->replaced_count, sizeof(*job->replaced), number_compare);
	return r;
}

/* RET 0: there is a job, held and listed; 1: there is nothing to do. */
static int begin_job(struct profile_store *store, struct job *job)
{
	uint64_t now_ns = clock_read(&store->config.clock).realtime_ns;
	int r = 0;

	*job = (struct job){.store = store};
	if (now_ns > store->config.hot_ns)
		job->slots_from_ns = now_ns - store->config.hot_ns;
	pthread_mutex_lock(&store->lock);
	if (!store->compact_stuck)
		r = pick_files(store, now_ns, job);
	if (r == 0 && job->file_count > 0) {
		r = store_blocks_list(&job->blocks, store, job->files, job->file_count);
		hold_input(store, job);
	}
	pthread_mutex_unlock(&store->lock);
	if (r == 0 && job->file_count > 0)
		r = list_input(job);
	return r == 0 && job->file_count == 0 ? 1 : r;
}

/* ---- Doing it ---- */

/* A segment is smaller than what it replaces; nearly so if that was segments. */
static int check_room(const struct job *job)
{
	struct statvfs disk;

	if (fstatvfs(job->store->dir.profiles_fd, &disk) < 0)
		return 0;
	return (uint64_t)disk.f_bavail * disk.f_frsize < job->bytes_in + FREE_BYTES_MIN ? -ENOSPC
											: 0;
}

static int write_segment(struct job *job, int fd)
{
	struct segment_input input = {
		.blocks = job->blocks.entry_count > 0 ? store_blocks_give : NULL,
		.context = &job->blocks,
		.segments = job->readers,
		.segment_count = job->reader_count,
	};
	struct segment_options options = {
		.number = job->number,
		.replaced = job->replaced,
		.replaced_count = job->replaced_count,
		.slots_from_ns = job->slots_from_ns,
	};
	struct segment_written written = {.bad_segment = UINT32_MAX};
	int r = segment_write(fd, &input, &options, &written);

	if (r == -EBADMSG && written.bad_segment < job->reader_count)
		job->blocks.bad_number =
			segment_reader_summary(job->readers[written.bad_segment])->number;
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	return r;
}

/* Before anything is deleted for it: it can be opened, and has as many batches. */
static int look_at_segment(struct job *job, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int r = copy < 0 ? -errno : segment_reader_open(copy, &job->made);

	if (r < 0)
		return r == -EBADMSG ? -EIO : r;
	return segment_reader_summary(job->made)->window_count == job->record_count ? 0 : -EIO;
}

/* Of what was not put in its place nothing may stay. If it has its name and does, another segment of
 * the same input would count twice: so there is none until the store opens again, and finds it. */
static void take_back(const struct job *job)
{
	struct profile_store *store = job->store;

	store_dir_remove(&store->dir, STORE_UNFINISHED, job->number);
	if (store_dir_remove(&store->dir, STORE_SEGMENT, job->number) == 0)
		return;
	pthread_mutex_lock(&store->lock);
	store->compact_stuck = true;
	pthread_mutex_unlock(&store->lock);
}

static int make_segment(struct job *job)
{
	const struct store_dir *dir = &job->store->dir;
	SCOPED_FD int fd = -1;
	int r = check_room(job);

	if (r == 0)
		r = store_dir_begin_segment(dir, job->number, &fd);
	if (r < 0)
		return r;
	r = write_segment(job, fd);
	if (r == 0)
		r = look_at_segment(job, fd);
	if (r == 0)
		r = store_dir_publish_segment(dir, job->number);
	if (r < 0)
		take_back(job);
	return r;
}

/* The one moment in which the segment comes and its input goes. */
static int swap(struct job *job)
{
	struct profile_store *store = job->store;
	struct store_file *file;
	int r;

	pthread_mutex_lock(&store->lock);
	r = store_files_add(store, STORE_SEGMENT, job->number, &file);
	if (r == 0) {
		store_file_describe(file, TAKE(job->made));
		file->born_at = store->visit_serial;
		for (uint32_t i = 0; i < job->file_count; i++)
			store_file_replace(store, job->files[i]);
		/* Answers finer than a window may be others without slots. */
		if (file->start_ns < job->slots_from_ns)
			range_serials_touch_all(&store->serials);
		store->counters[PROFILE_STORE_segments_written]++;
		store->counters[PROFILE_STORE_compact_bytes_in] += job->bytes_in;
		store->counters[PROFILE_STORE_compact_bytes_out] += file->bytes;
		/* Slots that stay although their time is over would come again and again. */
		file->unfit = job->file_count == 1 && job->reader_count == 1 &&
			candidate(file).slots_until_ns == candidate(job->files[0]).slots_until_ns;
	}
	pthread_mutex_unlock(&store->lock);
	if (r < 0)
		take_back(job);
	return r;
}

/* Whether FILE is to blame for ERROR. */
static bool is_to_blame(const struct job *job, const struct store_file *file, int error)
{
	if (job->blocks.bad_number != 0)
		return file->number == job->blocks.bad_number;
	/* Without the last the others may fit. */
	if (error == -E2BIG || error == -EFBIG)
		return file == job->files[job->file_count - 1];
	return error == -EBADMSG;
}

/* What a failure teaches: what is damaged, or too much for one segment, is left as it is. */
static bool learn(struct job *job, int error)
{
	bool learned = false;

	pthread_mutex_lock(&job->store->lock);
	for (uint32_t i = 0; i < job->file_count; i++) {
		bool unfit = is_to_blame(job, job->files[i], error);

		job->files[i]->unfit |= unfit;
		learned |= unfit;
	}
	pthread_mutex_unlock(&job->store->lock);
	return learned;
}

static void note_result(struct profile_store *store, int r)
{
	pthread_mutex_lock(&store->lock);
	if (r < 0 && r != -ESHUTDOWN)
		store->counters[PROFILE_STORE_compactions_failed]++;
	if (r != -ESHUTDOWN)
		store->compact_error = r < 0 ? r : 0;
	pthread_mutex_unlock(&store->lock);
}

static void leave_input(struct profile_store *store, const struct job *job)
{
	struct store_visit **at;

	pthread_mutex_lock(&store->lock);
	for (at = &store->visits; *at && *at != &job->visit; at = &(*at)->next)
		;
	if (*at)
		*at = job->visit.next;
	pthread_mutex_unlock(&store->lock);
	store_files_reap(store);
}

/* One segment. True: there may be more to do at once. */
static bool compact_once(struct profile_store *store)
{
	struct job job;
	int r = begin_job(store, &job);
	bool again = false;

	if (r == 0) {
		r = make_segment(&job);
		if (r == 0)
			r = swap(&job);
		again = r == 0 || learn(&job, r);
	}
	note_result(store, r);
	leave_input(store, &job);
	free_job(&job);
	return again;
}

/* ---- The thread ---- */

/* Waits until it is time, or somebody asks; what is asked for then. */
static uint64_t wait_for_time(struct profile_store *store, uint64_t until_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / NS_PER_S),
		.tv_nsec = (long)(until_ns % NS_PER_S),
	};
	bool on_demand = store->config.compact_on_demand;
	uint64_t wanted;

	pthread_mutex_lock(&store->lock);
	while (!store->closing && store->compact_wanted == store->compact_done &&
		(on_demand || clock_monotonic_ns() < until_ns)) {
		if (on_demand)
			pthread_cond_wait(&store->compact, &store->lock);
		else
			pthread_cond_timedwait(&store->compact, &store->lock, &until);
	}
	wanted = store->compact_wanted;
	pthread_mutex_unlock(&store->lock);
	return wanted;
}

/* When to look again. */
static uint64_t answer(struct profile_store *store, uint64_t wanted)
{
	uint64_t pause_ns;

	pthread_mutex_lock(&store->lock);
	store->compact_done = wanted;
	pause_ns = store->compact_error < 0 ? STORE_COMPACT_RETRY_NS : STORE_COMPACT_PERIOD_NS;
	pthread_cond_broadcast(&store->answered);
	pthread_mutex_unlock(&store->lock);
	return clock_monotonic_ns() + pause_ns;
}

void *store_compact_run(void *context)
{
	uint64_t next_ns = clock_monotonic_ns() + STORE_COMPACT_PERIOD_NS;
	struct profile_store *store = context;

	/* Best effort: on Linux both are of the one thread. */
	setpriority(PRIO_PROCESS, 0, NICENESS);
	syscall(SYS_ioprio_set, IO_PRIORITY_OF_PROCESS, 0, IO_PRIORITY);
	while (!store_is_closing(store)) {
		uint64_t wanted = wait_for_time(store, next_ns);

		while (!store_is_closing(store) && compact_once(store))
			;
		next_ns = answer(store, wanted);
	}
	return NULL;
}
