/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   index --> entries [text|length] ... --> texts (arena blocks: "\0" "main\0" "libc.so.6\0" ...)
 *   text ---> map (hash -> index)
 *
 * Texts never move, so readers may keep a pointer while more are added.
 */
#include "store/profile/string_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/profile/grow.h"

struct text_key {
	const char *text;
	size_t length;
};

int string_table_init(struct string_table *table)
{
	uint32_t empty;
	int r;

	*table = (struct string_table){0};
	arena_init(&table->texts, STRING_TABLE_BYTES_MAX);
	index_map_init(&table->map, STRING_COUNT_MAX);
	r = string_table_add(table, "", 0, &empty);
	if (r < 0)
		string_table_done(table);
	return r;
}

void string_table_done(struct string_table *table)
{
	arena_done(&table->texts);
	index_map_done(&table->map);
	free(table->entries);
	*table = (struct string_table){0};
}

static bool entry_equal(const void *context, uint32_t index, const void *key)
{
	const struct string_entry *entry = (const struct string_entry *)context + index;
	const struct text_key *text = key;

	return entry->length == text->length && memcmp(entry->text, text->text, text->length) == 0;
}

static uint32_t find_hashed(
	const struct string_table *table, uint64_t hash, const char *text, size_t length)
{
	struct text_key key = {text, length};

	return index_map_find(&table->map, hash, entry_equal, table->entries, &key);
}

uint32_t string_table_find(const struct string_table *table, const char *text, size_t length)
{
	return find_hashed(table, hash_key(text, length), text, length);
}

int string_table_add(
	struct string_table *table, const char *text, size_t length, uint32_t *ret_index)
{
	uint64_t hash = hash_key(text, length);
	uint32_t index = find_hashed(table, hash, text, length);
	char *copy;
	int r;

	if (index != INDEX_MAP_NONE) {
		*ret_index = index;
		return 0;
	}
	if (length > STRING_BYTES_MAX)
		return -E2BIG;
	r = grow_array(&table->entries, &table->capacity, table->count, STRING_COUNT_MAX);
	if (r < 0)
		return r;
	copy = arena_copy_text(&table->texts, text, length);
	if (!copy)
		return -ENOMEM;
	r = index_map_add(&table->map, hash, table->count);
	if (r < 0)
		return r;
	table->entries[table->count] = (struct string_entry){copy, (uint32_t)length};
	*ret_index = table->count++;
	return 0;
}

const char *string_table_text(const struct string_table *table, uint32_t index)
{
	must(index < table->count);
	return table->entries[index].text;
}

size_t string_table_length(const struct string_table *table, uint32_t index)
{
	must(index < table->count);
	return table->entries[index].length;
}
