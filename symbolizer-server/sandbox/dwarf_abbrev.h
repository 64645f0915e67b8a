/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF abbreviations: the shapes of entries, decoded once for all units that share them.
 *
 * What it is   tables by their place in .debug_abbrev. For each shape it is worked out beforehand
 *              whether its entries have the same length, since most are skipped.
 * Ownership    a table owns its arrays; a cache its tables.
 * Threads      one owner.
 * Errors       -EBADMSG: damaged; -ENOMEM; -E2BIG.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/sandbox/dwarf_cursor.h"
#include "symbolizer-server/sandbox/dwarf_file.h"

#define ABBREV_LENGTH_VARIES UINT32_MAX

struct abbrev_attribute {
	uint16_t name;
	uint16_t form;
	int64_t constant; /* DW_FORM_implicit_const */
};

struct abbrev {
	uint64_t code;
	uint32_t attribute_first;
	uint32_t attribute_count;
	uint32_t byte_count; /* of the attributes of each entry, or ABBREV_LENGTH_VARIES */
	uint16_t tag;
	bool has_children;
	bool has_code; /* has addresses: a subprogram that is no mere declaration */
};

struct abbrev_table {
	/* What the table was read from. */
	const uint8_t *bytes;
	uint16_t version;
	uint8_t address_bytes, offset_bytes;

	struct abbrev *abbrevs; /* by code */
	uint32_t count;
	uint32_t capacity;
	bool dense; /* code n stands at n - 1 */
	struct abbrev_attribute *attributes;
	uint32_t attribute_count;
	uint32_t attribute_capacity;
};

/* Reads the table of a unit into TABLE, whose memory is used again. SECTION is .debug_abbrev, or
 * the part of it that belongs to the unit. */
int abbrev_table_read(struct abbrev_table *table, const struct dwarf_span *section,
	const struct dwarf_unit_head *head, bool swapped);
void abbrev_table_done(struct abbrev_table *table);
/* NULL: no such code. */
const struct abbrev *abbrev_find_slowly(const struct abbrev_table *table, uint64_t code);

static inline const struct abbrev *abbrev_find(const struct abbrev_table *table, uint64_t code)
{
	if (table->dense)
		return code - 1 < table->count ? &table->abbrevs[code - 1] : NULL;
	return abbrev_find_slowly(table, code);
}

/* A few tables that were used last. */
#define ABBREV_CACHE_TABLES 16

struct abbrev_cache {
	struct abbrev_table tables[ABBREV_CACHE_TABLES];
	uint32_t next; /* to be replaced */
};

/* The table is good until the next call. */
int abbrev_cache_get(struct abbrev_cache *cache, const struct dwarf_span *section,
	const struct dwarf_unit_head *head, bool swapped, const struct abbrev_table **ret_table);
void abbrev_cache_done(struct abbrev_cache *cache);
