/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"
#include "symbolizer-server/query/row_label.h"

int listing_init(struct listing *listing, const struct selector *selector, struct time_range range)
{
	*listing = (struct listing){0};
	row_filter_init(&listing->filter, selector, range);
	index_map_init(&listing->map, LISTING_ROW_COUNT_MAX);
	return string_table_init(&listing->strings);
}

void listing_done(struct listing *listing)
{
	row_filter_done(&listing->filter);
	string_table_done(&listing->strings);
	index_map_done(&listing->map);
	free(listing->rows);
	free(listing->threads);
	*listing = (struct listing){0};
}

static bool row_equal(const void *context, uint32_t index, const void *key)
{
	const struct listing_row *row = (const struct listing_row *)context + index;

	return memcmp(row->texts, key, sizeof(row->texts)) == 0;
}

static int find_or_add(
	struct listing *listing, const struct row_label_value *texts, struct listing_row **ret_row)
{
	struct listing_row row = {0};
	uint32_t index;
	uint64_t hash;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < LISTING_TEXT_COUNT_MAX; i++)
		r = string_table_add(
			&listing->strings, texts[i].text, texts[i].length, &row.texts[i]);
	if (r < 0)
		return r;
	hash = hash_bytes(row.texts, sizeof(row.texts));
	index = index_map_find(&listing->map, hash, row_equal, listing->rows, row.texts);
	if (index == INDEX_MAP_NONE) {
		r = grow_array(
			&listing->rows, &listing->capacity, listing->count, LISTING_ROW_COUNT_MAX);
		if (r == 0)
			r = index_map_add(&listing->map, hash, listing->count);
		if (r < 0)
			return r;
		index = listing->count++;
		listing->rows[index] = row;
	}
	*ret_row = &listing->rows[index];
	return 0;
}

/* Sums beyond what fits stay at the largest: a list is for an overview. */
static void add_part(struct sample_part *sum, struct sample_part part)
{
	sum->count += part.count;
	if (__builtin_add_overflow(sum->value, part.value, &sum->value))
		sum->value = INT64_MAX;
}

static int add_to_row(struct listing *listing, const struct row_label_value *texts,
	struct sample_part part, struct listing_row **ret_row)
{
	struct listing_row *row;
	struct sample_part sum;
	int r = find_or_add(listing, texts, &row);

	if (r < 0)
		return r;
	sum = (struct sample_part){row->sample_count, row->value};
	add_part(&sum, part);
	row->sample_count = sum.count;
	row->value = sum.value;
	*ret_row = row;
	return 0;
}

static int sum_table(struct listing *listing, const struct sample_table *table,
	struct sample_part *threads, struct sample_part *ret_sum)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < table->row_count; i++) {
		struct sample_part part = {0};

		r = row_filter_part(&listing->filter, table, &table->rows[i], &part);
		if (r < 0)
			return r;
		add_part(ret_sum, part);
		if (threads)
			add_part(&threads[table->rows[i].thread], part);
	}
	return r;
}

/* Sums over all types that the query takes; by thread, too, unless THREADS is NULL. */
static int sum_profile(struct listing *listing, const struct profile *profile,
	struct sample_part *threads, struct sample_part *ret_sum)
{
	int r = row_filter_open(&listing->filter, profile);

	for (uint32_t i = 0; r == 0 && i < profile->type_count; i++) {
		bool takes = false;

		r = row_filter_takes_type(&listing->filter, &profile->types[i], &takes);
		if (r == 0 && takes)
			r = sum_table(listing, &profile->types[i], threads, ret_sum);
	}
	return r;
}

static int copy_name(struct listing *listing, struct life_name name, uint32_t *ret_string)
{
	return string_table_add(&listing->strings, name.text, name.length, ret_string);
}

int listing_add_window(struct listing *listing, const struct profile_store_window *window)
{
	struct row_label_value texts[LISTING_TEXT_COUNT_MAX] = {
		{window->host.text, window->host.length}, {"", 0}, {"", 0}};
	struct listing_row *row = NULL;
	int r = find_or_add(listing, texts, &row);

	if (r < 0 || !row)
		return r;
	if (row->last_seen_ns == 0 || window->start_ns < row->first_seen_ns)
		row->first_seen_ns = window->start_ns;
	if (window->until_ns > row->last_seen_ns)
		row->last_seen_ns = window->until_ns;
	if (window->received_at_ns < row->received_at_ns)
		return 0;
	row->received_at_ns = window->received_at_ns;
	r = copy_name(listing, window->kernel_release, &row->kernel_release);
	if (r == 0)
		r = copy_name(listing, window->collector_version, &row->collector_version);
	return r;
}

int listing_add_types(struct listing *listing, const struct profile *profile)
{
	int r = row_filter_open(&listing->filter, profile);

	for (uint32_t i = 0; r == 0 && i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];
		struct row_label_value texts[LISTING_TEXT_COUNT_MAX] = {
			{string_table_text(&profile->strings, table->type),
				string_table_length(&profile->strings, table->type)},
			{"", 0},
			{"", 0},
		};
		struct sample_part sum = {0};
		struct listing_row *row;
		bool takes = false;

		r = row_filter_takes_type(&listing->filter, table, &takes);
		if (r == 0 && takes)
			r = sum_table(listing, table, NULL, &sum);
		if (r == 0 && sum.count > 0)
			r = add_to_row(listing, texts, sum, &row);
	}
	return r;
}

/* Sums by thread into listing->threads. */
static int sum_threads(struct listing *listing, const struct profile *profile)
{
	struct sample_part sum = {0};

	if (profile->threads.count > listing->thread_capacity) {
		free(listing->threads);
		listing->thread_capacity = 0;
		listing->threads = malloc(profile->threads.count * sizeof(*listing->threads));
		if (!listing->threads)
			return -ENOMEM;
		listing->thread_capacity = profile->threads.count;
	}
	if (profile->threads.count > 0)
		memset(listing->threads, 0, profile->threads.count * sizeof(*listing->threads));
	return sum_profile(listing, profile, listing->threads, &sum);
}

int listing_add_labels(struct listing *listing, const struct profile *profile,
	const char *const names[LISTING_TEXT_COUNT_MAX])
{
	int r = sum_threads(listing, profile);

	for (uint32_t i = 0; r == 0 && i < profile->threads.count; i++) {
		char numbers[LISTING_TEXT_COUNT_MAX][ROW_LABEL_NUMBER_BYTES];
		struct row_label_value texts[LISTING_TEXT_COUNT_MAX];
		struct listing_row *row;

		if (listing->threads[i].count == 0 && listing->threads[i].value == 0)
			continue;
		for (uint32_t j = 0; j < LISTING_TEXT_COUNT_MAX; j++)
			texts[j] = names[j] ? row_label_of_thread(profile, i, names[j], numbers[j])
					    : (struct row_label_value){"", 0};
		r = add_to_row(listing, texts, listing->threads[i], &row);
	}
	return r;
}

static int add_name(
	struct listing *listing, const char *name, size_t length, struct sample_part part)
{
	struct row_label_value texts[LISTING_TEXT_COUNT_MAX] = {{name, length}, {"", 0}, {"", 0}};
	struct listing_row *row;

	return add_to_row(listing, texts, part, &row);
}

int listing_add_label_names(struct listing *listing, const struct profile *profile)
{
	static const char *const columns[] = {"host", "pid", "tid", "thread", "cpu"};
	int r = sum_threads(listing, profile);

	for (uint32_t i = 0; r == 0 && i < profile->threads.count; i++) {
		const struct label_set *set =
			&profile->labels.sets[profile->threads.threads[i].labels];

		if (listing->threads[i].count == 0)
			continue;
		for (uint32_t j = set->first; r == 0 && j < set->first + set->count; j++) {
			uint32_t key = profile->labels.labels[j].key;

			r = add_name(listing, string_table_text(&profile->strings, key),
				string_table_length(&profile->strings, key), listing->threads[i]);
		}
		for (size_t j = 0; r == 0 && j < sizeof(columns) / sizeof(columns[0]); j++)
			r = add_name(listing, columns[j], strlen(columns[j]), listing->threads[i]);
	}
	return r;
}

static int order_rows(const void *one, const void *other, void *context)
{
	const struct listing_row *a = one, *b = other;
	const struct listing *listing = context;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	if (a->sample_count != b->sample_count)
		return a->sample_count > b->sample_count ? -1 : 1;
	for (uint32_t i = 0; i < LISTING_TEXT_COUNT_MAX; i++) {
		int order = strcmp(string_table_text(&listing->strings, a->texts[i]),
			string_table_text(&listing->strings, b->texts[i]));

		if (order != 0)
			return order;
	}
	return 0;
}

void listing_sort(struct listing *listing)
{
	if (listing->count > 1)
		qsort_r(listing->rows, listing->count, sizeof(*listing->rows), order_rows, listing);
	/* Rows moved: the map would lead to others. */
	index_map_clear(&listing->map);
}

const char *listing_text(const struct listing *listing, uint32_t row, uint32_t text)
{
	return string_table_text(&listing->strings, listing->rows[row].texts[text]);
}
