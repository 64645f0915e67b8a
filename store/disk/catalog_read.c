/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   day 19000 | service_name | "db"  "web"          heads, one a day: the smallest goes out, and
 *   day 19001 | service_name | "api" "web" "xen"    every head that has the same text moves on
 *   day 19002 | service_name | "web"
 */
#include "store/disk/catalog_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/disk/catalog_list.h"
#include "store/disk/catalog_range.h"

/* Where the list of one day stands. */
struct head {
	struct lmdb_cursor *cursor;
	struct lmdb_span key;
	struct catalog_text text;
	uint32_t day;
	uint32_t mask;
	bool ended;
};

struct merging {
	const struct catalog_tables *tables;
	struct lmdb_txn *txn;
	const struct profile_store_label_query *query;
	uint32_t type; /* number of a text; 0: any */
	uint32_t name;
	uint32_t hidden_name; /* that of the types, which is no label */
	struct catalog_key after; /* of no day; empty: from the first value on */
	struct head *heads;
	uint32_t count;
};

#define VALUE_KEY_HEAD_BYTES 8

/* What the lists are ordered by: the key behind the day. */
static struct catalog_text order_of(struct lmdb_span key)
{
	return (struct catalog_text){(const char *)key.bytes + 4, key.byte_count - 4};
}

static bool begins_with(struct catalog_text text, const char *prefix, size_t length)
{
	return !prefix || (text.byte_count >= length && memcmp(text.bytes, prefix, length) == 0);
}

/* The text of an entry: from its key, or from the table of texts where the key has only a part. */
static int entry_text(const struct merging *merging, struct lmdb_span key, struct lmdb_span value,
	struct catalog_text *ret_text)
{
	size_t byte_count = key.byte_count - VALUE_KEY_HEAD_BYTES;
	uint32_t number;
	int r;

	if (byte_count < CATALOG_KEY_TEXT_MAX) {
		*ret_text = (struct catalog_text){
			(const char *)key.bytes + VALUE_KEY_HEAD_BYTES, byte_count};
		return 0;
	}
	r = catalog_number_read(value, &number);
	return r == 0 ? catalog_get_text(merging->tables, merging->txn, number, ret_text) : r;
}

/* Whether the entry is wanted. RET_ENDED: neither it nor any behind it. */
static int judge(
	const struct merging *merging, struct head *head, struct lmdb_span value, bool *ret_wanted)
{
	const struct profile_store_label_query *query = merging->query;
	struct catalog_presence presence;
	int r;

	*ret_wanted = false;
	head->ended = head->key.byte_count < VALUE_KEY_HEAD_BYTES ||
		catalog_key_number(head->key, 0) != head->day ||
		catalog_key_number(head->key, 1) != merging->name;
	if (head->ended)
		return 0;
	r = entry_text(merging, head->key, value, &head->text);
	if (r == 0)
		r = catalog_presence_read(value, sizeof(uint32_t), &presence);
	if (r < 0 || !catalog_presence_has(&presence, merging->type, head->mask))
		return r;
	if (query->after &&
		catalog_text_compare(
			order_of(head->key), order_of(catalog_key_span(&merging->after))) <= 0)
		return 0;
	if (!begins_with(head->text, query->prefix, query->prefix_length)) {
		/* Texts before the prefix come first: LMDB was asked for no such one. */
		head->ended = true;
		return 0;
	}
	*ret_wanted = true;
	return 0;
}

/* Goes on from what was read with result R until an entry is wanted or the list ends. */
static int settle(const struct merging *merging, struct head *head, int r, struct lmdb_span value)
{
	bool wanted = false;

	while (r == 0) {
		r = judge(merging, head, value, &wanted);
		if (r < 0 || wanted || head->ended)
			return r;
		r = lmdb_cursor_next(head->cursor, &head->key, &value);
	}
	if (r == -ENOENT) {
		head->ended = true;
		r = 0;
	}
	return r;
}

/* The same value on another day. */
static struct catalog_key key_on_day(const struct catalog_key *key, uint32_t day)
{
	struct catalog_key moved = catalog_key_of_number(day);

	memcpy(moved.bytes + moved.byte_count, key->bytes + moved.byte_count,
		key->byte_count - moved.byte_count);
	moved.byte_count = key->byte_count;
	return moved;
}

/* To the first entry that may be wanted: behind `after`, at the prefix. */
static int seek_head(const struct merging *merging, struct head *head)
{
	const struct profile_store_label_query *query = merging->query;
	struct catalog_text prefix = {query->prefix ? query->prefix : "", query->prefix_length};
	struct catalog_key key = catalog_key_of_value(head->day, merging->name, prefix, 0);
	struct lmdb_span value = {0};
	int r;

	if (query->after &&
		catalog_text_compare(order_of(catalog_key_span(&merging->after)),
			order_of(catalog_key_span(&key))) > 0)
		key = key_on_day(&merging->after, head->day);
	r = lmdb_cursor_new(merging->txn, merging->tables->day_value, &head->cursor);
	if (r == 0)
		r = lmdb_cursor_seek(head->cursor, catalog_key_span(&key), &head->key, &value);
	return settle(merging, head, r, value);
}

static int next_head(const struct merging *merging, struct head *head)
{
	struct lmdb_span value;
	int r = lmdb_cursor_next(head->cursor, &head->key, &value);

	return settle(merging, head, r, value);
}

static struct head *smallest(const struct merging *merging)
{
	struct head *best = NULL;

	for (uint32_t i = 0; i < merging->count; i++) {
		struct head *head = &merging->heads[i];

		if (!head->ended &&
			(!best ||
				catalog_text_compare(order_of(head->key), order_of(best->key)) < 0))
			best = head;
	}
	return best;
}

/* Every head that stands at the value of BEST goes on. */
static int pass_value(const struct merging *merging, const struct head *best)
{
	struct catalog_text order = order_of(best->key);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < merging->count; i++) {
		struct head *head = &merging->heads[i];

		if (!head->ended && catalog_text_compare(order_of(head->key), order) == 0)
			r = next_head(merging, head);
	}
	return r;
}

static int merge_days(
	const struct merging *merging, profile_store_label_fn visit, void *context, bool *ret_more)
{
	uint32_t given = 0;
	int r = 0;

	*ret_more = false;
	for (uint32_t i = 0; r == 0 && i < merging->count; i++)
		r = seek_head(merging, &merging->heads[i]);
	while (r == 0) {
		struct head *head = smallest(merging);

		if (!head)
			break;
		*ret_more = given++ == merging->query->limit;
		if (*ret_more)
			break;
		r = visit(context, head->text.bytes, head->text.byte_count);
		if (r == 0)
			r = pass_value(merging, head);
	}
	return r;
}

/* Leaves of the days those between the first and the last that the table has. RET_ANY: there are. */
static int narrow(const struct catalog_tables *tables, struct lmdb_txn *txn, uint32_t *first_day,
	uint32_t *last_day, bool *ret_any)
{
	struct lmdb_span key, value;
	struct lmdb_cursor *cursor;
	uint32_t first = 0, last = 0;
	int r = lmdb_cursor_new(txn, tables->day_value, &cursor);

	if (r < 0)
		return r;
	r = lmdb_cursor_seek(cursor, (struct lmdb_span){NULL, 0}, &key, &value);
	if (r == 0 && key.byte_count < VALUE_KEY_HEAD_BYTES)
		r = -EUCLEAN;
	if (r == 0) {
		first = catalog_key_number(key, 0);
		r = lmdb_cursor_last(cursor, &key, &value);
	}
	if (r == 0 && key.byte_count < VALUE_KEY_HEAD_BYTES)
		r = -EUCLEAN;
	if (r == 0)
		last = catalog_key_number(key, 0);
	lmdb_cursor_free(cursor);
	if (r < 0) {
		*ret_any = false;
		return r == -ENOENT ? 0 : r;
	}
	if (first > *first_day)
		*first_day = first;
	if (last < *last_day)
		*last_day = last;
	*ret_any = *first_day <= *last_day;
	return 0;
}

static int make_heads(struct merging *merging, const struct catalog_range *asked,
	uint32_t first_day, uint32_t last_day)
{
	uint32_t count = last_day - first_day + 1;

	if (count > CATALOG_READ_DAY_COUNT_MAX)
		return -E2BIG;
	merging->heads = calloc(count, sizeof(*merging->heads));
	if (!merging->heads)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t day = first_day + i;

		merging->heads[i].day = day;
		merging->heads[i].mask = catalog_range_mask(asked, day);
	}
	merging->count = count;
	return 0;
}

static void free_heads(struct merging *merging)
{
	for (uint32_t i = 0; i < merging->count; i++)
		lmdb_cursor_free(merging->heads[i].cursor);
	free(merging->heads);
}

/* A text that the catalogue does not have: nothing has it. */
static int find_number(const struct catalog_tables *tables, struct lmdb_txn *txn, const char *text,
	size_t length, uint32_t *ret_number)
{
	return catalog_find_text(tables, txn, (struct catalog_text){text, length}, ret_number);
}

/* The place of `after` among the values, whether or not it is one. */
static int find_after(struct merging *merging)
{
	const struct profile_store_label_query *query = merging->query;
	uint32_t number = 0;
	int r;

	if (!query->after)
		return 0;
	r = find_number(merging->tables, merging->txn, query->after, query->after_length, &number);
	merging->after = catalog_key_of_value(
		0, merging->name, (struct catalog_text){query->after, query->after_length}, number);
	return r == -ENOENT ? 0 : r;
}

static int read_values(struct merging *merging, struct catalog_output *output)
{
	struct catalog_range asked =
		catalog_range_of(merging->query->from_ns, merging->query->until_ns);
	uint32_t first_day = asked.first_day, last_day = asked.last_day;
	bool any = false;
	int r = find_after(merging);

	if (r == 0)
		r = narrow(merging->tables, merging->txn, &first_day, &last_day, &any);
	if (r < 0 || !any)
		return r;
	r = make_heads(merging, &asked, first_day, last_day);
	if (r == 0)
		r = merge_days(merging, output->visit, output->context, &output->more);
	free_heads(merging);
	return r;
}

/* ---- Names: by leaps from one to the next ---- */

/* From KEY, which is of the name NAME, on: whether any value is there. Goes behind the last that it
 * looked at. */
static int any_value(
	const struct merging *merging, struct head *head, struct lmdb_span value, bool *ret_any)
{
	uint32_t name = catalog_key_number(head->key, 1);
	struct catalog_presence presence;
	int r = 0;

	*ret_any = false;
	while (r == 0 && head->key.byte_count >= VALUE_KEY_HEAD_BYTES &&
		catalog_key_number(head->key, 0) == head->day &&
		catalog_key_number(head->key, 1) == name) {
		r = catalog_presence_read(value, sizeof(uint32_t), &presence);
		if (r < 0)
			return r;
		*ret_any = catalog_presence_has(&presence, merging->type, head->mask);
		if (*ret_any)
			return 0;
		r = lmdb_cursor_next(head->cursor, &head->key, &value);
	}
	return r == -ENOENT ? 0 : r;
}

static int names_of_day(
	const struct merging *merging, struct head *head, struct catalog_numbers *numbers)
{
	uint32_t numbers_of_key[2] = {head->day, 0};
	struct lmdb_span value;
	int r = lmdb_cursor_new(merging->txn, merging->tables->day_value, &head->cursor);

	while (r == 0) {
		struct catalog_key key = catalog_key_of_numbers(numbers_of_key, 2);
		bool any = false;

		r = lmdb_cursor_seek(head->cursor, catalog_key_span(&key), &head->key, &value);
		if (r < 0 || head->key.byte_count < VALUE_KEY_HEAD_BYTES ||
			catalog_key_number(head->key, 0) != head->day)
			break;
		numbers_of_key[1] = catalog_key_number(head->key, 1);
		if (numbers_of_key[1] != merging->hidden_name &&
			!catalog_numbers_has(numbers, numbers_of_key[1]))
			r = any_value(merging, head, value, &any);
		if (r == 0 && any)
			r = catalog_numbers_add(numbers, numbers_of_key[1]);
		if (numbers_of_key[1]++ == UINT32_MAX)
			break;
	}
	return r == -ENOENT ? 0 : r;
}

static int read_names(struct merging *merging, struct catalog_output *output)
{
	struct catalog_range asked =
		catalog_range_of(merging->query->from_ns, merging->query->until_ns);
	uint32_t first_day = asked.first_day, last_day = asked.last_day;
	struct catalog_numbers numbers;
	bool any = false;
	int r = narrow(merging->tables, merging->txn, &first_day, &last_day, &any);

	if (r < 0 || !any)
		return r;
	catalog_numbers_init(&numbers);
	r = make_heads(merging, &asked, first_day, last_day);
	for (uint32_t i = 0; r == 0 && i < merging->count; i++)
		r = names_of_day(merging, &merging->heads[i], &numbers);
	if (r == 0)
		r = catalog_numbers_give(
			&numbers, merging->tables, merging->txn, merging->query, output);
	catalog_numbers_done(&numbers);
	free_heads(merging);
	return r;
}

/* ---- Both ---- */

/* Names and values differ in who reads them; NAME is NULL for names. */
static int read_list(struct merging *merging, const char *name, struct catalog_output *output)
{
	const struct profile_store_label_query *query = merging->query;
	int r = 0;

	if (name)
		r = find_number(merging->tables, merging->txn, name, strlen(name), &merging->name);
	else
		r = find_number(merging->tables, merging->txn, CATALOG_TYPE_NAME,
			strlen(CATALOG_TYPE_NAME), &merging->hidden_name);
	if (r == 0 && query->type)
		r = find_number(merging->tables, merging->txn, query->type, strlen(query->type),
			&merging->type);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (query->matcher_count > 0)
		return catalog_list_matching(
			merging->tables, merging->txn, merging->name, query, output);
	return name ? read_values(merging, output) : read_names(merging, output);
}

static int read_in_transaction(const struct catalog_tables *tables, const char *name,
	const struct profile_store_label_query *query, struct catalog_output *output)
{
	struct merging merging = {.tables = tables, .query = query};
	int r;

	if (query->from_ns >= query->until_ns)
		return 0;
	r = lmdb_read_begin(tables->env, &merging.txn);
	if (r < 0)
		return r;
	r = read_list(&merging, name, output);
	lmdb_read_end(merging.txn);
	return r;
}

int catalog_read_names(const struct catalog_tables *tables,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more)
{
	struct catalog_output output = {.visit = visit, .context = context};
	int r = read_in_transaction(tables, NULL, query, &output);

	*ret_more = output.more;
	return r;
}

int catalog_read_values(const struct catalog_tables *tables, const char *name,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more)
{
	struct catalog_output output = {.visit = visit, .context = context};
	int r = read_in_transaction(tables, name, query, &output);

	*ret_more = output.more;
	return r;
}
