/* SPDX-License-Identifier: Apache-2.0 */
/* Go table: .gopclntab, in which the Go runtime itself finds functions, files and lines.
 *
 * What it is   its four layouts (Go 1.2, 1.16, 1.18 and 1.20) as one: functions by number, each with
 *              a record, and texts. Every read is checked against the table's length.
 * Ownership    owns a copy of the table.
 * Threads      no shared state.
 * Errors       -ENOENT: no such table; -EBADMSG: damaged; -ENOTSUP: a layout that is not known;
 *              -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"

enum go_layout { GO_LAYOUT_1_2, GO_LAYOUT_1_16, GO_LAYOUT_1_18, GO_LAYOUT_1_20 };

struct go_table {
	const struct image *image;
	uint8_t *bytes;
	size_t byte_count;
	uint64_t address; /* of its section */
	enum go_layout layout;
	unsigned word_bytes;
	unsigned field_bytes; /* of a pc and of the place of a record */
	unsigned step_bytes; /* what distances between pcs count */
	uint64_t code_start; /* what pcs count from */
	uint64_t function_count;
	uint64_t names; /* offsets of its parts */
	uint64_t units;
	uint64_t files;
	uint64_t steps;
	uint64_t functions;
	uint64_t records;
};

int go_table_open(
	const struct image *image, const struct section_names *names, struct go_table *ret_table);
void go_table_done(struct go_table *table);
/* A number of BYTE_COUNT bytes (4 or 8) at OFFSET. False: it lies outside. */
bool go_table_number(
	const struct go_table *table, uint64_t offset, unsigned byte_count, uint64_t *ret_value);
/* Where function INDEX begins (or, behind the last, where the code ends) and its record. */
bool go_table_entry(
	const struct go_table *table, uint64_t index, uint64_t *ret_pc, uint64_t *ret_record);
/* The text at OFFSET of the part that begins at PART; NULL: there is none, or it has no end. */
const char *go_table_text(
	const struct go_table *table, uint64_t part, uint64_t offset, size_t *ret_length);
const char *go_table_name(const struct go_table *table, uint64_t record, size_t *ret_length);
