/* SPDX-License-Identifier: Apache-2.0 */
/* Segment layout: all windows and lives of a file being written, and where each went.
 *
 * What it is   windows of blocks are gathered while these are first seen, those of other segments
 *              when their hour is written; then hour by hour they are sorted and written, and only
 *              what rows need of them stays.
 * Ownership    owns what it gathered; borrows the readers.
 * Threads      one owner.
 * Errors       those of writing; -ENOMEM; -E2BIG; -EBADMSG: a segment's windows are damaged.
 */
#pragma once

#include "store/disk/segment_group_write.h"

/* Windows that blocks told, by hour; places are known once it is written. */
struct segment_gathered_hour {
	uint64_t hour;
	struct segment_windows windows;
	uint32_t *places;
	struct segment_gathered_lives *lives;
	uint32_t lives_count;
	uint32_t lives_capacity;
};

/* One block: where its window is, by arrival. */
struct segment_block_place {
	uint32_t hour; /* of gathered hours */
	uint32_t window;
};

struct segment_gathering {
	struct segment_gathered_hour *hours; /* as they came */
	uint32_t hour_count;
	uint32_t hour_capacity;
	struct segment_block_place *blocks;
	uint32_t block_count;
	uint32_t block_capacity;
	struct segment_layout layout;
};

void segment_gathering_done(struct segment_gathering *gathering);
int segment_gathering_add(struct segment_gathering *gathering, const struct profile *profile);

/* Writes all hours, of blocks and of INPUT's segments, and makes the layout. */
int segment_gathering_write(struct segment_gathering *gathering, const struct segment_input *input,
	const struct segment_options *options, struct segment_output *output,
	struct segment_index *index, struct segment_written *written);
