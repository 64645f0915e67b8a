/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/flamebearer_pair.h"

#include <errno.h>
#include <stdlib.h>

/* One side while it is laid out. */
struct side {
	const struct level_tree *tree;
	const struct comparison *comparison;
	enum comparison_sides side;
	int64_t *starts; /* of each node: where its bar begins */
	int64_t *numbers; /* of the first node: distance, total, self */
	int64_t self_max;
};

static int64_t total_of(const struct side *side, uint32_t node)
{
	return comparison_value(side->comparison, side->side,
		side->tree->lanes + (size_t)node * side->tree->lane_count);
}

/* A node's children begin behind its own part, one after the other. Answers that part. */
static int64_t place_children(struct side *side, uint32_t index)
{
	const struct level_node *node = &side->tree->nodes[index];
	int64_t self = total_of(side, index), start;

	for (uint32_t i = 0; i < node->child_count; i++)
		self -= total_of(side, node->child_first + i);
	start = side->starts[index] + self;
	for (uint32_t i = 0; i < node->child_count; i++) {
		side->starts[node->child_first + i] = start;
		start += total_of(side, node->child_first + i);
	}
	return self;
}

static void lay_out(struct side *side, const struct flamebearer *levels)
{
	uint32_t node = 0;

	for (uint32_t level = 0; level < levels->level_count; level++) {
		int64_t x = 0;

		for (; node < levels->level_ends[level]; node++) {
			int64_t *numbers = side->numbers + (size_t)node * FLAMEBEARER_PAIR_NUMBERS;
			int64_t self = place_children(side, node);

			numbers[0] = side->starts[node] - x;
			numbers[1] = total_of(side, node);
			numbers[2] = self;
			x = side->starts[node] + numbers[1];
			if (self > side->self_max)
				side->self_max = self;
		}
	}
}

int flamebearer_pair_init(struct flamebearer_pair *pair, const struct level_tree *tree,
	const struct comparison *comparison)
{
	int64_t *starts = calloc(tree->count, sizeof(*starts));
	int r = -ENOMEM;

	*pair = (struct flamebearer_pair){0};
	pair->numbers = calloc(tree->count, FLAMEBEARER_PAIR_NUMBERS * sizeof(*pair->numbers));
	if (starts && pair->numbers)
		r = flamebearer_init(&pair->names, tree);
	for (int i = 0; r == 0 && i < COMPARISON_SIDE_COUNT; i++) {
		struct side side = {tree, comparison, (enum comparison_sides)i, starts,
			pair->numbers + (size_t)i * 3, 0};

		starts[0] = 0;
		lay_out(&side, &pair->names);
		pair->totals[i] = side.numbers[1];
		if (side.self_max > pair->self_max)
			pair->self_max = side.self_max;
	}
	for (uint32_t i = 0; r == 0 && i < tree->count; i++)
		pair->numbers[(size_t)i * FLAMEBEARER_PAIR_NUMBERS + 6] = pair->names.nodes[i].name;
	free(starts);
	if (r < 0)
		flamebearer_pair_done(pair);
	return r;
}

void flamebearer_pair_done(struct flamebearer_pair *pair)
{
	flamebearer_done(&pair->names);
	free(pair->numbers);
	*pair = (struct flamebearer_pair){0};
}
