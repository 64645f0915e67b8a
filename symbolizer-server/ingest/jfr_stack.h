/* SPDX-License-Identifier: Apache-2.0 */
/* JFR stacks: the stacks of a chunk in the profile of a batch.
 *
 * What it is   makes each frame and each stack once, and finds it again by its number. What a
 *              recording says it cut, has a marker `[truncated]` at its root; a sample without a
 *              stack has `[no stack]`; a method that is named and not there is `[unknown]`.
 * Ownership    owns its tables, borrows pools and batch.
 * Threads      one owner.
 * Errors       those of ingest_batch.h, and -E2BIG from pools.
 */
#pragma once

#include "symbolizer-server/ingest/jfr_pool.h"

struct jfr_frame_row {
	uint64_t method;
	uint64_t type;
	uint32_t line;
	uint32_t frame;
};

struct jfr_stack_row {
	uint64_t number;
	uint32_t stack;
};

struct jfr_stacks {
	struct jfr_pools *pools;
	struct ingest_batch *batch;
	uint32_t frame_class;
	struct jfr_frame_row *frames;
	uint32_t frame_count;
	uint32_t frame_capacity;
	struct index_map frame_rows;
	struct jfr_stack_row *stacks;
	uint32_t stack_count;
	uint32_t stack_capacity;
	struct index_map stack_rows;
	uint32_t *path; /* frames of the stack at hand, leaf first */
	struct bytes_writer name;
};

/* The pools are filled. */
int jfr_stacks_init(struct jfr_stacks *stacks, struct jfr_pools *pools, struct ingest_batch *batch);
void jfr_stacks_done(struct jfr_stacks *stacks);
/* The batch's stack for stack NUMBER of the chunk; 0 is none. */
int jfr_stack_get(struct jfr_stacks *stacks, uint64_t number, uint32_t *ret_stack);
