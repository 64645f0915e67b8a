/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP frames: stacks of a request's dictionary as stacks of a batch.
 *
 * What it is   a location with lines keeps its names, the innermost inlined first; one without is
 *              named here by the build-ID that its mapping has as an attribute. Each location and
 *              each stack is made once a batch.
 * Ownership    owns what it remembers; borrows dictionary and batch.
 * Threads      one owner.
 * Errors       those of the batch.
 */
#pragma once

#include "symbolizer-server/ingest/otlp_table.h"

struct otlp_frames {
	const struct otlp_dictionary *dictionary;
	struct ingest_batch *batch;
	uint32_t *stacks; /* of each row of the table: its stack plus 1; 0: not made yet */
	uint32_t *frames; /* scratch: of the stack at hand, leaf first */
	uint32_t frame_count;
};

int otlp_frames_init(struct otlp_frames *frames, const struct otlp_dictionary *dictionary,
	struct ingest_batch *batch);
void otlp_frames_done(struct otlp_frames *frames);
/* A stack that is not in the dictionary is the empty one. */
int otlp_frames_stack(struct otlp_frames *frames, uint64_t row, uint32_t *ret_stack);
