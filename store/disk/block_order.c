/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/block_order.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"

#define NODE_NONE UINT32_MAX

static uint32_t *new_array(uint32_t count)
{
	return calloc(count ? count : 1, sizeof(uint32_t));
}

/* One byte of what frames are ordered by; byte 0 weighs least. */
static uint8_t key_byte(const struct frame *frame, unsigned byte)
{
	if (byte == 0)
		return frame->flags;
	if (byte == 1)
		return frame->kind;
	if (byte < 10)
		return (uint8_t)(frame->address >> 8 * (byte - 2));
	return (uint8_t)(frame->module >> 8 * (byte - 10));
}

#define KEY_BYTES 14

/* Which bytes of the key differ anywhere: of fourteen mostly half. */
static unsigned varying_bytes(const struct frame_table *table)
{
	struct frame differences = {0};
	unsigned varying = 0;

	for (uint32_t i = 1; i < table->count; i++) {
		differences.address |= table->frames[i].address ^ table->frames[0].address;
		differences.module |= table->frames[i].module ^ table->frames[0].module;
		differences.kind |= table->frames[i].kind ^ table->frames[0].kind;
		differences.flags |= table->frames[i].flags ^ table->frames[0].flags;
	}
	for (unsigned byte = 0; byte < KEY_BYTES; byte++) {
		if (key_byte(&differences, byte) != 0)
			varying |= 1u << byte;
	}
	return varying;
}

/* One pass of a radix sort: stable, by one byte of the key. */
static void sort_by_byte(
	const struct frame_table *table, unsigned byte, const uint32_t *from, uint32_t *to)
{
	uint32_t next[257] = {0};

	for (uint32_t i = 0; i < table->count; i++)
		next[key_byte(&table->frames[i], byte) + 1]++;
	for (unsigned i = 1; i < 257; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < table->count; i++)
		to[next[key_byte(&table->frames[from[i]], byte)]++] = from[i];
}

/* A window has tens of thousands of frames; comparing them in pairs would be half of all the time
 * that encoding takes. */
static int order_frames(struct block_order *order, const struct frame_table *table)
{
	unsigned varying = varying_bytes(table);

	order->frames = new_array(table->count);
	order->frame_places = new_array(table->count);
	if (!order->frames || !order->frame_places)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->count; i++)
		order->frames[i] = i;
	for (unsigned byte = 0; byte < KEY_BYTES; byte++) {
		uint32_t *sorted = order->frame_places;

		if (!(varying & 1u << byte))
			continue;
		sort_by_byte(table, byte, order->frames, sorted);
		order->frame_places = order->frames;
		order->frames = sorted;
	}
	for (uint32_t place = 0; place < table->count; place++)
		order->frame_places[order->frames[place]] = place;
	return 0;
}

/* Nodes 1.. grouped by the place of their frame, highest first (a counting sort). */
static int nodes_by_frame(
	const struct block_order *order, const struct profile *profile, uint32_t *ret_sorted)
{
	const struct stack_table *stacks = &profile->stacks;
	uint32_t frame_count = profile->frames.count;
	SCOPED_FREE uint32_t *next = calloc((size_t)frame_count + 1, sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (uint32_t i = 1; i < stacks->count; i++)
		next[frame_count - order->frame_places[stacks->nodes[i].frame]]++;
	/* A frame at place p is counted under frame_count - p >= 1; its first goes behind those of
	 * all higher places. */
	for (uint32_t i = 1; i <= frame_count; i++)
		next[i] += next[i - 1];
	for (uint32_t i = stacks->count - 1; i > 0; i--) {
		uint32_t place = order->frame_places[stacks->nodes[i].frame];

		ret_sorted[--next[frame_count - place]] = i;
	}
	return 0;
}

struct node_links {
	uint32_t child; /* first child: the one whose frame comes first */
	uint32_t sibling; /* next child of the same parent */
};

/* Pushing each node, highest frame first, to the front of its parent's children leaves them in
 * rising order. */
static void link_children(
	const struct stack_table *stacks, const uint32_t *sorted, struct node_links *ret_links)
{
	for (uint32_t i = 0; i < stacks->count; i++)
		ret_links[i] = (struct node_links){NODE_NONE, NODE_NONE};
	for (uint32_t i = 0; i + 1 < stacks->count; i++) {
		struct node_links *parent = &ret_links[stacks->nodes[sorted[i]].parent];

		ret_links[sorted[i]].sibling = parent->child;
		parent->child = sorted[i];
	}
}

static void walk_depth_first(
	struct block_order *order, const struct stack_table *stacks, const struct node_links *links)
{
	uint32_t node = STACK_EMPTY, place = 0;

	for (;;) {
		order->nodes[place] = node;
		order->node_places[node] = place++;
		if (links[node].child != NODE_NONE) {
			node = links[node].child;
			continue;
		}
		while (node != STACK_EMPTY && links[node].sibling == NODE_NONE)
			node = stacks->nodes[node].parent;
		if (node == STACK_EMPTY)
			return;
		node = links[node].sibling;
	}
}

static int order_nodes(struct block_order *order, const struct profile *profile)
{
	uint32_t count = profile->stacks.count;
	SCOPED_FREE uint32_t *sorted = new_array(count);
	SCOPED_FREE struct node_links *links = calloc(count ? count : 1, sizeof(*links));
	int r;

	order->nodes = new_array(count);
	order->node_places = new_array(count);
	if (!sorted || !links || !order->nodes || !order->node_places)
		return -ENOMEM;
	r = nodes_by_frame(order, profile, sorted);
	if (r < 0)
		return r;
	link_children(&profile->stacks, sorted, links);
	walk_depth_first(order, &profile->stacks, links);
	return 0;
}

int block_order_init(struct block_order *order, const struct profile *profile)
{
	int r;

	*order = (struct block_order){0};
	r = order_frames(order, &profile->frames);
	if (r == 0)
		r = order_nodes(order, profile);
	if (r < 0)
		block_order_done(order);
	return r;
}

void block_order_done(struct block_order *order)
{
	free(order->frames);
	free(order->frame_places);
	free(order->nodes);
	free(order->node_places);
	*order = (struct block_order){0};
}
