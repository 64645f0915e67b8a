/* SPDX-License-Identifier: Apache-2.0 */
/* Export texts: the table of texts of a file, numbered as they are met.
 *
 * What it is   number 0 is the empty text; equal texts have one number. The table is written behind
 *              everything that names one.
 * Ownership    owns its texts; borrows the function table of the tree.
 * Threads      one owner.
 * Errors       sticky: after the first one texts are 0, and export_texts_fault tells it at the end:
 *              -ENOMEM; -E2BIG: too many.
 */
#pragma once

#include "store/profile/string_table.h"
#include "symbolizer-server/export/export_about.h"
#include "symbolizer-server/querier/reply_writer.h"
#include "symbolizer-server/query/level_tree.h"

struct export_texts {
	struct string_table table;
	const struct string_table *strings; /* of the function table */
	int error;
};

int export_texts_init(struct export_texts *texts, const struct level_tree *tree);
void export_texts_done(struct export_texts *texts);
int export_texts_fault(const struct export_texts *texts);

int64_t export_text(struct export_texts *texts, const char *text, size_t length);
/* A string of the function table. */
int64_t export_string(struct export_texts *texts, uint32_t string);
/* What a function is called, and what the linker calls it. */
int64_t export_name(struct export_texts *texts, const struct function *function);
int64_t export_raw_name(struct export_texts *texts, const struct function *function);

/* A message of a type and a unit: FIELDS are its own, and those of the two in it. */
void export_value_type(struct export_texts *texts, struct reply_writer *writer,
	const struct reply_field fields[3], const char *type, enum type_part part);
void export_texts_write(
	const struct export_texts *texts, struct reply_writer *writer, struct reply_field field);
