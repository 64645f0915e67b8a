/* SPDX-License-Identifier: Apache-2.0 */
/* Segment index: the last section of a segment file, which finds all others.
 *
 * What it is   what the file stands for, its hours (windows and lives of all hosts) and its groups,
 *              and the keys of the batches in it.
 * Ownership    an index owns its arrays and texts.
 * Threads      one owner; what was read may be read by any.
 * Errors       -ENOMEM; -EBADMSG: not an index; -E2BIG: more than an index holds.
 */
#pragma once

#include <stdint.h>

#include "store/disk/batch_seen.h"
#include "store/disk/segment_file.h"
#include "store/profile/life_table.h"
#include "store/profile/string_table.h"

/* 114 years of hours. */
#define SEGMENT_HOUR_COUNT_MAX 1000000u
#define SEGMENT_GROUP_COUNT_MAX (1u << 20)
#define SEGMENT_REPLACED_COUNT_MAX (1u << 20)

/* The windows that start in one hour. */
struct segment_hour {
	uint64_t hour; /* since the epoch */
	uint64_t from_ns; /* start of the first window */
	uint64_t until_ns; /* behind the last slot of the last one */
	uint32_t window_count;
	struct segment_ref windows;
	struct segment_ref lives; /* none: no window told any */
};

struct segment_group_entry {
	uint32_t service; /* of texts */
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t sample_count;
	struct segment_ref head;
};

struct segment_index {
	uint64_t newest_received_ns;
	uint64_t sample_count;
	uint64_t slot_bytes;
	uint64_t slots_until_ns;
	uint64_t *replaced; /* upwards */
	uint32_t replaced_count;
	struct segment_ref keys;
	struct segment_hour *hours; /* upwards */
	uint32_t hour_count;
	uint32_t hour_capacity;
	struct segment_group_entry *groups; /* by the bytes of their service */
	uint32_t group_count;
	uint32_t group_capacity;
	struct string_table texts;
};

int segment_index_init(struct segment_index *index);
void segment_index_done(struct segment_index *index);
int segment_index_add_hour(struct segment_index *index, const struct segment_hour *hour);
int segment_index_add_group(struct segment_index *index, const struct segment_group_entry *group);
void segment_index_write(struct bytes_writer *writer, const struct segment_index *index);
/* INDEX is as segment_index_init made it; after a failure only segment_index_done may follow. */
int segment_index_read(struct bytes_reader *reader, struct segment_index *index);
struct life_name segment_index_service(const struct segment_index *index, uint32_t group);

void segment_keys_write(struct bytes_writer *writer, const struct batch_seen *seen);
/* Adds to SEEN. */
int segment_keys_read(struct bytes_reader *reader, struct batch_seen *seen);
