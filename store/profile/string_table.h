/* SPDX-License-Identifier: Apache-2.0 */
/* String table: each distinct text once, named by its index.
 *
 * What it is   interned byte strings; index 0 is always the empty text. Texts may hold any byte but
 *              are also NUL-terminated, so that those without a NUL inside are C strings.
 * Ownership    texts live in the table until string_table_done; a borrowed text stays where it is
 *              while the table grows.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many texts or too long a text; nothing is changed then.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/base/arena.h"
#include "store/base/index_map.h"

/* A window names a few thousand texts; a foreign message gets a bounded share of memory. */
#define STRING_COUNT_MAX (4u << 20)
#define STRING_BYTES_MAX (64u << 10) /* one text; longer names are cut by whoever reads them in */
#define STRING_TABLE_BYTES_MAX ((size_t)512 << 20)

struct string_table {
	struct arena texts;
	struct string_entry *entries;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
};

struct string_entry {
	const char *text;
	uint32_t length;
};

int string_table_init(struct string_table *table);
void string_table_done(struct string_table *table);
int string_table_add(
	struct string_table *table, const char *text, size_t length, uint32_t *ret_index);
/* The index of a text that is there, or INDEX_MAP_NONE. */
uint32_t string_table_find(const struct string_table *table, const char *text, size_t length);
/* INDEX must be below count. */
const char *string_table_text(const struct string_table *table, uint32_t index);
size_t string_table_length(const struct string_table *table, uint32_t index);
