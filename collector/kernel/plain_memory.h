/* SPDX-License-Identifier: Apache-2.0 */
/* Plain memory: unwind tables where no walk in the kernel reads them.
 *
 * What it is   rules, tables and shards of nodes as memory of this process. Pages that were never
 *              written cost nothing.
 * Ownership    owns all of it.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include "collector/unwind/unwinder.h"

struct plain_memory {
	struct unwind_rule *rules;
	struct unwind_table *tables;
	void *shards[UNWIND_SHARDS_MAX];
	uint32_t shard_count;
};

int plain_memory_init(struct plain_memory *memory);
void plain_memory_done(struct plain_memory *memory);
/* MEMORY as an unwinder wants it; it must outlive it. */
void plain_memory_lend(struct plain_memory *memory, struct unwind_memory *ret_memory);
