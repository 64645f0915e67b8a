/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/label.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/profile/grow.h"

#define LABELS_ALL_MAX (16u << 20)

struct set_key {
	const struct label *labels;
	uint32_t count;
};

int label_table_init(struct label_table *table)
{
	uint32_t empty;
	int r;

	*table = (struct label_table){0};
	index_map_init(&table->map, LABEL_SET_COUNT_MAX);
	r = label_table_add(table, NULL, NULL, 0, &empty);
	if (r < 0)
		label_table_done(table);
	return r;
}

void label_table_done(struct label_table *table)
{
	index_map_done(&table->map);
	free(table->labels);
	free(table->sets);
	*table = (struct label_table){0};
}

static bool set_equal(const void *context, uint32_t index, const void *key)
{
	const struct label_table *table = context;
	const struct label_set *set = &table->sets[index];
	const struct set_key *wanted = key;

	return set->count == wanted->count &&
		(set->count == 0 ||
			memcmp(table->labels + set->first, wanted->labels,
				set->count * sizeof(*wanted->labels)) == 0);
}

/* Texts may hold any byte, so that C strings would not tell all of them apart. */
static int key_compare(const struct string_table *strings, uint32_t one, uint32_t other)
{
	size_t one_length = string_table_length(strings, one);
	size_t other_length = string_table_length(strings, other);
	size_t shorter = one_length < other_length ? one_length : other_length;
	int order =
		memcmp(string_table_text(strings, one), string_table_text(strings, other), shorter);

	if (order != 0)
		return order;
	return (one_length > other_length) - (one_length < other_length);
}

/* Inserts into SORTED by key text, replacing an equal key; returns the new count. */
static uint32_t insert_sorted(const struct string_table *strings, struct label *sorted,
	uint32_t count, struct label label)
{
	uint32_t at = 0;

	while (at < count && key_compare(strings, sorted[at].key, label.key) < 0)
		at++;
	if (at < count && sorted[at].key == label.key) {
		sorted[at] = label;
		return count;
	}
	memmove(sorted + at + 1, sorted + at, (count - at) * sizeof(*sorted));
	sorted[at] = label;
	return count + 1;
}

static uint32_t drop_empty(struct label *labels, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (labels[i].value != 0)
			labels[kept++] = labels[i];
	}
	return kept;
}

/* Appends a set that is known to be absent. */
static int append_set(struct label_table *table, uint64_t hash, const struct set_key *key)
{
	uint32_t first = table->label_count;
	int r = grow_array(&table->sets, &table->capacity, table->count, LABEL_SET_COUNT_MAX);

	for (uint32_t i = 0; r == 0 && i < key->count; i++) {
		r = grow_array(&table->labels, &table->label_capacity, first + i, LABELS_ALL_MAX);
		if (r == 0)
			table->labels[first + i] = key->labels[i];
	}
	if (r == 0)
		r = index_map_add(&table->map, hash, table->count);
	if (r < 0)
		return r;
	table->label_count = first + key->count;
	table->sets[table->count++] = (struct label_set){first, key->count};
	return 0;
}

int label_table_add(struct label_table *table, const struct string_table *strings,
	const struct label *labels, uint32_t label_count, uint32_t *ret_set)
{
	struct label sorted[LABEL_COUNT_MAX];
	struct set_key key = {.labels = sorted};
	uint64_t hash;
	uint32_t set;
	int r;

	if (label_count > LABEL_COUNT_MAX)
		return -E2BIG;
	for (uint32_t i = 0; i < label_count; i++)
		key.count = insert_sorted(strings, sorted, key.count, labels[i]);
	key.count = drop_empty(sorted, key.count);
	hash = hash_key(sorted, key.count * sizeof(*sorted));
	set = index_map_find(&table->map, hash, set_equal, table, &key);
	if (set == INDEX_MAP_NONE) {
		r = append_set(table, hash, &key);
		if (r < 0)
			return r;
		set = table->count - 1;
	}
	*ret_set = set;
	return 0;
}

const char *label_table_value(const struct label_table *table, const struct string_table *strings,
	uint32_t set, const char *key)
{
	const struct label_set *found;

	must(set < table->count);
	found = &table->sets[set];
	for (uint32_t i = 0; i < found->count; i++) {
		const struct label *label = &table->labels[found->first + i];

		if (strcmp(string_table_text(strings, label->key), key) == 0)
			return string_table_text(strings, label->value);
	}
	return NULL;
}
