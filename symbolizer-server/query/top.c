/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/top.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int order_rows(const void *one, const void *other, void *functions)
{
	const struct top_row *a = one, *b = other;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return function_table_compare(functions, a->function, b->function);
}

struct sums {
	const struct call_tree *calls;
	struct top_row *rows; /* of each function */
	uint32_t *on_path; /* of each function: its nodes between the root and where we are */
};

static void enter(void *context, uint32_t node)
{
	struct sums *sums = context;
	const struct growing_node *at = &sums->calls->tree.nodes[node];

	if (sums->on_path[at->what]++ == 0)
		sums->rows[at->what].total += sums->calls->totals[node];
	sums->rows[at->what].self += at->self;
	sums->rows[at->what].called |= !call_tree_is_inlined(sums->calls, node);
}

static void leave(void *context, uint32_t node)
{
	struct sums *sums = context;

	sums->on_path[sums->calls->tree.nodes[node].what]--;
}

/* Sorts the rows that count to the front; gives their number. */
static uint32_t order(struct top_row *rows, struct function_table *functions)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < functions->count; i++) {
		if (rows[i].total == 0 || functions->functions[i].kind == FUNCTION_ROOT ||
			functions->functions[i].kind == FUNCTION_LABEL)
			continue;
		rows[kept] = rows[i];
		rows[kept++].function = i;
	}
	qsort_r(rows, kept, sizeof(*rows), order_rows, functions);
	return kept;
}

int top_init(struct top *top, const struct call_tree *calls)
{
	uint32_t function_count = calls->functions->count;
	struct sums sums = {
		.calls = calls,
		.rows = calloc(function_count, sizeof(*sums.rows)),
		.on_path = calloc(function_count, sizeof(*sums.on_path)),
	};

	if (!sums.rows || !sums.on_path) {
		free(sums.rows);
		free(sums.on_path);
		return -ENOMEM;
	}
	call_tree_visit(calls, enter, leave, &sums);
	free(sums.on_path);
	*top = (struct top){sums.rows, order(sums.rows, calls->functions)};
	return 0;
}

static bool is_text(const struct string_table *strings, uint32_t string, const char *text)
{
	size_t length = strlen(text);

	return string_table_length(strings, string) == length &&
		memcmp(string_table_text(strings, string), text, length) == 0;
}

void top_keep_function(struct top *top, const struct function_table *functions, const char *name,
	const char *module)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < top->count; i++) {
		const struct function *function = &functions->functions[top->rows[i].function];

		if (is_text(&functions->strings, function->plain ? function->plain : function->name,
			    name) &&
			(!module || is_text(&functions->strings, function->module, module)))
			top->rows[kept++] = top->rows[i];
	}
	top->count = kept;
}

void top_done(struct top *top)
{
	free(top->rows);
	*top = (struct top){0};
}
