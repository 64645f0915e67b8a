/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/top.h"

#include <errno.h>
#include <stdlib.h>

#include "symbolizer-server/query/tree_walk.h"

static int order_rows(const void *one, const void *other, void *functions)
{
	const struct top_row *a = one, *b = other;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return function_table_compare(functions, a->function, b->function);
}

/* ON_PATH: of each function, how many of its nodes lie between the root and where we are. */
static int add_up(struct top_row *rows, uint32_t *on_path, const struct level_tree *tree)
{
	struct tree_walk walk;
	int r;

	tree_walk_init(&walk, tree);
	while ((r = tree_walk_next(&walk)) > 0) {
		const struct level_node *node = &tree->nodes[walk.node];

		if (!walk.entered) {
			on_path[node->function]--;
			continue;
		}
		if (on_path[node->function]++ == 0)
			rows[node->function].total += node->total;
		rows[node->function].self += level_tree_self(tree, walk.node);
	}
	tree_walk_done(&walk);
	return r;
}

int top_init(struct top *top, const struct level_tree *tree)
{
	uint32_t function_count = tree->functions->count, kept = 0;
	struct top_row *rows = calloc(function_count, sizeof(*rows));
	uint32_t *on_path = calloc(function_count, sizeof(*on_path));
	int r = rows && on_path ? add_up(rows, on_path, tree) : -ENOMEM;

	free(on_path);
	if (r < 0) {
		free(rows);
		return r;
	}
	for (uint32_t i = 0; i < function_count; i++) {
		if (rows[i].total == 0 || tree->functions->functions[i].kind == FUNCTION_ROOT)
			continue;
		rows[kept] = rows[i];
		rows[kept++].function = i;
	}
	qsort_r(rows, kept, sizeof(*rows), order_rows, tree->functions);
	*top = (struct top){rows, kept};
	return 0;
}

void top_done(struct top *top)
{
	free(top->rows);
	*top = (struct top){0};
}
