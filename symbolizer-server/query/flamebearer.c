/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/flamebearer.h"

#include <errno.h>
#include <stdlib.h>

#define NAME_NONE UINT32_MAX

/* While the levels are built. */
struct work {
	const struct level_tree *tree;
	struct flamebearer *flamebearer;
	uint32_t *names; /* string of the functions -> name */
	uint32_t other; /* name of what was trimmed */
	int64_t *starts; /* of each node: where its bar begins */
};

static uint32_t add_name(struct flamebearer *flamebearer, const char *text, size_t length)
{
	flamebearer->names[flamebearer->name_count] = (struct flamebearer_name){text, length};
	return flamebearer->name_count++;
}

static uint32_t name_of(struct work *work, const struct level_node *node)
{
	const struct function_table *functions = work->tree->functions;
	uint32_t *name = &work->other;

	if (node->small_count == 0)
		name = &work->names[functions->functions[node->function].name];
	if (*name == NAME_NONE && node->small_count > 0)
		*name = add_name(work->flamebearer, "other", 5);
	else if (*name == NAME_NONE)
		*name = add_name(work->flamebearer, function_table_name(functions, node->function),
			function_table_name_length(functions, node->function));
	return *name;
}

/* A node's children begin behind its own part, one after the other. */
static void place_children(struct work *work, uint32_t index, int64_t self)
{
	const struct level_node *node = &work->tree->nodes[index];
	int64_t start = work->starts[index] + self;

	for (uint32_t i = node->child_first; i < node->child_first + node->child_count; i++) {
		work->starts[i] = start;
		start += work->tree->nodes[i].total;
	}
}

/* Answers the number of nodes on the level below. */
static uint32_t add_level(struct work *work, uint32_t first, uint32_t end)
{
	struct flamebearer *flamebearer = work->flamebearer;
	uint32_t child_count = 0;
	int64_t x = 0;

	for (uint32_t i = first; i < end; i++) {
		const struct level_node *node = &work->tree->nodes[i];
		int64_t self = level_tree_self(work->tree, i);

		flamebearer->nodes[i] = (struct flamebearer_node){
			.x_delta = work->starts[i] - x,
			.total = node->total,
			.self = self,
			.name = name_of(work, node),
		};
		x = work->starts[i] + node->total;
		child_count += node->child_count;
		place_children(work, i, self);
		if (self > flamebearer->self_max)
			flamebearer->self_max = self;
	}
	flamebearer->level_ends[flamebearer->level_count++] = end;
	return child_count;
}

static void add_levels(struct work *work)
{
	uint32_t first = 0, end = 1;

	while (first < end) {
		uint32_t child_count = add_level(work, first, end);

		first = end;
		end += child_count;
	}
}

int flamebearer_init(struct flamebearer *flamebearer, const struct level_tree *tree)
{
	uint32_t string_count = tree->functions->strings.count;
	struct work work = {
		.tree = tree,
		.flamebearer = flamebearer,
		.names = malloc(string_count * sizeof(uint32_t)),
		.other = NAME_NONE,
		.starts = calloc(tree->count, sizeof(int64_t)),
	};
	int r = -ENOMEM;

	*flamebearer = (struct flamebearer){.node_count = tree->count};
	/* A name for each node at most. */
	flamebearer->names = calloc((size_t)tree->count + 1, sizeof(*flamebearer->names));
	flamebearer->nodes = calloc(tree->count, sizeof(*flamebearer->nodes));
	flamebearer->level_ends = calloc(tree->count, sizeof(*flamebearer->level_ends));
	if (work.names && work.starts && flamebearer->names && flamebearer->nodes &&
		flamebearer->level_ends) {
		for (uint32_t i = 0; i < string_count; i++)
			work.names[i] = NAME_NONE;
		add_levels(&work);
		r = 0;
	}
	free(work.names);
	free(work.starts);
	if (r < 0)
		flamebearer_done(flamebearer);
	return r;
}

void flamebearer_done(struct flamebearer *flamebearer)
{
	free(flamebearer->names);
	free(flamebearer->nodes);
	free(flamebearer->level_ends);
	*flamebearer = (struct flamebearer){0};
}
