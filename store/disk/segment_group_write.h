/* SPDX-License-Identifier: Apache-2.0 */
/* Segment group write: a group that came together becomes sections of a file.
 *
 * What it is   gives its stacks their final order, then goes through its chunks hour by hour: each is
 *              renamed, sorted and written, and its sums are added up from what was written, so that
 *              they agree with it whatever was dropped.
 * Ownership    all of it is the caller's.
 * Threads      one owner.
 * Errors       those of writing; -ENOMEM; -E2BIG; -EBADMSG: a chunk of another segment is damaged.
 */
#pragma once

#include "store/disk/segment_build.h"
#include "store/disk/segment_writer.h"

/* Where all windows went. */
struct segment_layout {
	struct segment_hour_spans *hours; /* upwards */
	uint32_t hour_count;
	/* [segment x hour_count + hour]: window of that segment -> place here; NULL: it has none. */
	uint32_t **places;
	uint32_t segment_count;
};

/* The windows of HOUR, or NULL. */
const struct segment_hour_spans *segment_layout_find(
	const struct segment_layout *layout, uint64_t hour);

struct segment_group_target {
	struct segment_output *output;
	const struct segment_layout *layout;
	struct segment_written *written; /* is added to */
	uint64_t slots_until_ns; /* likewise: latest end of a window that keeps slots */
};

/* Writes all of BUILD. RET_ENTRY has all but the service. After -EBADMSG written->bad_segment says
 * which. A group without rows writes nothing: its head has no bytes. */
int segment_group_write(struct segment_group_target *target, struct segment_build *build,
	struct segment_group_entry *ret_entry);
