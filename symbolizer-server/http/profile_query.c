/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/profile_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/fault.h"
#include "store/disk/profile_store.h"
#include "store/log/log.h"
#include "symbolizer-server/http/symbol_names.h"
#include "symbolizer-server/query/root_labels.h"
#include "symbolizer-server/symbol/symbolizer.h"

/* Selectors are the longest part of a key. */
#define KEY_BYTES_MAX (64u << 10)

const char *profile_query_only_host(const struct selector *selector)
{
	return query_run_only(selector, "host");
}

size_t profile_query_merge_bytes(const void *merge)
{
	return merge_bytes(merge);
}

int profile_query_merge(void *merge, const struct profile *profile)
{
	return merge_add(merge, profile);
}

int profile_tree_join(struct profile_tree *tree, const struct site *site)
{
	struct naming_options options = tree->naming_options;
	struct symbol_names names;
	int r;

	options.translate = symbol_names_translate;
	symbol_names_init(&names, site->symbolizer);
	r = naming_init_by(
		&tree->naming, &tree->merge, &tree->functions, &options, symbol_names_ask, &names);
	symbol_names_done(&names);
	if (r == 0 && tree->wants_coverage)
		r = coverage_init(&tree->coverage, &tree->merge, &tree->naming, &tree->functions);
	if (r == 0)
		r = call_tree_init(&tree->calls, &tree->merge, &tree->naming, &tree->functions);
	merge_release(&tree->merge);
	return r;
}

void profile_tree_done(struct profile_tree *tree)
{
	coverage_done(&tree->coverage);
	call_tree_done(&tree->calls);
	naming_done(&tree->naming);
	function_table_done(&tree->functions);
	merge_done(&tree->merge);
}

void profile_tree_free(void *value)
{
	struct profile_tree *tree = value;

	if (tree)
		profile_tree_done(tree);
	free(tree);
}

/* What a total is to be divided by: a host that has been sampled for a minute was not idle for the
 * fourteen before. The part of the range from the first to the last window; all of it if there was
 * none. */
static int find_covered(
	struct query_run *run, const struct query_params *params, struct time_range *ret_covered)
{
	struct window_cover cover;
	int r = window_cover_init(&cover, params->range, NULL);

	if (r < 0)
		return r;
	r = query_run_windows(run, &params->selector, &cover);
	*ret_covered =
		cover.covered.from_ns < cover.covered.until_ns ? cover.covered : params->range;
	window_cover_done(&cover);
	return r;
}

static int read_tree(struct profile_tree *tree, struct query_run *run,
	const struct query_params *params, const struct profile_tree_options *options)
{
	struct query_read read = {.selector = &params->selector,
		.range = params->range,
		.detail = query_run_detail(&params->selector, &options->root, true),
		.add = profile_query_merge,
		.bytes = profile_query_merge_bytes,
		.context = &tree->merge};
	struct root_labels root;
	int r = root_labels_init(&root, &options->root);

	if (r == 0 && options->root.count > 0)
		merge_keep_root(&tree->merge, &root);
	if (r == 0)
		r = query_run_read(run, &read, &tree->about.partial);
	tree->merge.root = NULL;
	root_labels_done(&root);
	return r;
}

/* What TREE holds from before: what is wanted of it. */
static int fill_tree(struct profile_tree *tree, struct query_run *run,
	const struct query_params *params, const struct profile_tree_options *options)
{
	int r = merge_init(&tree->merge, &params->selector, params->range);

	if (r == 0)
		r = function_table_init(&tree->functions);
	if (r == 0)
		r = read_tree(tree, run, params, options);
	if (r < 0)
		return r;
	tree->about.period = tree->merge.period;
	tree->about.sample_count = tree->merge.sample_count;
	tree->about.unit = flame_unit_of_type(params->selector.type);
	r = find_covered(run, params, &tree->about.range);
	query_run_stage(run, QUERY_NAMING);
	if (r == 0)
		r = profile_tree_join(tree, run->site);
	tree->about.partial_symbols = tree->naming.unnamed_count > 0;
	/* Only joining needed them. */
	naming_done(&tree->naming);
	return r;
}

/* What decides what a tree of one side is. */
struct tree_question {
	const struct query_params *params;
	const struct profile_tree_options *options;
};

int profile_tree_new(struct profile_tree **ret_tree)
{
	struct profile_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	*ret_tree = tree;
	return 0;
}

static int make_tree(struct query_run *run, const void *context, struct profile_tree **ret_tree)
{
	const struct tree_question *question = context;
	struct profile_tree *tree;
	int r = profile_tree_new(&tree);

	if (r < 0)
		return r;
	tree->naming_options = question->params->naming;
	tree->wants_coverage = question->options->wants_coverage;
	r = fill_tree(tree, run, question->params, question->options);
	if (r < 0) {
		profile_tree_free(tree);
		return r;
	}
	tree->is_partial = tree->about.partial.reason != PARTIAL_NOT;
	*ret_tree = tree;
	return 0;
}

void profile_query_write_key(struct bytes_writer *key, const struct query_params *params)
{
	selector_format(&params->selector, key);
	bytes_write_u8(key, 0);
	bytes_write_u64(key, params->range.from_ns);
	bytes_write_u64(key, params->range.until_ns);
	bytes_write_u8(key, (uint8_t)params->naming.group);
	bytes_write_u8(key, params->naming.hides_inlined);
	bytes_write_u8(key, params->naming.by_build);
}

static void write_key(struct bytes_writer *key, const void *context)
{
	const struct tree_question *question = context;
	const struct label_names *root = &question->options->root;

	bytes_write_u8(key, 'T');
	profile_query_write_key(key, question->params);
	bytes_write_u8(key, question->options->wants_coverage);
	for (uint32_t i = 0; i < root->count; i++)
		bytes_write_span(key, root->names[i], strlen(root->names[i]) + 1);
}

static int make_counted(struct query_run *run, const struct profile_tree_maker *maker,
	struct profile_tree **ret_tree)
{
	int r = maker->make(run, maker->question, ret_tree);

	if (r == 0)
		http_count(run->site->counters, HTTP_COUNTER_TREES_MADE, 1);
	return r;
}

static bool is_gone(const void *request)
{
	return http_request_is_gone(request);
}

static int take_kept(struct query_run *run, const struct memo_key *key,
	const struct profile_tree_maker *maker, struct profile_tree **ret_tree)
{
	const struct site *site = run->site;
	struct memo_entry *entry;
	struct profile_tree *tree;
	uint64_t dropped = 0;
	int r = memo_take(site->trees, key, is_gone, run->request, &entry);

	if (r < 0)
		return r;
	tree = memo_value(entry);
	if (tree)
		http_count(site->counters, HTTP_COUNTER_TREES_REUSED, 1);
	else
		r = make_counted(run, maker, &tree);
	if (r < 0) {
		memo_give_back(site->trees, entry, NULL, 0, &dropped);
		return r;
	}
	tree->entry = entry;
	*ret_tree = tree;
	return 0;
}

int profile_tree_take_made(struct query_run *run, const struct profile_tree_maker *maker,
	struct profile_tree **ret_tree)
{
	const struct site *site = run->site;
	struct bytes_writer text;
	struct memo_key key = {
		.versions = {maker->serial,
			site->symbolizer ? symbolizer_generation(site->symbolizer) : 0}};
	int r;

	/* A tree that is kept takes no visit that would find out. */
	if (http_request_is_gone(run->request))
		return -ECANCELED;
	/* A range that retention eats into holds something else by the next time. */
	if (!site->trees || maker->serial == 0)
		return make_counted(run, maker, ret_tree);
	bytes_writer_init(&text, KEY_BYTES_MAX);
	maker->write_key(&text, maker->question);
	r = bytes_writer_fault(&text);
	key.bytes = text.bytes;
	key.byte_count = text.byte_count;
	if (r == 0)
		r = take_kept(run, &key, maker, ret_tree);
	bytes_writer_done(&text);
	return r;
}

int profile_tree_take(struct query_run *run, const struct query_params *params,
	const struct profile_tree_options *options, struct profile_tree **ret_tree)
{
	const struct tree_question question = {params, options};
	const struct profile_tree_maker maker = {.make = make_tree,
		.question = &question,
		.write_key = write_key,
		.serial = profile_store_serial(
			run->site->store, params->range.from_ns, params->range.until_ns)};

	return profile_tree_take_made(run, &maker, ret_tree);
}

static size_t tree_bytes(const struct profile_tree *tree)
{
	const struct call_tree *calls = &tree->calls;

	return sizeof(*tree) + calls->tree.capacity * sizeof(*calls->tree.nodes) +
		child_map_bytes(&calls->tree.crowded) + calls->tree.count * sizeof(*calls->totals) +
		(size_t)calls->tree.count * calls->lane_count * sizeof(*calls->lanes) +
		function_table_bytes(&tree->functions) +
		tree->coverage.count * sizeof(*tree->coverage.modules);
}

void profile_tree_give_back(struct query_run *run, struct profile_tree *tree)
{
	struct memo *trees = run->site->trees;
	bool is_kept = tree->entry && !tree->is_partial;
	uint64_t dropped = 0;

	if (tree->entry)
		memo_give_back(trees, tree->entry, is_kept ? tree : NULL,
			is_kept ? tree_bytes(tree) : 0, &dropped);
	http_count(run->site->counters, HTTP_COUNTER_TREES_DROPPED, dropped);
	if (!is_kept)
		profile_tree_free(tree);
}

const char *profile_query_fault(int error, int *ret_status)
{
	static const struct {
		int error;
		int status;
		const char *text;
	} faults[] = {
		{-ECANCELED, HTTP_STATUS_CLIENT_GONE, "the client went away"},
		{-E2BIG, 422,
			"too many distinct stacks, frames or rows, or too slow a regular "
			"expression: ask for a shorter range or a narrower query"},
		{-EOVERFLOW, 422,
			"the sum of all values does not fit 63 bits: ask for a shorter range"},
		{-EFBIG, 422,
			"the answer is too large: ask for a shorter range or a narrower query"},
		{-ENOMEM, 503, "out of memory: ask for less, or try again later"},
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (faults[i].error == error) {
			*ret_status = faults[i].status;
			return faults[i].text;
		}
	}
	*ret_status = 500;
	return "the query failed";
}

void profile_query_answer_error(struct http_answer *answer, int error)
{
	int status;
	const char *text = profile_query_fault(error, &status);

	if (status != 500) {
		http_answer_error(answer, status, "%s", text);
		return;
	}
	log_error(error, "answering a query");
	http_answer_error(answer, status, "%s: %s", text, fault_text(error));
}
