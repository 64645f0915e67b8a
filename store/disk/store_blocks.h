/* SPDX-License-Identifier: Apache-2.0 */
/* Store blocks: the records of some logs, given in order as often as it takes.
 *
 * What it is   the input of a segment: what the index has of these logs, and so what visits see,
 *              file by file and in the order in which it was written.
 * Ownership    owns its list; the logs must stay until store_blocks_done.
 * Threads      one owner; what gives runs without the store's lock.
 * Errors       0 or a negative errno: -ESHUTDOWN: the store closes; what reading and decoding say,
 *              and then bad_number names the log, unless the trouble is this process's own.
 */
#pragma once

#include "store/disk/segment_writer.h"
#include "store/disk/store_state.h"

struct store_blocks {
	struct profile_store *store;
	struct time_entry *entries; /* by number of the log, then by offset */
	uint64_t entry_count;
	uint64_t bad_number; /* of a log that cannot be read; 0: none */
};

/* Locked: lists the records of the logs among FILES. */
int store_blocks_list(struct store_blocks *blocks, struct profile_store *store,
	struct store_file *const *files, uint32_t file_count);
void store_blocks_done(struct store_blocks *blocks);
/* A segment_blocks_fn; CONTEXT is a struct store_blocks. */
int store_blocks_give(void *blocks, segment_block_fn visit, void *visit_context);
