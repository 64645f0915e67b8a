/* SPDX-License-Identifier: Apache-2.0 */
/* Segment rows: a chunk, the samples of one group whose windows start in one hour.
 *
 * What it is   every row of every block as it came: stack, window, thread, CPU, samples, value, and
 *              the slots of its samples; as columns of varints in that order. Slots are a section of
 *              their own. A group may have several chunks of one hour.
 * Ownership    a chunk owns its threads and tables.
 * Threads      one owner; what is sorted may be read by any.
 * Errors       -ENOMEM; -EBADMSG: not a chunk, or it names what is not there; -E2BIG: too large.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"
#include "store/profile/sample_range.h"
#include "store/profile/thread_table.h"

/* A chunk is written once it has so many rows or slots: 64 MiB in memory at most, but for a single
 * row with more slots. */
#define SEGMENT_CHUNK_ROWS (1u << 20)
#define SEGMENT_CHUNK_SLOTS (8u << 20)

/* Rows of one profile type that were sampled with one period, with slots or without. */
struct segment_type {
	uint32_t name; /* of the group's labels: five-part profile type */
	int64_t period; /* 0: varies */
	bool has_slots;
};

#define SEGMENT_TYPE_COUNT_MAX 4096u

struct segment_row {
	uint32_t stack;
	uint32_t window; /* of the hour */
	uint32_t thread; /* of the chunk */
	uint32_t cpu; /* SAMPLE_CPU_UNKNOWN if not known */
	uint32_t count;
	uint32_t slot_first;
	int64_t value;
};

struct segment_table {
	struct segment_row *rows;
	uint32_t row_count;
	uint32_t row_capacity;
	uint32_t *slots; /* NULL: not read, or the type has none */
	uint32_t slot_count;
	uint32_t slot_capacity;
};

struct segment_chunk {
	uint64_t hour;
	struct thread *threads; /* labels: of the group; name: a text of its dictionary */
	uint32_t thread_count;
	struct segment_table *tables; /* one for each type of the group, most of them empty */
	uint32_t table_count;
	uint32_t row_count;
	uint64_t slot_count;
};

/* How many there are of what rows name. */
struct segment_bounds {
	const struct segment_type *types;
	uint32_t type_count;
	uint32_t stack_count;
	uint32_t text_count;
	uint32_t set_count;
	uint32_t window_count;
};

int segment_chunk_init(struct segment_chunk *chunk, uint64_t hour, uint32_t type_count);
/* Accepts a zeroed chunk. */
void segment_chunk_done(struct segment_chunk *chunk);
/* SLOTS: row->count of them, upwards; NULL where the type has none. */
int segment_chunk_add(struct segment_chunk *chunk, uint32_t type, const struct segment_row *row,
	const uint32_t *slots);
/* True: the chunk has rows, and should be written before one of SLOT_COUNT slots is added. */
bool segment_chunk_is_full(const struct segment_chunk *chunk, uint32_t slot_count);
/* Threads by label set, pid, tid, name; rows by stack, window, thread, CPU. */
int segment_chunk_sort(struct segment_chunk *chunk);
/* CHUNK is sorted; of TYPES with slots it has them all. */
int segment_chunk_write(struct bytes_writer *rows, struct bytes_writer *slots,
	const struct segment_chunk *chunk, const struct segment_type *types);
/* CHUNK is as segment_chunk_init made it. SLOTS may be NULL: not needed. */
int segment_chunk_read(struct bytes_reader *rows, struct bytes_reader *slots,
	const struct segment_bounds *bounds, struct segment_chunk *chunk);

/* The part of ROW that lies in RANGE of its window. SLOTS: those of its table, or NULL. */
struct sample_part segment_row_part(
	const struct segment_row *row, const uint32_t *slots, const struct sample_range *range);
