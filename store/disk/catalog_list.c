/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/disk/catalog_range.h"
#include "store/profile/grow.h"

/* ---- Numbers ---- */

void catalog_numbers_init(struct catalog_numbers *numbers)
{
	*numbers = (struct catalog_numbers){.numbers = NULL};
	index_map_init(&numbers->map, CATALOG_LIST_COUNT_MAX);
}

void catalog_numbers_done(struct catalog_numbers *numbers)
{
	index_map_done(&numbers->map);
	free(numbers->numbers);
}

static bool number_equal(const void *context, uint32_t index, const void *key)
{
	return ((const uint32_t *)context)[index] == *(const uint32_t *)key;
}

bool catalog_numbers_has(const struct catalog_numbers *numbers, uint32_t number)
{
	return index_map_find(&numbers->map, hash_key(&number, sizeof(number)), number_equal,
		       numbers->numbers, &number) != INDEX_MAP_NONE;
}

int catalog_numbers_add(struct catalog_numbers *numbers, uint32_t number)
{
	int r;

	if (catalog_numbers_has(numbers, number))
		return 0;
	r = grow_array(
		&numbers->numbers, &numbers->capacity, numbers->count, CATALOG_LIST_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&numbers->map, hash_key(&number, sizeof(number)), numbers->count);
	if (r == 0)
		numbers->numbers[numbers->count++] = number;
	return r;
}

/* ---- Giving them out ---- */

static int compare_texts(const void *one, const void *other)
{
	const struct catalog_text *a = one, *b = other;

	return catalog_text_compare(*a, *b);
}

static bool is_wanted(struct catalog_text text, const struct profile_store_label_query *query)
{
	if (query->prefix &&
		(text.byte_count < query->prefix_length ||
			memcmp(text.bytes, query->prefix, query->prefix_length) != 0))
		return false;
	return !query->after ||
		catalog_text_compare(
			text, (struct catalog_text){query->after, query->after_length}) > 0;
}

int catalog_numbers_give(const struct catalog_numbers *numbers, const struct catalog_tables *tables,
	struct lmdb_txn *txn, const struct profile_store_label_query *query,
	struct catalog_output *output)
{
	SCOPED_FREE struct catalog_text *texts = calloc((size_t)numbers->count + 1, sizeof(*texts));
	uint32_t count = 0;
	int r = texts ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < numbers->count; i++) {
		r = catalog_get_text(tables, txn, numbers->numbers[i], &texts[count]);
		if (r == 0 && is_wanted(texts[count], query))
			count++;
	}
	if (r < 0)
		return r;
	qsort(texts, count, sizeof(*texts), compare_texts);
	output->more = count > query->limit;
	for (uint32_t i = 0; r == 0 && i < count && i < query->limit; i++)
		r = output->visit(output->context, texts[i].bytes, texts[i].byte_count);
	return r;
}

/* ---- Matching series ---- */

struct posting {
	struct lmdb_cursor *cursor;
	uint32_t name, value; /* numbers of texts */
};

struct matching {
	const struct catalog_tables *tables;
	struct lmdb_txn *txn;
	struct posting postings[PROFILE_STORE_MATCHER_COUNT_MAX];
	uint32_t count;
	uint32_t type; /* number of a text; 0: any */
	struct catalog_range range;
};

/* The first series of the posting from NUMBER on; -ENOENT: there is none. */
static int leap(const struct matching *matching, const struct posting *posting, uint32_t number,
	uint32_t *ret_number)
{
	const uint32_t numbers[] = {posting->name, posting->value, number};
	struct catalog_key key = catalog_key_of_numbers(numbers, 3);
	struct lmdb_span found, value;
	int r = lmdb_cursor_seek(posting->cursor, catalog_key_span(&key), &found, &value);

	(void)matching;
	if (r < 0)
		return r;
	if (found.byte_count != key.byte_count)
		return -EUCLEAN;
	if (catalog_key_number(found, 0) != posting->name ||
		catalog_key_number(found, 1) != posting->value)
		return -ENOENT;
	*ret_number = catalog_key_number(found, 2);
	return 0;
}

/* The first series from *NUMBER on that all postings have. */
static int next_common(const struct matching *matching, uint32_t *number)
{
	uint32_t agreed = 0, at = *number, i = 0;
	int r = 0;

	while (agreed < matching->count) {
		uint32_t found = 0;

		r = leap(matching, &matching->postings[i], at, &found);
		if (r < 0)
			return r;
		agreed = found == at && agreed > 0 ? agreed + 1 : 1;
		at = found;
		i = (i + 1) % matching->count;
	}
	*number = at;
	return 0;
}

static int is_present(const struct matching *matching, uint32_t number,
	const struct catalog_series *series, bool *ret_present)
{
	uint32_t day = matching->range.first_day, last = matching->range.last_day;

	if (series->first_day > day)
		day = series->first_day;
	if (series->last_day < last)
		last = series->last_day;
	*ret_present = false;
	for (; day <= last && !*ret_present; day++) {
		const uint32_t numbers[] = {day, number};
		struct catalog_key key = catalog_key_of_numbers(numbers, 2);
		struct catalog_presence presence = {.count = 0};
		struct lmdb_span value;
		int r = lmdb_get(matching->txn, matching->tables->day_series,
			catalog_key_span(&key), &value);

		if (r == 0)
			r = catalog_presence_read(value, 0, &presence);
		if (r < 0 && r != -ENOENT)
			return r;
		*ret_present = catalog_presence_has(
			&presence, matching->type, catalog_range_mask(&matching->range, day));
	}
	return 0;
}

static int collect(
	const struct catalog_series *series, uint32_t name, struct catalog_numbers *numbers)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < series->count; i++) {
		if (name == 0)
			r = catalog_numbers_add(numbers, series->pairs[i].name);
		else if (series->pairs[i].name == name)
			r = catalog_numbers_add(numbers, series->pairs[i].value);
	}
	return r;
}

static int collect_matching(
	const struct matching *matching, uint32_t name, struct catalog_numbers *numbers)
{
	uint32_t number = 0;
	int r = 0;

	while (r == 0) {
		struct catalog_series series;
		bool present = false;

		r = next_common(matching, &number);
		if (r == 0)
			r = catalog_get_series(matching->tables, matching->txn, number, &series);
		if (r == 0)
			r = is_present(matching, number, &series, &present);
		if (r == 0 && present)
			r = collect(&series, name, numbers);
		if (number++ == UINT32_MAX)
			break;
	}
	return r == -ENOENT ? 0 : r;
}

/* -ENOENT: a matcher names what no series has. */
static int open_postings(struct matching *matching, const struct profile_store_label_query *query)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < query->matcher_count; i++) {
		const struct profile_store_label_matcher *matcher = &query->matchers[i];
		struct posting *posting = &matching->postings[i];
		struct catalog_text name = {matcher->name, strlen(matcher->name)};
		struct catalog_text value = {matcher->value, matcher->value_length};

		r = catalog_find_text(matching->tables, matching->txn, name, &posting->name);
		if (r == 0)
			r = catalog_find_text(
				matching->tables, matching->txn, value, &posting->value);
		if (r == 0)
			r = lmdb_cursor_new(
				matching->txn, matching->tables->posting, &posting->cursor);
		if (r == 0)
			matching->count++;
	}
	if (r == 0 && query->type)
		r = catalog_find_text(matching->tables, matching->txn,
			(struct catalog_text){query->type, strlen(query->type)}, &matching->type);
	return r;
}

int catalog_list_matching(const struct catalog_tables *tables, struct lmdb_txn *txn, uint32_t name,
	const struct profile_store_label_query *query, struct catalog_output *output)
{
	struct matching matching = {
		.tables = tables,
		.txn = txn,
		.range = catalog_range_of(query->from_ns, query->until_ns),
	};
	struct catalog_numbers numbers;
	int r;

	if (query->matcher_count > PROFILE_STORE_MATCHER_COUNT_MAX)
		return -E2BIG;
	catalog_numbers_init(&numbers);
	r = open_postings(&matching, query);
	if (r == 0)
		r = collect_matching(&matching, name, &numbers);
	if (r == 0)
		r = catalog_numbers_give(&numbers, tables, txn, query, output);
	for (uint32_t i = 0; i < matching.count; i++)
		lmdb_cursor_free(matching.postings[i].cursor);
	catalog_numbers_done(&numbers);
	return r == -ENOENT ? 0 : r;
}
