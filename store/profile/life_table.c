/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/life_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/profile/grow.h"

int life_table_init(struct life_table *table, uint32_t count_max)
{
	*table = (struct life_table){.count_max = count_max};
	index_map_init(&table->map, count_max);
	return string_table_init(&table->names);
}

void life_table_done(struct life_table *table)
{
	string_table_done(&table->names);
	index_map_done(&table->map);
	free(table->rows);
	*table = (struct life_table){0};
}

int life_sums_add(struct life_sums *to, const struct life_sums *sums)
{
	struct life_sums sum;

#define SUM_UP(name)                                                                         \
	if (__builtin_add_overflow(to->name, sums->name, &sum.name) || sum.name > INT64_MAX) \
		return -EOVERFLOW;
	LIFE_SUMS(SUM_UP)
#undef SUM_UP
	*to = sum;
	return 0;
}

static bool row_equal(const void *context, uint32_t index, const void *key)
{
	const struct life_row *one = (const struct life_row *)context + index;
	const struct life_row *other = key;

	return one->command == other->command && one->parent == other->parent;
}

static int add_row(struct life_table *table, const struct life_row *row, uint64_t hash)
{
	int r = grow_array(&table->rows, &table->capacity, table->count, table->count_max);

	if (r == 0)
		r = index_map_add(&table->map, hash, table->count);
	if (r < 0)
		return r;
	table->rows[table->count++] = *row;
	return 0;
}

int life_table_add(struct life_table *table, struct life_name command, struct life_name parent,
	const struct life_sums *sums)
{
	struct life_row row = {.command = 0};
	uint64_t hash;
	uint32_t index;
	int r = life_sums_add(&row.sums, sums);

	if (r < 0)
		return r;
	if (command.length > LIFE_NAME_BYTES_MAX || parent.length > LIFE_NAME_BYTES_MAX)
		return -E2BIG;
	r = string_table_add(&table->names, command.text, command.length, &row.command);
	if (r == 0)
		r = string_table_add(&table->names, parent.text, parent.length, &row.parent);
	if (r < 0)
		return r;
	hash = hash_pair(row.command, row.parent);
	index = index_map_find(&table->map, hash, row_equal, table->rows, &row);
	if (index == INDEX_MAP_NONE)
		return add_row(table, &row, hash);
	return life_sums_add(&table->rows[index].sums, sums);
}

static struct life_name name_at(const struct life_table *table, uint32_t index)
{
	return (struct life_name){
		string_table_text(&table->names, index), string_table_length(&table->names, index)};
}

struct life_name life_table_command(const struct life_table *table, uint32_t row)
{
	must(row < table->count);
	return name_at(table, table->rows[row].command);
}

struct life_name life_table_parent(const struct life_table *table, uint32_t row)
{
	must(row < table->count);
	return name_at(table, table->rows[row].parent);
}

int life_name_compare(struct life_name one, struct life_name other)
{
	size_t length = one.length < other.length ? one.length : other.length;
	int r = length > 0 ? memcmp(one.text, other.text, length) : 0;

	if (r != 0)
		return r;
	return one.length < other.length ? -1 : one.length > other.length;
}

static int row_compare(const void *left, const void *right, void *context)
{
	const struct life_table *table = context;
	const struct life_row *one = left, *other = right;
	int r = life_name_compare(name_at(table, one->command), name_at(table, other->command));

	return r != 0
		? r
		: life_name_compare(name_at(table, one->parent), name_at(table, other->parent));
}

void life_table_sort(struct life_table *table)
{
	if (table->count > 0)
		qsort_r(table->rows, table->count, sizeof(*table->rows), row_compare, table);
	/* Places have changed: what is sorted is complete. */
	index_map_clear(&table->map);
}
