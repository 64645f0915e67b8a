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
struct unwind_memory;

struct unwind_maps {
	int shards_fd;
	int processes_fd;
	struct unwind_rule *rules; /* UNWIND_RULES_MAX */
	struct unwind_table *tables; /* UNWIND_TABLES_MAX */
	void *shards[UNWIND_SHARDS_MAX]; /* NULL: not mapped now */
	/* The outer map keeps the shards alive; by these, tools see whose they are. */
	int shard_fds[UNWIND_SHARDS_MAX];
	uint32_t shard_count;
};

int unwind_maps_init(struct unwind_maps *maps, const struct probes *probes);
void unwind_maps_done(struct unwind_maps *maps);

/* MAPS as an unwinder wants them; they must outlive it. */
void unwind_maps_lend(struct unwind_maps *maps, struct unwind_memory *ret_memory);
