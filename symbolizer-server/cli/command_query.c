/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a query, as large as a screen: what is left out of it is a line, too. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/function_name.h"
#include "symbolizer-server/cli/level_order.h"
#include "symbolizer-server/cli/output.h"

/* A column a call: stacks are deep, and terminals are not wide. */
#define INDENT_COLUMNS_MAX 60

/* The tree as arrays: a list of JSON is walked from its first item each time. */
struct tree {
	uint32_t count;
	uint32_t *child_counts;
	uint32_t *names; /* of each node */
	uint32_t *order;
	uint32_t *depths;
	uint32_t *first; /* child of each node */
	double *totals;
	const char **texts; /* of each name */
	const char **modules;
	uint32_t name_count;
};

static const struct cJSON *list(const struct cJSON *answer, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(answer, name);
}

static void tree_done(struct tree *tree)
{
	free(tree->child_counts);
	free(tree->names);
	free(tree->order);
	free(tree->depths);
	free(tree->first);
	free(tree->totals);
	free(tree->texts);
	free(tree->modules);
}

static int tree_reserve(struct tree *tree)
{
	/* One more than needed, so that none is no special case. */
	size_t count = (size_t)tree->count + 1, name_count = (size_t)tree->name_count + 1;

	tree->child_counts = calloc(count, sizeof(*tree->child_counts));
	tree->names = calloc(count, sizeof(*tree->names));
	tree->order = calloc(count, sizeof(*tree->order));
	tree->depths = calloc(count, sizeof(*tree->depths));
	tree->first = calloc(count, sizeof(*tree->first));
	tree->totals = calloc(count, sizeof(*tree->totals));
	tree->texts = calloc(name_count, sizeof(*tree->texts));
	tree->modules = calloc(name_count, sizeof(*tree->modules));
	return tree->child_counts && tree->names && tree->order && tree->depths && tree->first &&
			tree->totals && tree->texts && tree->modules
		? 0
		: -ENOMEM;
}

/* The numbers of the list NAME; what is no number becomes the largest, which nothing accepts. */
static void read_numbers(
	const struct cJSON *answer, const char *name, uint32_t count, uint32_t *ret_numbers)
{
	const struct cJSON *item;
	uint32_t i = 0;

	cJSON_ArrayForEach(item, list(answer, name))
	{
		bool fits = cJSON_IsNumber(item) && item->valuedouble >= 0 &&
			item->valuedouble < UINT32_MAX;

		if (i < count)
			ret_numbers[i++] = fits ? (uint32_t)item->valuedouble : UINT32_MAX;
	}
}

static void read_texts(const struct cJSON *answer, struct tree *tree)
{
	const struct cJSON *item, *module = list(answer, "name_module");
	uint32_t i = 0;

	module = module ? module->child : NULL;
	cJSON_ArrayForEach(item, list(answer, "names"))
	{
		const char *text = cJSON_GetStringValue(item), *of = NULL;

		if (module && cJSON_IsNumber(module) && module->valuedouble >= 1)
			of = cJSON_GetStringValue(cJSON_GetArrayItem(
				list(answer, "modules"), (int)module->valuedouble - 1));
		if (i < tree->name_count) {
			tree->modules[i] = of ? of : "";
			tree->texts[i++] = text ? text : "";
		}
		module = module ? module->next : NULL;
	}
}

static int tree_read(const struct cJSON *answer, struct tree *tree)
{
	double scale = (double)(UINT64_C(1) << ((uint64_t)command_number(answer, "scale") & 63));
	const struct cJSON *item;
	uint32_t i = 0;
	int r;

	*tree = (struct tree){
		.count = (uint32_t)cJSON_GetArraySize(list(answer, "child_count")),
		.name_count = (uint32_t)cJSON_GetArraySize(list(answer, "names")),
	};
	r = tree_reserve(tree);
	if (r < 0)
		return r;
	read_numbers(answer, "child_count", tree->count, tree->child_counts);
	read_numbers(answer, "name", tree->count, tree->names);
	read_texts(answer, tree);
	cJSON_ArrayForEach(item, list(answer, "totals"))
	{
		if (i < tree->count)
			tree->totals[i++] = item->valuedouble * scale;
	}
	for (i = 0; i < tree->count; i++) {
		if (tree->names[i] >= tree->name_count)
			return -EBADMSG;
	}
	return level_order_walk(
		tree->child_counts, tree->count, tree->first, tree->order, tree->depths);
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void print_node(const struct tree *tree, uint32_t node, const char *unit, size_t columns)
{
	double self = tree->totals[node];
	char amount[AMOUNT_BYTES_MAX];
	uint32_t indent = tree->depths[node];
	size_t taken;

	for (uint32_t i = 0; i < tree->child_counts[node]; i++)
		self -= tree->totals[tree->first[node] + i];
	output_amount(tree->totals[node], unit, amount);
	taken = (size_t)printf("%6.2f%% %6.2f%% %11s  ",
		percent(tree->totals[node], tree->totals[0]), percent(self, tree->totals[0]),
		amount);
	if (indent > INDENT_COLUMNS_MAX)
		indent = INDENT_COLUMNS_MAX;
	taken += (size_t)printf("%*s", (int)indent, "");
	columns = columns > taken + FUNCTION_NAME_COLUMNS_MIN ? columns - taken
							      : FUNCTION_NAME_COLUMNS_MIN;
	function_name_print(
		tree->texts[tree->names[node]], tree->modules[tree->names[node]], columns);
	putchar('\n');
}

static int print_tree(const struct options *options, const struct cJSON *answer)
{
	const char *unit = command_text(answer, "unit");
	struct tree tree;
	int r = tree_read(answer, &tree);

	if (r < 0) {
		tree_done(&tree);
		return command_fail(r == -ENOMEM ? "out of memory" : "the answer is no tree");
	}
	command_note_partial(answer);
	fputs("  total    self              function\n", stdout);
	for (uint32_t i = 0; i < tree.count; i++)
		print_node(&tree, tree.order[i], unit, command_line_columns(options));
	tree_done(&tree);
	return command_finish();
}

/* The query behind the word goes before that of --query. */
static int query(const struct options *options)
{
	SCOPED_FREE char *text = command_query(options);
	const struct fetch_param params[FETCH_PARAM_COUNT_MAX] = {{"query", text},
		{"from", options->from}, {"until", options->until}, {"group", options->group},
		{"root", options->root}, {"max_nodes", options->limit}};
	struct cJSON *answer;
	int status;

	if (!text)
		return 1;
	answer = command_fetch_json_of(options, "/api/v1/flame", params, &status);
	if (!answer)
		return status;
	if (command_number(answer, "sample_count") > 0) {
		status = print_tree(options, answer);
	} else {
		fputs("no samples of this in this range\n", stdout);
		status = command_finish();
	}
	cJSON_Delete(answer);
	return status;
}

int command_query_tree(const struct options *options)
{
	struct options of = *options;

	if (options->operand_count > 1)
		return command_misuse("one query at a time: TYPE{label=\"value\"}");
	if (options->operand_count == 1)
		of.query = options->operands[0];
	if (strcmp(options->format, "folded") == 0)
		return command_export(&of);
	of.json |= strcmp(options->format, "json") == 0;
	return query(&of);
}
