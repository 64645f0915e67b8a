/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_abbrev.h"

#include <errno.h>
#include <stdlib.h>

#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "symbolizer-server/sandbox/dwarf_form.h"

/* Compilers write some thousands for a unit. */
#define ABBREV_COUNT_MAX (1u << 20)
#define ATTRIBUTE_COUNT_MAX (1u << 24)

void abbrev_table_done(struct abbrev_table *table)
{
	free(table->abbrevs);
	free(table->attributes);
	*table = (struct abbrev_table){0};
}

static void take_attribute(
	struct abbrev_table *table, struct abbrev *abbrev, const struct abbrev_attribute *attribute)
{
	uint32_t byte_count = dwarf_form_bytes(
		attribute->form, table->version, table->address_bytes, table->offset_bytes);

	if (byte_count == DWARF_FORM_VARIES || abbrev->byte_count == ABBREV_LENGTH_VARIES)
		abbrev->byte_count = ABBREV_LENGTH_VARIES;
	else
		abbrev->byte_count += byte_count;
	if (attribute->name == DW_AT_low_pc || attribute->name == DW_AT_ranges)
		abbrev->has_code = true;
	abbrev->attribute_count++;
}

static int read_attributes(
	struct abbrev_table *table, struct dwarf_cursor *cursor, struct abbrev *abbrev)
{
	for (;;) {
		uint64_t name = dwarf_cursor_uleb(cursor), form = dwarf_cursor_uleb(cursor);
		struct abbrev_attribute attribute = {(uint16_t)name, (uint16_t)form, 0};
		int r;

		if (cursor->bad)
			return -EBADMSG;
		if (name == 0 && form == 0)
			return 0;
		if (name > UINT16_MAX || form > UINT16_MAX)
			return -EBADMSG;
		if (form == DW_FORM_implicit_const)
			attribute.constant = dwarf_cursor_sleb(cursor);
		r = grow_array(&table->attributes, &table->attribute_capacity,
			table->attribute_count, ATTRIBUTE_COUNT_MAX);
		if (r < 0)
			return r;
		table->attributes[table->attribute_count++] = attribute;
		take_attribute(table, abbrev, &attribute);
	}
}

static int read_abbrev(struct abbrev_table *table, struct dwarf_cursor *cursor, uint64_t code)
{
	struct abbrev abbrev = {.code = code, .attribute_first = table->attribute_count};
	uint64_t tag = dwarf_cursor_uleb(cursor);
	int r;

	abbrev.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
	abbrev.has_children = dwarf_cursor_u8(cursor) != 0;
	r = read_attributes(table, cursor, &abbrev);
	if (r == 0)
		r = grow_array(&table->abbrevs, &table->capacity, table->count, ABBREV_COUNT_MAX);
	if (r < 0)
		return r;
	table->dense = table->dense && code == table->count + 1;
	table->abbrevs[table->count++] = abbrev;
	return 0;
}

/* By code; of two with the same the one that was read first. */
static int compare(const void *one_pointer, const void *other_pointer)
{
	const struct abbrev *one = one_pointer, *other = other_pointer;

	if (one->code != other->code)
		return one->code < other->code ? -1 : 1;
	return one->attribute_first < other->attribute_first
		? -1
		: one->attribute_first > other->attribute_first;
}

int abbrev_table_read(struct abbrev_table *table, const struct dwarf_span *section,
	const struct dwarf_unit_head *head, bool swapped)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(section, head->abbrev_offset, swapped);
	int r = cursor.bad ? -EBADMSG : 0;

	table->bytes = NULL;
	table->version = head->version;
	table->address_bytes = head->address_bytes;
	table->offset_bytes = head->offset_bytes;
	table->count = table->attribute_count = 0;
	table->dense = true;
	while (r == 0) {
		uint64_t code = dwarf_cursor_uleb(&cursor);

		/* The last table of a section may lack its end. */
		if (cursor.bad || code == 0)
			break;
		r = read_abbrev(table, &cursor, code);
	}
	if (r < 0)
		return r;
	if (!table->dense)
		qsort(table->abbrevs, table->count, sizeof(*table->abbrevs), compare);
	table->bytes = section->bytes + head->abbrev_offset;
	return 0;
}

const struct abbrev *abbrev_find_slowly(const struct abbrev_table *table, uint64_t code)
{
	uint32_t low = 0, high = table->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table->abbrevs[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->count && table->abbrevs[low].code == code ? &table->abbrevs[low] : NULL;
}

int abbrev_cache_get(struct abbrev_cache *cache, const struct dwarf_span *section,
	const struct dwarf_unit_head *head, bool swapped, const struct abbrev_table **ret_table)
{
	struct abbrev_table *table;
	int r;

	for (uint32_t i = 0; i < ABBREV_CACHE_TABLES; i++) {
		table = &cache->tables[i];
		if (table->bytes && table->bytes == section->bytes + head->abbrev_offset &&
			table->version == head->version &&
			table->address_bytes == head->address_bytes &&
			table->offset_bytes == head->offset_bytes) {
			*ret_table = table;
			return 0;
		}
	}
	table = &cache->tables[cache->next];
	cache->next = (cache->next + 1) % ABBREV_CACHE_TABLES;
	r = abbrev_table_read(table, section, head, swapped);
	if (r == 0)
		*ret_table = table;
	return r;
}

void abbrev_cache_done(struct abbrev_cache *cache)
{
	for (uint32_t i = 0; i < ABBREV_CACHE_TABLES; i++)
		abbrev_table_done(&cache->tables[i]);
}
