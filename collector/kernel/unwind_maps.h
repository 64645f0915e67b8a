/* SPDX-License-Identifier: Apache-2.0 */
/* Unwind maps: the kernel maps that tell walks the way.
 *
 * What it is   rules, tables and shards of nodes as memory shared with the kernel, and the map of
 *              processes. Shards are made when they are asked for.
 * Ownership    owns the mappings into this process and the shards' descriptors; the other maps
 *              belong to the probes.
 * Threads      one owner; walks read at any time.
 * Errors       negative errno.
 */
#pragma once

#include "bpf/abi/unwind_table.h"

struct probes;

struct unwind_maps {
	int shards_fd;
	int processes_fd;
	struct unwind_rule *rules; /* UNWIND_RULES_MAX */
	struct unwind_table *tables; /* UNWIND_TABLES_MAX */
	void *shards[UNWIND_SHARDS_MAX];
	uint32_t shard_count;
};

int unwind_maps_init(struct unwind_maps *maps, const struct probes *probes);
void unwind_maps_done(struct unwind_maps *maps);

/* These match struct unwind_memory; CONTEXT is the maps. */
void *unwind_maps_make_shard(void *context, uint32_t number);
int unwind_maps_tell_process(void *context, uint32_t pid, const struct unwind_process *process);
void unwind_maps_forget_process(void *context, uint32_t pid);
