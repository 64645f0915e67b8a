/* SPDX-License-Identifier: Apache-2.0 */
/* Folded text: stacks as lines.
 *
 * What it is   `root;caller;leaf 12`: the last blank separates the stack from its value. Or lines
 *              that are stacks alone, each of which counts one. Blanks around a frame are not part
 *              of it, nor is a carriage return at the end of a line.
 * Ownership    borrows the text.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/ingest/text_type.h"

/* What the stacks of a text belong to. */
struct text_target {
	struct sample_table *table;
	int64_t period; /* a value is so many units */
	uint32_t series;
};

/* Every line has a value. */
int folded_read(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text text, struct ingest_fault *fault);
/* Every line is a stack and counts one. */
int folded_read_lines(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text text, struct ingest_fault *fault);

/* Adds VALUE of the stack whose frames stand in TEXT, joined by semicolons, root first. */
int folded_add_stack(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text text, int64_t value, struct ingest_fault *fault);
