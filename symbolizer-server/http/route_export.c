/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route_export.h"

#include <errno.h>
#include <string.h>

#include "store/base/deflate.h"
#include "symbolizer-server/export/dot_export.h"
#include "symbolizer-server/export/otlp_export.h"
#include "symbolizer-server/export/pprof_export.h"
#include "symbolizer-server/export/speedscope_export.h"
#include "symbolizer-server/export/svg_export.h"
#include "symbolizer-server/http/label_params.h"
#include "symbolizer-server/http/partial_json.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/http/route.h"
#include "symbolizer-server/query/folded.h"

#define NODE_COUNT_MAX (2u << 20)

struct format;

/* One export: what is asked, and what came of it. */
struct export
{
	const struct format *format;
	struct query_params params;
	struct label_params root;
	uint32_t node_count;
	const struct profile_tree *tree;
	struct export_about about;
	struct bytes_writer *out;
};

/* How a tree becomes a file. */
struct format {
	const char *name;
	const char *content_type;
	bool by_line; /* functions are told apart by lines, and modules by builds, unless asked otherwise */
	bool packed; /* with gzip */
	uint32_t node_count; /* if it is not asked for */
	int (*write)(const struct export *export, const struct level_tree *tree);
};

static int write_folded(const struct export *export, const struct level_tree *tree)
{
	return folded_write(tree, export->out);
}

static int write_speedscope(const struct export *export, const struct level_tree *tree)
{
	return speedscope_export_write(export->out, tree, &export->about);
}

static int write_svg(const struct export *export, const struct level_tree *tree)
{
	return svg_export_write(export->out, tree, &export->about);
}

static int write_pprof(const struct export *export, const struct level_tree *tree)
{
	struct reply_writer writer;
	int r;

	reply_init(&writer, REPLY_PROTO, export->out);
	r = pprof_export_write(&writer, tree, &export->about);
	if (r == 0)
		reply_finish(&writer);
	return r;
}

static int write_otlp(const struct export *export, const struct level_tree *tree)
{
	struct reply_writer writer;
	int r;

	reply_init(&writer, REPLY_PROTO, export->out);
	r = otlp_export_write(&writer, tree, &export->about);
	if (r == 0)
		reply_finish(&writer);
	return r;
}

/* A graph is of functions, whatever the shape of the tree. */
static int write_dot(const struct export *export, const struct level_tree *tree)
{
	(void)tree;
	return dot_export_write(
		export->out, &export->tree->calls, &export->about, export->node_count);
}

static const struct format formats[] = {
	{"folded", "text/plain; charset=utf-8", false, false, NODE_COUNT_MAX, write_folded},
	{"pprof", "application/octet-stream", true, true, NODE_COUNT_MAX, write_pprof},
	{"speedscope", "application/json", true, false, NODE_COUNT_MAX, write_speedscope},
	{"otlp", "application/x-protobuf", true, false, NODE_COUNT_MAX, write_otlp},
	{"svg", "image/svg+xml", false, false, SVG_NODE_COUNT_DEFAULT, write_svg},
	{"dot", "text/plain; charset=utf-8", false, false, DOT_NODE_COUNT_DEFAULT, write_dot},
};

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; name && i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	}
	return NULL;
}

/* ---- The file ---- */

static int pack(struct http_answer *answer)
{
	struct bytes_writer plain = answer->body;
	int r;

	bytes_writer_init(&answer->body, plain.bytes_max);
	r = deflate_write_gzip(&answer->body, plain.bytes, plain.byte_count);
	bytes_writer_done(&plain);
	return r;
}

static int write_file(struct export *export, const struct profile_tree *tree, const char *name,
	struct http_answer *answer)
{
	const struct format *format = export->format;
	struct level_tree levels;
	int r;

	export->tree = tree;
	export->about = (struct export_about){.type = export->params.selector.type,
		.name = name,
		.range = export->params.range,
		.period = tree->about.period,
		.labels = export->root.names};
	r = level_tree_init(&levels, &tree->calls, LEVEL_TREE_BY_TOTAL, export->node_count);
	if (r < 0)
		return r;
	export->out = http_answer_begin(answer, 200, format->content_type);
	r = format->write(export, &levels);
	level_tree_done(&levels);
	if (r == 0)
		r = bytes_writer_fault(export->out);
	if (r == 0 && format->packed)
		r = pack(answer);
	partial_header(&tree->about.partial, answer->partial, sizeof(answer->partial));
	return r;
}

static void run_export(const struct site *site, const struct http_request *request,
	struct export *export, struct http_answer *answer)
{
	struct profile_tree_options options = {.root = export->root.names};
	const char *name = http_request_param(request, "query");
	struct profile_tree *tree;
	struct query_run run;
	int r;

	query_run_begin(&run, site, request);
	r = profile_tree_take(&run, &export->params, &options, &tree);
	if (r == 0) {
		query_run_stage(&run, QUERY_WRITING);
		r = write_file(export, tree, name ? name : "", answer);
		profile_tree_give_back(&run, tree);
	}
	query_run_end(&run);
	query_params_done(&export->params);
	if (r < 0)
		profile_query_answer_error(answer, r);
}

/* What a file can tell is told, unless it is asked for less. */
static void choose_naming(const struct http_request *request, struct export *export)
{
	if (!export->format->by_line)
		return;
	if (!http_request_param(request, "group"))
		export->params.naming.group = NAMING_BY_LINE;
	if (!http_request_param(request, "builds"))
		export->params.naming.by_build = true;
}

void route_export(void *context, const struct http_request *request, struct http_answer *answer)
{
	static const uint32_t bounds[2] = {LEVEL_TREE_NODE_COUNT_MIN, NODE_COUNT_MAX};
	const struct site *site = context;
	struct export export = {.format = find_format(http_request_param(request, "format"))};

	if (!export.format) {
		http_answer_error(answer, 400,
			"format: folded, pprof, speedscope, otlp, svg or dot must stand here");
		return;
	}
	if (!query_params_number(request, "max_nodes", bounds, export.format->node_count, answer,
		    &export.node_count) ||
		!label_params_read(request, "root", answer, &export.root) ||
		!query_params_read(request, clock_read(&site->clock).realtime_ns, true, answer,
			&export.params))
		return;
	choose_naming(request, &export);
	run_export(site, request, &export, answer);
}

void route_render_as(const struct site *site, const struct http_request *request, const char *name,
	struct http_answer *answer)
{
	static const uint32_t bounds[2] = {LEVEL_TREE_NODE_COUNT_MIN, NODE_COUNT_MAX};
	bool collapsed = strcmp(name, "collapsed") == 0;
	struct export export = {.format = find_format(collapsed ? "folded" : name)};
	const char *nodes = http_request_param(request, "max-nodes") ? "max-nodes" : "maxNodes";

	if (!export.format ||
		(!collapsed && strcmp(name, "dot") != 0 && strcmp(name, "pprof") != 0)) {
		http_answer_error(
			answer, 400, "format: json, dot, collapsed or pprof must stand here");
		return;
	}
	if (!query_params_number(request, nodes, bounds, export.format->node_count, answer,
		    &export.node_count) ||
		!query_params_read(request, clock_read(&site->clock).realtime_ns, true, answer,
			&export.params))
		return;
	choose_naming(request, &export);
	run_export(site, request, &export, answer);
}
