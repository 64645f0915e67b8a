/* SPDX-License-Identifier: Apache-2.0 */
/* Unwind memory: what walks would see, as plain memory of a test.
 *
 * What it is   a node pool, a rule set and tables without a kernel.
 * Ownership    the fixture owns everything until unwind_memory_done.
 * Threads      one owner.
 * Errors       none: a test that runs out of memory ends.
 */
#pragma once

#include "bpf/abi/unwind_table.h"

struct unwind_memory_fixture {
	struct unwind_rule *rules;
	struct unwind_table *tables;
	void *shards[UNWIND_SHARDS_MAX];
	uint32_t shard_count;
};

void unwind_memory_init(struct unwind_memory_fixture *fixture);
void unwind_memory_done(struct unwind_memory_fixture *fixture);
/* As in node_pool.h; CONTEXT is the fixture. */
void *unwind_memory_make_shard(void *context, uint32_t number);
