/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/dot_export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/index_map.h"
#include "store/profile/grow.h"
#include "symbolizer-server/query/top.h"

#define EDGE_COUNT_MAX (1u << 24)
#define LINE_BYTES 256

/* Calls of one function by another. */
struct edge {
	uint32_t from, to; /* functions */
	uint32_t on_path; /* such calls between the root and where the walk is */
	int64_t value; /* once for each stack, however often it is in there */
};

struct work {
	const struct call_tree *calls;
	struct edge *edges;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
	bool *shown; /* functions */
	int error;
};

static bool edge_equal(const void *context, uint32_t index, const void *key)
{
	const struct edge *edge = (const struct edge *)context + index;
	const uint32_t *pair = key;

	return edge->from == pair[0] && edge->to == pair[1];
}

static struct edge *find_or_add(struct work *work, const uint32_t pair[2])
{
	uint64_t hash = hash_bytes(pair, 2 * sizeof(*pair));
	uint32_t index = index_map_find(&work->map, hash, edge_equal, work->edges, pair);
	int r;

	if (index != INDEX_MAP_NONE)
		return &work->edges[index];
	r = grow_array(&work->edges, &work->capacity, work->count, EDGE_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&work->map, hash, work->count);
	if (r < 0) {
		work->error = r;
		return NULL;
	}
	work->edges[work->count] = (struct edge){.from = pair[0], .to = pair[1]};
	return &work->edges[work->count++];
}

/* The call that NODE is; NULL: it is none, or none that is shown. */
static struct edge *edge_of(struct work *work, uint32_t node)
{
	const struct growing_node *nodes = work->calls->tree.nodes;
	uint32_t pair[2];

	if (node == GROWING_TREE_ROOT || nodes[node].parent == GROWING_TREE_ROOT || work->error)
		return NULL;
	pair[0] = nodes[nodes[node].parent].what;
	pair[1] = nodes[node].what;
	return work->shown[pair[0]] && work->shown[pair[1]] ? find_or_add(work, pair) : NULL;
}

static void enter(void *context, uint32_t node)
{
	struct work *work = context;
	struct edge *edge = edge_of(work, node);

	if (edge && edge->on_path++ == 0)
		edge->value += work->calls->totals[node];
}

static void leave(void *context, uint32_t node)
{
	struct edge *edge = edge_of(context, node);

	if (edge)
		edge->on_path--;
}

static int by_total(const void *one, const void *other)
{
	const struct top_row *a = one, *b = other;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void write_text(struct bytes_writer *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			bytes_write_u8(out, '\\');
		bytes_write_u8(out, c < ' ' ? ' ' : c);
	}
}

static void write_share(struct bytes_writer *out, int64_t value, int64_t total)
{
	char line[LINE_BYTES];
	int length = snprintf(line, sizeof(line), "%" PRId64 " (%.2f%%)", value,
		total > 0 ? 100.0 * (double)value / (double)total : 0.0);

	bytes_write_span(out, line, (size_t)length);
}

static void write_node(struct work *work, const struct top_row *row, struct bytes_writer *out)
{
	const struct function_table *functions = work->calls->functions;
	int64_t total = work->calls->totals[GROWING_TREE_ROOT];
	char line[LINE_BYTES];
	double share = total > 0 ? (double)row->self / (double)total : 0;
	int length = snprintf(line, sizeof(line), "N%u [shape=box fontsize=%.0f label=\"",
		row->function, 8 + 24 * share);

	bytes_write_span(out, line, (size_t)length);
	write_text(out, function_table_name(functions, row->function),
		function_table_name_length(functions, row->function));
	bytes_write_span(out, "\\n", 2);
	write_share(out, row->self, total);
	if (row->total != row->self) {
		bytes_write_span(out, "\\nof ", 5);
		write_share(out, row->total, total);
	}
	bytes_write_span(out, "\"];\n", 4);
}

static void write_edge(struct work *work, const struct edge *edge, struct bytes_writer *out)
{
	char line[LINE_BYTES];
	int length = snprintf(line, sizeof(line), "N%u -> N%u [label=\" ", edge->from, edge->to);

	bytes_write_span(out, line, (size_t)length);
	write_share(out, edge->value, work->calls->totals[GROWING_TREE_ROOT]);
	bytes_write_span(out, "\"];\n", 4);
}

static void write_head(struct work *work, const struct export_about *about, uint32_t shown,
	uint32_t count, struct bytes_writer *out)
{
	char line[LINE_BYTES];
	size_t unit_length;
	const char *unit = export_type_part(about->type, TYPE_UNIT, &unit_length);
	int length;

	bytes_write_span(out, "digraph \"profile\" {\nlabelloc=t;\nlabel=\"", 39);
	write_text(out, about->name, strlen(about->name));
	length = snprintf(line, sizeof(line), "\\n%" PRId64 " %.*s\\n%u of %u functions\";\n",
		work->calls->totals[GROWING_TREE_ROOT], (int)(unit_length < 40 ? unit_length : 40),
		unit, shown, count);
	bytes_write_span(out, line, (size_t)length);
}

static int write_graph(struct work *work, const struct export_about *about, struct top *top,
	uint32_t shown, struct bytes_writer *out)
{
	if (top->count > 0)
		qsort(top->rows, top->count, sizeof(*top->rows), by_total);
	for (uint32_t i = 0; i < shown; i++)
		work->shown[top->rows[i].function] = true;
	call_tree_visit(work->calls, enter, leave, work);
	if (work->error < 0)
		return work->error;
	write_head(work, about, shown, top->count, out);
	for (uint32_t i = 0; i < shown; i++)
		write_node(work, &top->rows[i], out);
	for (uint32_t i = 0; i < work->count; i++)
		write_edge(work, &work->edges[i], out);
	bytes_write_span(out, "}\n", 2);
	return 0;
}

int dot_export_write(struct bytes_writer *out, const struct call_tree *calls,
	const struct export_about *about, uint32_t node_count)
{
	struct work work = {.calls = calls};
	struct top top;
	int r;

	if (calls->totals[GROWING_TREE_ROOT] == 0)
		return 0;
	r = top_init(&top, calls);
	if (r < 0)
		return r;
	index_map_init(&work.map, EDGE_COUNT_MAX);
	work.shown = calloc(calls->functions->count + (size_t)1, sizeof(*work.shown));
	r = work.shown ? write_graph(&work, about, &top,
				 top.count < node_count ? top.count : node_count, out)
		       : -ENOMEM;
	index_map_done(&work.map);
	free(work.edges);
	free(work.shown);
	top_done(&top);
	return r;
}
