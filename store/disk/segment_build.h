/* SPDX-License-Identifier: Apache-2.0 */
/* Segment build: one group of a segment while its rows come together.
 *
 * What it is   the group's labels and dictionary as tables that grow, rows of blocks in open chunks
 *              (packed once they are full), and the chunks of other segments that will be copied.
 * Ownership    owns all of that; borrows the groups of other segments.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: more distinct things than a table holds; -EBADMSG: a group of
 *              another segment is damaged.
 */
#pragma once

#include "store/disk/segment_group.h"
#include "store/disk/segment_mapping.h"

/* Where a window went in the file being written, and what cuts of it need. */
struct segment_span {
	uint64_t start_ns;
	uint64_t until_ns;
	uint32_t slot_count;
	bool keeps_slots;
};

/* The windows of one hour of the file being written, in their order there. */
struct segment_hour_spans {
	uint64_t hour;
	struct segment_span *spans;
	uint32_t count;
};

struct segment_open_chunk {
	struct segment_chunk chunk;
	struct thread_table threads;
};

/* A full chunk: rows of provisional stacks, as a section of each. */
struct segment_packed_chunk {
	uint64_t hour;
	uint8_t *rows;
	uint8_t *slots;
	size_t row_bytes;
	size_t slot_bytes;
};

/* A group of another segment. */
struct segment_source {
	struct segment_group *group;
	uint32_t segment; /* number of the input */
	uint32_t *stacks; /* of the source -> provisional */
	uint32_t *texts;
	uint32_t *sets;
	uint32_t *types;
	uint32_t *bare_types; /* of the same rows without their slots */
};

struct segment_build {
	struct segment_head head;
	struct profile *stacks; /* strings, modules, frames and stacks of the dictionary */
	struct segment_open_chunk *open; /* one for each hour */
	uint32_t open_count;
	uint32_t open_capacity;
	struct segment_packed_chunk *packed;
	uint32_t packed_count;
	uint32_t packed_capacity;
	struct segment_source *sources;
	uint32_t source_count;
	uint32_t source_capacity;
};

int segment_build_init(struct segment_build *build);
/* Accepts a zeroed build. */
void segment_build_done(struct segment_build *build);

/* Rows of one block. */
struct segment_block_rows {
	struct segment_mapping *mapping; /* begun: from the block to the build's tables */
	uint64_t hour;
	uint32_t window; /* place in the hour */
	bool keeps_slots;
};

/* Adds ROW of TABLE. */
int segment_build_add(struct segment_build *build, const struct segment_block_rows *block,
	const struct sample_table *table, const struct sample_row *row);
/* Takes the dictionary of group INDEX of READER; its chunks are read when the group is written. */
int segment_build_add_source(struct segment_build *build, const struct segment_reader *reader,
	uint32_t index, uint32_t segment);
