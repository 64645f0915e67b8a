/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF forms: how the value of an attribute is written, and how it is skipped.
 *
 * What it is   reads a value as it stands; what it means (an index in which table, an offset in
 *              which section) is dwarf_unit's to say.
 * Ownership    a value borrows texts from the section.
 * Threads      no shared state.
 * Errors       an unknown form makes the cursor bad: where its value ends is not known.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/sandbox/dwarf_cursor.h"
#include "symbolizer-server/sandbox/dwarf_file.h"

#define DWARF_FORM_VARIES UINT32_MAX

struct dwarf_value {
	uint16_t form; /* 0: there is no such attribute */
	uint64_t number; /* address, constant, index or offset */
	const char *text; /* DW_FORM_string */
};

/* The length of values of FORM; DWARF_FORM_VARIES if that depends on the value. */
uint32_t dwarf_form_bytes(
	uint16_t form, uint16_t version, uint8_t address_bytes, uint8_t offset_bytes);
void dwarf_form_skip(
	struct dwarf_cursor *cursor, uint16_t form, const struct dwarf_unit_head *head);
/* CONSTANT is that of DW_FORM_implicit_const. */
struct dwarf_value dwarf_form_read(struct dwarf_cursor *cursor, uint16_t form, int64_t constant,
	const struct dwarf_unit_head *head);
