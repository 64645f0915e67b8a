/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "symbolizer-server/sandbox/symbol_index.h"

/* A call, its abstract instance, its declaration: three. */
#define CHAIN_MAX 16
/* A unit of a large program has some thousands of functions that were inlined. */
#define MEMO_SLOTS (1u << 16)

struct dwarf_named {
	const struct dwarf_file *file;
	uint64_t offset;
	uint32_t name;
};

static struct dwarf_value *place_of(struct dwarf_entry *entry, uint16_t attribute)
{
	switch (attribute) {
	case DW_AT_low_pc:
		return &entry->extent.low_pc;
	case DW_AT_high_pc:
		return &entry->extent.high_pc;
	case DW_AT_ranges:
		return &entry->extent.ranges;
	case DW_AT_name:
		return &entry->name;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return &entry->linkage_name;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		return &entry->origin;
	case DW_AT_call_file:
		return &entry->call_file;
	case DW_AT_call_line:
		return &entry->call_line;
	default:
		return NULL;
	}
}

void dwarf_entry_read(struct dwarf_cursor *cursor, const struct dwarf_unit *unit,
	const struct abbrev_table *table, const struct abbrev *abbrev,
	struct dwarf_entry *ret_entry)
{
	const struct abbrev_attribute *attribute = &table->attributes[abbrev->attribute_first];

	*ret_entry = (struct dwarf_entry){0};
	for (uint32_t i = 0; i < abbrev->attribute_count; i++, attribute++) {
		struct dwarf_value *place = place_of(ret_entry, attribute->name);

		if (place) {
			*place = dwarf_form_read(
				cursor, attribute->form, attribute->constant, &unit->head);
		} else {
			dwarf_form_skip(cursor, attribute->form, &unit->head);
		}
	}
}

void dwarf_entry_skip_slowly(struct dwarf_cursor *cursor, const struct dwarf_unit *unit,
	const struct abbrev_table *table, const struct abbrev *abbrev)
{
	const struct abbrev_attribute *attribute = &table->attributes[abbrev->attribute_first];

	for (uint32_t i = 0; i < abbrev->attribute_count; i++, attribute++)
		dwarf_form_skip(cursor, attribute->form, &unit->head);
}

int dwarf_namer_init(struct dwarf_namer *namer, struct string_table *strings)
{
	*namer = (struct dwarf_namer){.strings = strings};
	namer->memo = calloc(MEMO_SLOTS, sizeof(*namer->memo));
	return namer->memo ? 0 : -ENOMEM;
}

void dwarf_namer_done(struct dwarf_namer *namer)
{
	abbrev_cache_done(&namer->abbrevs);
	free(namer->memo);
	*namer = (struct dwarf_namer){0};
}

/* A unit whose entries can be read: the one that is walked, or one that an entry refers to. */
struct place {
	const struct dwarf_unit *unit;
	const struct abbrev_table *table;
	uint64_t offset;
};

/* Opens the unit that holds OFFSET of FILE. -ENOENT: there is none, or it is damaged. */
static int go_to_other(
	struct dwarf_namer *namer, struct dwarf_file *file, uint64_t offset, struct place *place)
{
	const struct dwarf_unit_head *head = dwarf_file_unit(file, offset);
	const struct abbrev_table *table;
	int r;

	/* Units of a package have parts of their own and speak of nobody else. */
	if (!head || place->unit->is_split || !file->sections[DWARF_ABBREV].bytes)
		return -ENOENT;
	r = abbrev_cache_get(
		&namer->abbrevs, &file->sections[DWARF_ABBREV], head, file->swapped, &table);
	if (r == 0 && (namer->other.file != file || namer->other.head.offset != head->offset))
		r = dwarf_unit_open(file, head, table, &namer->other);
	if (r < 0)
		return r == -EBADMSG ? -ENOENT : r;
	place->unit = &namer->other;
	place->table = table;
	return 0;
}

/* From the entry at PLACE to the one that VALUE, an attribute of it, refers to. */
static int follow(struct dwarf_namer *namer, const struct dwarf_value *value, struct place *place)
{
	const struct dwarf_unit_head *head = &place->unit->head;
	struct dwarf_file *file;
	uint64_t offset;
	int r = 0;

	if (!dwarf_unit_reference(place->unit, value, &file, &offset))
		return -ENOENT;
	if (file != place->unit->file || offset < head->first_entry || offset >= head->end)
		r = go_to_other(namer, file, offset, place);
	place->offset = offset;
	return r;
}

static bool read_at(const struct place *place, struct dwarf_entry *ret_entry)
{
	const struct dwarf_file *file = place->unit->file;
	struct dwarf_cursor cursor =
		dwarf_cursor_at(&file->sections[DWARF_INFO], place->offset, file->swapped);
	const struct abbrev *abbrev = abbrev_find(place->table, dwarf_cursor_uleb(&cursor));

	if (!abbrev)
		return false;
	dwarf_entry_read(&cursor, place->unit, place->table, abbrev, ret_entry);
	return !cursor.bad;
}

static int add_text(struct dwarf_namer *namer, const char *text, uint32_t *ret_name)
{
	if (!text || !*text) {
		*ret_name = DWARF_NAME_NONE;
		return 0;
	}
	return string_table_add(
		namer->strings, text, strnlen(text, SYMBOL_NAME_BYTES_MAX - 1), ret_name);
}

/* The name of the entry that an entry at PLACE refers to. */
static int name_by_chain(
	struct dwarf_namer *namer, struct place place, struct dwarf_entry entry, uint32_t *ret_name)
{
	const char *name = NULL, *linkage_name = NULL;
	int r;

	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!name && entry.name.form)
			name = dwarf_unit_text(place.unit, &entry.name);
		if (entry.linkage_name.form)
			linkage_name = dwarf_unit_text(place.unit, &entry.linkage_name);
		if (linkage_name || !entry.origin.form)
			break;
		r = follow(namer, &entry.origin, &place);
		if (r < 0 && r != -ENOENT)
			return r;
		if (r < 0 || !read_at(&place, &entry))
			break;
	}
	return add_text(namer, linkage_name ? linkage_name : name, ret_name);
}

static struct dwarf_named *memo_slot(
	struct dwarf_namer *namer, const struct dwarf_file *file, uint64_t offset)
{
	uint64_t mixed = (offset ^ (uint64_t)(uintptr_t)file) * UINT64_C(0x9e3779b97f4a7c15);

	return &namer->memo[mixed >> 48 & (MEMO_SLOTS - 1)];
}

int dwarf_namer_name(struct dwarf_namer *namer, const struct dwarf_unit *unit,
	const struct abbrev_table *table, const struct dwarf_entry *entry, uint32_t *ret_name)
{
	struct place place = {.unit = unit, .table = table};
	struct dwarf_named *slot = NULL;
	struct dwarf_file *file;
	uint64_t offset;
	int r;

	/* An inlined call says nothing itself, and refers to what thousands of others do, too. */
	if (!entry->name.form && !entry->linkage_name.form &&
		dwarf_unit_reference(unit, &entry->origin, &file, &offset)) {
		slot = memo_slot(namer, file, offset);
		if (slot->file == file && slot->offset == offset) {
			*ret_name = slot->name;
			return 0;
		}
	}
	r = name_by_chain(namer, place, *entry, ret_name);
	if (r == 0 && slot)
		*slot = (struct dwarf_named){file, offset, *ret_name};
	return r;
}
