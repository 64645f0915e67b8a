/* SPDX-License-Identifier: Apache-2.0 */
/* Segment head: what a group says of itself before any of its stacks is looked at.
 *
 * What it is   its label sets and types, what each series reaches over, and where the group's other
 *              sections lie.
 * Ownership    a head owns its tables.
 * Threads      one owner; what was read may be read by any.
 * Errors       -ENOMEM; -EBADMSG: not a head; -E2BIG: more than a head holds.
 */
#pragma once

#include <stdint.h>

#include "store/base/index_map.h"
#include "store/disk/segment_file.h"
#include "store/disk/segment_rows.h"
#include "store/profile/profile.h"

/* Periods of one type and group that are told apart; rows of others have period 0, varies. */
#define SEGMENT_PERIOD_COUNT_MAX 16u
#define SEGMENT_SECTION_COUNT_MAX (1u << 22)
#define SEGMENT_SERIES_COUNT_MAX (4u << 20)

/* Values are stored: never renumber. */
enum segment_section_kind {
	SEGMENT_SECTION_DICTIONARY = 1,
	SEGMENT_SECTION_ROWS = 2, /* of windows that start in the hour */
	SEGMENT_SECTION_SLOTS = 3, /* of the rows that stand before it */
	SEGMENT_SECTION_SUMS = 4, /* stack and label set, over the hours */
	SEGMENT_SECTION_SERIES = 5, /* label set and bucket of 10 s, in the hour */
	SEGMENT_SECTION_SERIES_HOURS = 6, /* label set and hour, from the hour on */
};

struct segment_section {
	uint8_t kind; /* enum segment_section_kind; others are passed over */
	uint64_t hour; /* first */
	uint32_t hour_count;
	uint64_t until_ns; /* rows: behind the last slot of their last window */
	struct segment_ref ref;
};

struct segment_series_entry {
	uint32_t type; /* text of the profile type */
	uint32_t labels;
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t sample_count;
};

struct segment_head {
	struct profile *labels; /* strings and label sets; nothing else of it is used */
	uint32_t stack_count; /* of the dictionary, the empty one included */
	uint32_t text_count; /* likewise */
	struct segment_type *types;
	uint32_t type_count;
	uint32_t type_capacity;
	struct segment_series_entry *series;
	uint32_t series_count;
	uint32_t series_capacity;
	struct index_map series_map;
	struct segment_section *sections;
	uint32_t section_count;
	uint32_t section_capacity;
};

int segment_head_init(struct segment_head *head);
void segment_head_done(struct segment_head *head);
/* The type of that name (a text of head->labels), period and slots, made on first use; with period 0
 * if there are too many periods of that name. */
int segment_head_type(
	struct segment_head *head, const struct segment_type *type, uint32_t *ret_type);
/* The type that stands for TYPE in sums, where slots make no difference: the first of its name and
 * period. */
uint32_t segment_head_sum_type(const struct segment_head *head, uint32_t type);
/* Adds to what is known of the series of SERIES->type and ->labels. */
int segment_head_note(struct segment_head *head, const struct segment_series_entry *series);
int segment_head_add_section(struct segment_head *head, const struct segment_section *section);
void segment_head_write(struct bytes_writer *writer, const struct segment_head *head);
/* HEAD is as segment_head_init made it. */
int segment_head_read(struct bytes_reader *reader, struct segment_head *head);
