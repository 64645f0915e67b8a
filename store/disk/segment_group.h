/* SPDX-License-Identifier: Apache-2.0 */
/* Segment group: one group of a segment, decoded; what it has in sections is read when asked for.
 *
 * What it is   the inside of struct segment_reader and struct segment_group, for the files that
 *              visit, merge and verify them; segment_reader.h is what others see.
 * Ownership    as there.
 * Threads      as there.
 * Errors       as there.
 */
#pragma once

#include "store/disk/segment_head.h"
#include "store/disk/segment_index.h"
#include "store/disk/segment_reader.h"
#include "store/disk/segment_sums.h"
#include "store/disk/segment_window.h"

struct segment_reader {
	struct segment_file file;
	struct segment_index index;
	struct segment_summary summary;
};

struct segment_group {
	const struct segment_reader *reader;
	struct segment_head head;
	/* The tables of all pieces. Depth SEGMENT_LABELS: strings and label sets alone. */
	struct profile *tables;
	uint32_t *texts; /* text of the dictionary -> of tables->strings */
	enum segment_depth depth;
	size_t byte_count;
	/* From the start of its first window up to behind the last slot of its last one. */
	struct segment_range times;
};

/* Windows of hours that were asked for last. */
#define SEGMENT_HOURS_KEPT 2u

struct segment_hours {
	struct {
		const struct segment_reader *reader;
		uint64_t hour;
		struct segment_windows windows;
	} kept[SEGMENT_HOURS_KEPT];
	uint32_t next; /* takes the next one's place */
};

/* RET_WINDOWS stays until another hour is asked for twice. */
int segment_hours_get(struct segment_hours *hours, const struct segment_reader *reader,
	uint64_t hour, const struct segment_windows **ret_windows);

/* Windows that start in the hour; none there: an empty list. */
int segment_reader_hour(
	const struct segment_reader *reader, uint64_t hour, struct segment_windows *ret_list);
/* The place of the first hour from HOUR on in the index. */
uint32_t segment_reader_find_hour(const struct segment_reader *reader, uint64_t hour);

struct segment_bounds segment_group_bounds(
	const struct segment_group *group, uint32_t window_count);
/* Section PLACE of the head, of rows; with its slots if SLOTS, where it has any. The tables of types
 * that keep slots have none otherwise. */
int segment_group_chunk(const struct segment_group *group, uint32_t place, uint32_t window_count,
	bool slots, struct segment_chunk *ret_chunk);
/* A section of sums or of totals of series. */
int segment_group_sums(
	const struct segment_group *group, uint32_t place, struct segment_sums *ret_sums);
/* Whether the error is one of this process, not of the file. */
bool segment_error_is_ours(int error);

/* Buckets of totals of series. */
#define SEGMENT_BUCKET_NS (UINT64_C(10) * NS_PER_S)
#define SEGMENT_BUCKETS_OF_HOUR 360u
