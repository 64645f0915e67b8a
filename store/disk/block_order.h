/* SPDX-License-Identifier: Apache-2.0 */
/* Block order: the order in which a block holds the frames and stacks of a profile.
 *
 * What it is   frames by (module, address, kind, flags); stack nodes depth first, siblings by
 *              frame. Neighbours are alike then, so that columns of differences are short, and
 *              equal contents give equal bytes.
 * Ownership    owns its arrays until block_order_done; borrows nothing.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdint.h>

#include "store/profile/profile.h"

struct block_order {
	uint32_t *frames; /* place in the block -> index in the profile */
	uint32_t *frame_places; /* index in the profile -> place in the block */
	uint32_t *nodes; /* likewise; node 0, the empty stack, keeps its place */
	uint32_t *node_places;
};

int block_order_init(struct block_order *order, const struct profile *profile);
/* Accepts a zeroed order. */
void block_order_done(struct block_order *order);
