/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Node: the memory of a node of the unwind tables.
 *
 * What it is   look-up by reference, and whether what was read still counts.
 * Ownership    user space's memory.
 * Threads      a node may be taken back at any time, which its generation tells.
 * Errors       NULL: it was taken back.
 */
#pragma once

#include "bpf/lib/maps.bpf.h"

/* The node's memory; NULL if there is none or it is no longer what REFERENCE meant. */
static __always_inline const void *table_node(struct unwind_reference reference)
{
	uint32_t shard_number = reference.node / UNWIND_SHARD_NODES;
	uint32_t zero = 0;
	void *shard = bpf_map_lookup_elem(&unwind_shards, &shard_number);
	uint8_t *bytes = shard ? bpf_map_lookup_elem(shard, &zero) : NULL;
	const struct unwind_head *head;

	if (!bytes || reference.node == 0)
		return NULL;
	head = (const void *)(bytes +
		(uint64_t)(reference.node % UNWIND_SHARD_NODES) * UNWIND_NODE_BYTES);
	return head->generation == reference.generation ? head : NULL;
}

/* Whether NODE still is what REFERENCE meant, so that what was read from it counts. */
static __always_inline int table_node_stays(const void *node, struct unwind_reference reference)
{
	const volatile struct unwind_head *head = node;

	return head->generation == reference.generation;
}
