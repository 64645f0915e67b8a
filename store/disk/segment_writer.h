/* SPDX-License-Identifier: Apache-2.0 */
/* Segment writer: makes one segment file out of blocks and of other segments.
 *
 * What it is   one call that writes a whole file from its start to its end. It asks for the blocks
 *              several times over, each time for a share of the groups, so that its memory is
 *              bounded however much there is. Nothing is lost or moved: every row keeps its window.
 * Ownership    input and descriptor are the caller's, who names, syncs and renames the file; after a
 *              failure what was written is of no use.
 * Threads      any; one file, one call.
 * Errors       0, or a negative errno: of writing, -ENOMEM, -E2BIG: more distinct things in one group
 *              than a table holds, -EBADMSG: an input segment is damaged (RET says which), whatever
 *              the input's own functions answer.
 */
#pragma once

#include <stdint.h>

#include "store/disk/batch_key.h"
#include "store/disk/segment_reader.h"
#include "store/profile/profile.h"

/* What rows that wait to be written may fill. */
#define SEGMENT_MEMORY_BYTES_DEFAULT ((size_t)64 << 20)

/* PROFILE is sealed, has passed profile_check, and its head has received_at_ns. KEY may be NULL. */
typedef int (*segment_block_fn)(
	void *context, const struct profile *profile, const struct batch_key *key);

/* Calls VISIT for each block: the same ones in the same order, however often it is called. Ends at
 * once with what VISIT answered if that is not 0. */
typedef int (*segment_blocks_fn)(void *context, segment_block_fn visit, void *visit_context);

struct segment_input {
	segment_blocks_fn blocks; /* NULL: none */
	void *context;
	const struct segment_reader *const *segments;
	uint32_t segment_count;
};

struct segment_options {
	uint64_t number; /* of the file, kept in it */
	const uint64_t *replaced; /* numbers of the files that it stands for */
	uint32_t replaced_count;
	uint64_t
		slots_from_ns; /* windows that end before or at it keep no slots; 0: all keep them */
	size_t memory_bytes; /* 0: the default */
};

struct segment_written {
	uint64_t byte_count;
	uint64_t block_count;
	uint64_t window_count;
	uint64_t sample_count;
	uint64_t row_count; /* of 10 s: the finest kept */
	uint64_t stack_count; /* nodes of all dictionaries */
	uint64_t dictionary_bytes; /* on the disk, as those that follow */
	uint64_t row_bytes;
	uint64_t slot_bytes;
	uint64_t sum_bytes; /* sums over hours, and totals of series */
	uint64_t window_bytes; /* windows, lives, keys, index */
	uint32_t pass_count; /* how often the blocks were asked for */
	uint32_t bad_segment; /* after -EBADMSG: index of the damaged one, or UINT32_MAX */
};

/* Writes from where FD stands. */
int segment_write(int fd, const struct segment_input *input, const struct segment_options *options,
	struct segment_written *ret_written);
