/* SPDX-License-Identifier: Apache-2.0 */
/* Segment sums: what rows of a group come to, by two things.
 *
 * What it is   {first, second} -> samples, value: stack and label set for sums over hours, label set
 *              and bucket of time for totals of series. One list for each type of the group.
 * Ownership    lists own their rows.
 * Threads      one owner; what is sealed may be read by any.
 * Errors       -ENOMEM; -EBADMSG: not such a section, or it names what is not there; -E2BIG.
 */
#pragma once

#include <stdint.h>

#include "store/base/bytes.h"
#include "store/disk/segment_rows.h"

/* Distinct stacks times series of one group. */
#define SEGMENT_SUM_COUNT_MAX (64u << 20)

struct segment_sum {
	uint32_t first;
	uint32_t second;
	uint64_t count;
	int64_t value;
};

struct segment_sum_list {
	struct segment_sum *sums;
	uint32_t count;
	uint32_t capacity;
};

struct segment_sums {
	struct segment_sum_list *types;
	uint32_t type_count;
};

int segment_sums_init(struct segment_sums *sums, uint32_t type_count);
/* Accepts zeroed sums. */
void segment_sums_done(struct segment_sums *sums);
/* Joins with the last one added if that is of the same two things. */
int segment_sums_add(struct segment_sums *sums, uint32_t type, const struct segment_sum *sum);
int segment_sums_add_all(struct segment_sums *sums, const struct segment_sums *other);
/* By first, then second, each pair once, but where one sum would not fit 64 bits. */
void segment_sums_seal(struct segment_sums *sums);
bool segment_sums_is_empty(const struct segment_sums *sums);

/* SUMS is sealed. */
void segment_sums_write(struct bytes_writer *writer, const struct segment_sums *sums,
	const struct segment_type *types);
/* SUMS is as segment_sums_init made it, of as many types as there are. What stands there is below
 * FIRST_END and SECOND_END. */
int segment_sums_read(struct bytes_reader *reader, const struct segment_type *types,
	uint32_t first_end, uint32_t second_end, struct segment_sums *sums);
