/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/coverage.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How often a module stands on the way from the root to where we are. */
struct presence {
	uint32_t frames;
	uint32_t unnamed;
};

struct walk {
	const struct merge *merge;
	const struct naming *naming;
	const struct function_table *functions;
	int64_t *totals; /* of each node of the merge */
	struct presence *presence; /* of each module */
	uint32_t unnamed; /* frames on the way, of any module */
	struct coverage *coverage;
};

static const struct function *function_of(const struct walk *walk, uint32_t frame)
{
	const struct naming *naming = walk->naming;

	return &walk->functions->functions[naming->links[naming->chains[frame].first]];
}

/* Markers say what could not be known of a stack: they lie in no module and need no name. Nor do
 * labels. */
static bool counts(const struct function *function)
{
	return function->kind != FUNCTION_MARKER && function->kind != FUNCTION_LABEL;
}

static void enter(struct walk *walk, uint32_t node)
{
	const struct growing_node *at = &walk->merge->tree.nodes[node];
	uint32_t module = walk->merge->frames.frames[at->what].module;
	const struct function *function = function_of(walk, at->what);
	struct coverage_sums *sums = &walk->coverage->modules[module].sums;
	struct presence *presence = &walk->presence[module];

	if (!counts(function))
		return;
	sums->self += at->self;
	if (presence->frames++ == 0)
		sums->total += walk->totals[node];
	if (function->kind != FUNCTION_UNKNOWN)
		return;
	sums->unnamed_self += at->self;
	walk->coverage->all.unnamed_self += at->self;
	if (presence->unnamed++ == 0)
		sums->unnamed_total += walk->totals[node];
	if (walk->unnamed++ == 0)
		walk->coverage->all.unnamed_total += walk->totals[node];
}

static void leave(struct walk *walk, uint32_t node)
{
	uint32_t frame = walk->merge->tree.nodes[node].what;
	const struct function *function = function_of(walk, frame);
	struct presence *presence = &walk->presence[walk->merge->frames.frames[frame].module];

	if (!counts(function))
		return;
	presence->frames--;
	if (function->kind != FUNCTION_UNKNOWN)
		return;
	presence->unnamed--;
	walk->unnamed--;
}

/* Depth first; the way back is in the nodes. */
static void add_up(struct walk *walk)
{
	const struct growing_node *nodes = walk->merge->tree.nodes;
	uint32_t node = nodes[GROWING_TREE_ROOT].child_first;

	while (node != GROWING_TREE_ROOT) {
		enter(walk, node);
		if (nodes[node].child_first != 0) {
			node = nodes[node].child_first;
			continue;
		}
		leave(walk, node);
		while (node != GROWING_TREE_ROOT && nodes[node].sibling_next == 0) {
			node = nodes[node].parent;
			if (node != GROWING_TREE_ROOT)
				leave(walk, node);
		}
		if (node != GROWING_TREE_ROOT)
			node = nodes[node].sibling_next;
	}
}

static void count_addresses(struct walk *walk)
{
	const struct frame_table *frames = &walk->merge->frames;

	for (uint32_t i = 0; i < frames->count; i++) {
		struct coverage_module *module = &walk->coverage->modules[frames->frames[i].module];
		const struct function *function = function_of(walk, i);

		if (!counts(function))
			continue;
		module->address_count++;
		module->unnamed_count += function->kind == FUNCTION_UNKNOWN ? 1 : 0;
	}
}

static void describe_modules(struct walk *walk)
{
	const struct merge *merge = walk->merge;

	for (uint32_t i = 1; i < merge->modules.count; i++) {
		const struct module *module = &merge->modules.modules[i];

		walk->coverage->modules[i].build_id = module->build_id;
		/* Naming added it; 0 for a module without a name. */
		walk->coverage->modules[i].name = string_table_find(&walk->functions->strings,
			string_table_text(&merge->strings, module->name),
			string_table_length(&merge->strings, module->name));
		if (walk->coverage->modules[i].name == INDEX_MAP_NONE)
			walk->coverage->modules[i].name = 0;
	}
}

static int order_modules(const void *one, const void *other, void *functions)
{
	const struct coverage_module *a = one, *b = other;
	const struct function_table *table = functions;
	int order;

	if (a->sums.unnamed_total != b->sums.unnamed_total)
		return a->sums.unnamed_total > b->sums.unnamed_total ? -1 : 1;
	if (a->sums.total != b->sums.total)
		return a->sums.total > b->sums.total ? -1 : 1;
	order = strcmp(string_table_text(&table->strings, a->name),
		string_table_text(&table->strings, b->name));
	if (order == 0)
		order = memcmp(&a->build_id, &b->build_id, sizeof(a->build_id));
	return order;
}

/* Drops modules that no frame of the range lies in, and sorts the rest. */
static void order(struct coverage *coverage, const struct function_table *functions)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < coverage->count; i++) {
		if (coverage->modules[i].address_count > 0)
			coverage->modules[kept++] = coverage->modules[i];
	}
	coverage->count = kept;
	qsort_r(coverage->modules, kept, sizeof(*coverage->modules), order_modules,
		(void *)(uintptr_t)functions);
}

static void sum_up(struct walk *walk)
{
	const struct growing_node *nodes = walk->merge->tree.nodes;

	for (uint32_t i = 0; i < walk->merge->tree.count; i++)
		walk->totals[i] = nodes[i].self;
	for (uint32_t i = walk->merge->tree.count - 1; i > 0; i--)
		walk->totals[nodes[i].parent] += walk->totals[i];
	walk->coverage->all.total = walk->totals[GROWING_TREE_ROOT];
	walk->coverage->all.self = walk->totals[GROWING_TREE_ROOT];
}

int coverage_init(struct coverage *coverage, const struct merge *merge, const struct naming *naming,
	const struct function_table *functions)
{
	struct walk walk = {.merge = merge,
		.naming = naming,
		.functions = functions,
		.totals = calloc(merge->tree.count, sizeof(*walk.totals)),
		.presence = calloc(merge->modules.count, sizeof(*walk.presence)),
		.coverage = coverage};
	int r = -ENOMEM;

	*coverage = (struct coverage){.count = merge->modules.count};
	coverage->modules = calloc(merge->modules.count, sizeof(*coverage->modules));
	if (walk.totals && walk.presence && coverage->modules) {
		describe_modules(&walk);
		sum_up(&walk);
		add_up(&walk);
		count_addresses(&walk);
		order(coverage, functions);
		r = 0;
	}
	free(walk.totals);
	free(walk.presence);
	if (r < 0)
		coverage_done(coverage);
	return r;
}

void coverage_done(struct coverage *coverage)
{
	free(coverage->modules);
	*coverage = (struct coverage){0};
}
