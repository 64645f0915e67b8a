/* SPDX-License-Identifier: Apache-2.0 */
/* Hand DWARF: one unit of version 5, entry by entry, for tests of what walks entries.
 *
 * What it is   .debug_info and .debug_abbrev that grow together: each entry has a shape of its own,
 *              with the attributes that a test gives it.
 * Ownership    the file borrows the sections of the unit: both stay where they are.
 * Threads      one owner.
 * Errors       as tiny_dwarf.h
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/sandbox/dwarf_abbrev.h"
#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "symbolizer-server/sandbox/dwarf_form.h"
#include "tests/support/check.h"
#include "tests/support/tiny_dwarf.h"

#define HAND_HEAD_BYTES 12

struct hand_dwarf {
	struct tiny_dwarf info, abbrev;
	uint32_t shapes;
	struct dwarf_file file;
	struct dwarf_unit_head head;
	struct abbrev_table table;
};

struct hand_attribute {
	uint16_t name, form;
	uint64_t value;
	const char *text; /* DW_FORM_string */
};

static inline void hand_value(struct tiny_dwarf *info, const struct hand_attribute *attribute)
{
	if (attribute->form == DW_FORM_string)
		tiny_text(info, attribute->text);
	else if (attribute->form == DW_FORM_udata || attribute->form == DW_FORM_strx ||
		attribute->form == DW_FORM_addrx)
		tiny_uleb(info, attribute->value);
	else
		tiny_number(info, attribute->value, dwarf_form_bytes(attribute->form, 5, 8, 4));
}

/* Adds an entry and gives its offset. */
static inline uint64_t hand_entry(struct hand_dwarf *hand, uint16_t tag, bool children,
	const struct hand_attribute *attributes, size_t attribute_count)
{
	uint64_t offset = HAND_HEAD_BYTES + hand->info.byte_count;

	tiny_uleb(&hand->abbrev, ++hand->shapes);
	tiny_uleb(&hand->abbrev, tag);
	tiny_bytes(&hand->abbrev, children);
	tiny_uleb(&hand->info, hand->shapes);
	for (size_t i = 0; i < attribute_count; i++) {
		tiny_uleb(&hand->abbrev, attributes[i].name);
		tiny_uleb(&hand->abbrev, attributes[i].form);
		hand_value(&hand->info, &attributes[i]);
	}
	tiny_bytes(&hand->abbrev, 0, 0);
	return offset;
}

#define HAND_ENTRY(hand, tag, children, ...)                                                \
	hand_entry((hand), (tag), (children), (const struct hand_attribute[]){__VA_ARGS__}, \
		sizeof((const struct hand_attribute[]){__VA_ARGS__}) /                      \
			sizeof(struct hand_attribute))

static inline void hand_end_children(struct hand_dwarf *hand)
{
	tiny_bytes(&hand->info, 0);
}

/* Ready to be read: offsets count as if a header stood in front. */
static inline void hand_finish(struct hand_dwarf *hand)
{
	static const uint8_t header[HAND_HEAD_BYTES];
	struct tiny_dwarf *info = &hand->info;

	must(info->byte_count + HAND_HEAD_BYTES <= sizeof(info->bytes));
	memmove(info->bytes + HAND_HEAD_BYTES, info->bytes, info->byte_count);
	memcpy(info->bytes, header, sizeof(header));
	info->byte_count += HAND_HEAD_BYTES;
	hand->head = (struct dwarf_unit_head){.end = info->byte_count,
		.first_entry = HAND_HEAD_BYTES,
		.version = 5,
		.type = DW_UT_compile,
		.address_bytes = 8,
		.offset_bytes = 4};
	hand->file.sections[DWARF_INFO] = tiny_span(info);
	hand->file.sections[DWARF_ABBREV] = tiny_span(&hand->abbrev);
	hand->file.units = &hand->head;
	hand->file.unit_count = 1;
	CHECK_EQ(abbrev_table_read(
			 &hand->table, &hand->file.sections[DWARF_ABBREV], &hand->head, false),
		0);
}

static inline void hand_done(struct hand_dwarf *hand)
{
	abbrev_table_done(&hand->table);
}
