/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   climb  0    0    0    1    2        path while reading:  (root) main work sort
 *   frame  main work sort copy idle     stacks: main;work;sort  main;work;copy  main;idle
 *
 * The path from the root to the node that was read last is all the state there is. If the children
 * of every node come in the order of their frames, and frames are distinct, so are the nodes: then
 * they go straight into the table, which is several times faster than looking each up.
 */
#include "proto/wire/stack_reader.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"

/* One step of the path. The first stands for the root. */
struct step {
	uint32_t node; /* index in the table */
	uint32_t frame; /* number in the body */
	uint32_t next_child; /* smallest frame that keeps the order */
};

struct walk {
	const struct stack_columns *columns;
	struct step *path;
	size_t depth; /* of the node before; 0: the root */
};

/* Climbs to the parent of node AT and tells its frame. */
static int find_parent(struct walk *walk, size_t at, uint32_t *ret_frame, const char **ret_what)
{
	const struct stack_columns *columns = walk->columns;
	int64_t frame;

	if (columns->climb[at] > walk->depth) {
		*ret_what = "a stack's parent";
		return -EBADMSG;
	}
	walk->depth -= columns->climb[at];
	if (walk->depth == columns->depth_max) {
		*ret_what = "a stack too deep";
		return -E2BIG;
	}
	frame = (int64_t)walk->path[walk->depth].frame + columns->frame_delta[at];
	if (frame < 0 || frame >= columns->frame_count) {
		*ret_what = "a stack's frame";
		return -EBADMSG;
	}
	*ret_frame = (uint32_t)frame;
	return 0;
}

static void step_down(struct walk *walk, uint32_t node, uint32_t frame)
{
	walk->path[walk->depth].next_child = frame + 1;
	walk->path[++walk->depth] = (struct step){node, frame, 0};
}

/* -EAGAIN: not in order; nothing is changed. */
static int read_in_order(struct walk *walk, struct stack_table *stacks, const char **ret_what)
{
	const struct stack_columns *columns = walk->columns;
	uint32_t count = (uint32_t)columns->count + 1;
	SCOPED_FREE struct stack_node *nodes = malloc(count * sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	nodes[STACK_EMPTY] = stacks->nodes[STACK_EMPTY];
	for (uint32_t i = 1; i < count; i++) {
		uint32_t frame;
		int r = find_parent(walk, i - 1, &frame, ret_what);

		if (r < 0)
			return r;
		if (frame < walk->path[walk->depth].next_child)
			return -EAGAIN;
		nodes[i] =
			(struct stack_node){walk->path[walk->depth].node, columns->frames[frame]};
		step_down(walk, i, frame);
	}
	free(stacks->nodes);
	stacks->nodes = TAKE(nodes);
	stacks->count = stacks->capacity = count;
	return 0;
}

static int read_any(
	struct walk *walk, struct stack_table *stacks, uint32_t *ret_nodes, const char **ret_what)
{
	const struct stack_columns *columns = walk->columns;

	for (size_t i = 0; i < columns->count; i++) {
		uint32_t frame, node;
		int r = find_parent(walk, i, &frame, ret_what);

		if (r < 0)
			return r;
		r = stack_table_add(
			stacks, walk->path[walk->depth].node, columns->frames[frame], &node);
		if (r == -E2BIG)
			*ret_what = "too many stacks";
		if (r < 0)
			return r;
		ret_nodes[i + 1] = node;
		step_down(walk, node, frame);
	}
	return 0;
}

int stack_reader_read(const struct stack_columns *columns, struct arena *arena,
	struct stack_table *stacks, uint32_t *ret_nodes, const char **ret_what)
{
	struct walk walk = {.columns = columns};
	int r = -EAGAIN;

	walk.path = arena_alloc(arena, ((size_t)columns->depth_max + 1) * sizeof(*walk.path));
	if (!walk.path)
		return -ENOMEM;
	walk.path[0] = (struct step){STACK_EMPTY, 0, 0};
	if (columns->frames_distinct)
		r = read_in_order(&walk, stacks, ret_what);
	for (uint32_t i = 0; r == 0 && i <= columns->count; i++)
		ret_nodes[i] = i;
	if (r != -EAGAIN)
		return r;
	walk.depth = 0;
	walk.path[0] = (struct step){STACK_EMPTY, 0, 0};
	ret_nodes[0] = STACK_EMPTY;
	return read_any(&walk, stacks, ret_nodes, ret_what);
}
