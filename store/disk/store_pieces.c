/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/disk/store_ahead.h"
#include "store/disk/store_files.h"
#include "store/profile/grow.h"

static int start_compare(const void *left, const void *right)
{
	const struct store_file *one = *(const struct store_file *const *)left;
	const struct store_file *other = *(const struct store_file *const *)right;

	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

static bool is_wanted(
	const struct store_file *file, uint64_t visit_serial, const struct store_visitor *visitor)
{
	return file->reader && store_file_is_seen(file, visit_serial) &&
		file->start_ns < visitor->until_ns && file->until_ns > visitor->from_ns;
}

int store_pieces_list(struct store_pieces *pieces, struct profile_store *store,
	uint64_t visit_serial, const struct store_visitor *visitor)
{
	int r = 0;

	*pieces = (struct store_pieces){.store = store, .visitor = visitor};
	pthread_mutex_lock(&store->lock);
	pieces->files = malloc(
		(store->file_count ? store->file_count : 1) * sizeof(const struct store_file *));
	r = pieces->files ? 0 : -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < store->file_count; i++) {
		if (is_wanted(store->files[i], visit_serial, visitor))
			pieces->files[pieces->file_count++] = store->files[i];
	}
	pthread_mutex_unlock(&store->lock);
	if (r == 0 && pieces->file_count > 1)
		qsort(pieces->files, pieces->file_count, sizeof(const struct store_file *),
			start_compare);
	return r;
}

void store_pieces_done(struct store_pieces *pieces)
{
	free(pieces->files);
	*pieces = (struct store_pieces){0};
}

int store_pieces_account(const struct store_pieces *pieces, uint64_t damaged, int error)
{
	struct profile_store *store = pieces->store;

	/* Leaving parts out for these would look like an answer. */
	if (store_error_is_ours(error))
		return error;
	damaged += error < 0;
	if (damaged > 0 && pieces->visitor->filter.unreadable_count)
		*pieces->visitor->filter.unreadable_count += damaged;
	if (damaged > 0) {
		pthread_mutex_lock(&store->lock);
		store->counters[PROFILE_STORE_sections_unreadable] += damaged;
		pthread_mutex_unlock(&store->lock);
	}
	return 0;
}

/* What the visitor answered, told apart from troubles of reading. */
struct relay {
	const struct store_visitor *visitor;
	int result;
};

static int relay_piece(void *context, const struct profile *profile)
{
	struct relay *relay = context;

	relay->result = relay->visitor->profile(relay->visitor->context, profile);
	return relay->result;
}

static int relay_lives(
	void *context, const struct segment_window *window, const struct life_table *table)
{
	struct relay *relay = context;
	struct profile_store_lives lives = {
		.host = window->host,
		.start_ns = window->start_ns,
		.until_ns = window->until_ns,
		.table = table,
	};

	relay->result = relay->visitor->lives(relay->visitor->context, &lives);
	return relay->result;
}

static void count_pieces(struct profile_store *store, uint64_t count)
{
	pthread_mutex_lock(&store->lock);
	store->counters[PROFILE_STORE_pieces_read] += count;
	pthread_mutex_unlock(&store->lock);
}

/* A group that a visit wants, and its file. */
struct wanted {
	struct store_ahead_group *groups;
	const struct store_file **files;
	uint32_t count;
	uint32_t capacity;
	uint32_t file_capacity;
};

static int give_group(
	const struct store_pieces *pieces, const struct store_file *file, struct store_ahead *ahead)
{
	const struct store_visitor *visitor = pieces->visitor;
	const struct profile_store_filter *filter = &visitor->filter;
	struct segment_request request = {
		.detail = (enum segment_detail)filter->detail,
		.from_ns = visitor->from_ns,
		.until_ns = visitor->until_ns < file->until_ns ? visitor->until_ns : file->until_ns,
		.step_ns = filter->step_ns,
		.step_origin_ns = filter->step_origin_ns,
		.type = filter->type,
		.host = filter->host,
	};
	struct segment_visited visited = {0};
	struct relay relay = {.visitor = visitor};
	struct segment_cache_entry *entry;
	int r = store_ahead_take(ahead, &entry);

	if (r < 0)
		return store_pieces_account(pieces, 0, r);
	r = segment_group_visit(
		segment_cache_group(entry), &request, relay_piece, &relay, &visited);
	segment_cache_give(&pieces->store->cache, entry);
	count_pieces(pieces->store, visited.piece_count);
	if (relay.result != 0)
		return relay.result;
	return store_pieces_account(pieces, visited.damaged, r);
}

static bool overlaps(const struct segment_group_summary *group, const struct store_visitor *visitor)
{
	return group->from_ns < visitor->until_ns && group->until_ns > visitor->from_ns;
}

static int want_group(const struct store_pieces *pieces, const struct store_file *file,
	uint32_t index, struct wanted *wanted)
{
	bool labels = pieces->visitor->filter.detail == PROFILE_STORE_SERIES;
	struct store_ahead_group group = {
		.key = {file->number, index, labels ? SEGMENT_LABELS : SEGMENT_STACKS},
		.reader = file->reader};
	int r = grow_array(&wanted->groups, &wanted->capacity, wanted->count, UINT32_MAX);

	if (r == 0)
		r = grow_array(&wanted->files, &wanted->file_capacity, wanted->count, UINT32_MAX);
	if (r < 0)
		return r;
	wanted->groups[wanted->count] = group;
	wanted->files[wanted->count++] = file;
	return 0;
}

static int want_groups(
	const struct store_pieces *pieces, const struct store_file *file, struct wanted *wanted)
{
	const char *service = pieces->visitor->filter.service;
	uint32_t count = segment_reader_summary(file->reader)->group_count, index = 0;
	int r = 0;

	if (service) {
		index = segment_reader_find_group(file->reader, service, strlen(service));
		count = index == UINT32_MAX ? 0 : index + 1;
	}
	for (; r == 0 && index < count; index++) {
		struct segment_group_summary group = segment_reader_group(file->reader, index);

		if (overlaps(&group, pieces->visitor))
			r = want_group(pieces, file, index, wanted);
	}
	return r;
}

static int give_profiles(const struct store_pieces *pieces)
{
	struct wanted wanted = {0};
	struct store_ahead ahead;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < pieces->file_count; i++)
		r = want_groups(pieces, pieces->files[i], &wanted);
	if (r == 0) {
		store_ahead_begin(&ahead, &pieces->store->cache, wanted.groups, wanted.count);
		for (uint32_t i = 0; r == 0 && i < wanted.count; i++)
			r = give_group(pieces, wanted.files[i], &ahead);
		store_ahead_end(&ahead);
	}
	free(wanted.groups);
	free(wanted.files);
	return r;
}

static int give_lives(const struct store_pieces *pieces, const struct store_file *file)
{
	const struct store_visitor *visitor = pieces->visitor;
	struct segment_range range = {visitor->from_ns, visitor->until_ns};
	struct relay relay = {.visitor = visitor};
	uint64_t damaged = 0;
	int r = segment_reader_lives(
		file->reader, range, visitor->filter.host, relay_lives, &relay, &damaged);

	if (relay.result != 0)
		return relay.result;
	return store_pieces_account(pieces, damaged, r);
}

int store_pieces_give(const struct store_pieces *pieces)
{
	int r = 0;

	if (!pieces->visitor->lives)
		return give_profiles(pieces);
	for (uint32_t i = 0; r == 0 && i < pieces->file_count; i++)
		r = give_lives(pieces, pieces->files[i]);
	return r;
}
