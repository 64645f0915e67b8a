/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/profile_query.h"

#include <errno.h>
#include <string.h>

#include "store/base/fault.h"
#include "store/disk/profile_store.h"
#include "store/log/log.h"
#include "symbolizer-server/http/symbol_names.h"

struct visit {
	const struct http_request *request;
	struct merge *merge; /* or listing */
	struct timeline *timeline; /* beside a merge; NULL: none */
	struct listing *listing;
	profile_list_fn add;
	const void *context;
	struct time_range
		covered; /* by the windows visited so far; until_ns is 0 before the first */
};

/* What a total is to be divided by: a host that has been sampled for a minute was not idle for the
 * fourteen before. */
static void note_window(struct visit *visit, const struct profile *profile)
{
	uint64_t from_ns = profile_window_epoch_ns(profile);
	uint64_t until_ns = profile_window_end_epoch_ns(profile);

	if (visit->covered.until_ns == 0 || from_ns < visit->covered.from_ns)
		visit->covered.from_ns = from_ns;
	if (until_ns > visit->covered.until_ns)
		visit->covered.until_ns = until_ns;
}

/* The part of RANGE from the first to the last window; all of it if there was none. */
static struct time_range covered_part(const struct visit *visit, struct time_range range)
{
	if (visit->covered.until_ns == 0)
		return range;
	if (visit->covered.from_ns > range.from_ns)
		range.from_ns = visit->covered.from_ns;
	if (visit->covered.until_ns < range.until_ns)
		range.until_ns = visit->covered.until_ns;
	return range;
}

static int visit_profile(void *context, const struct profile *profile)
{
	struct visit *visit = context;
	int r;

	if (http_request_is_gone(visit->request))
		return -ECANCELED;
	if (!visit->merge)
		return visit->add(visit->listing, profile, visit->context);
	note_window(visit, profile);
	r = merge_add(visit->merge, profile);
	if (r == 0 && visit->timeline)
		r = timeline_add(visit->timeline, profile);
	return r;
}

const char *profile_query_only_host(const struct selector *selector)
{
	for (uint32_t i = 0; i < selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &selector->matchers[i];

		if (matcher->kind == MATCHER_EQUAL && strcmp(matcher->name, "host") == 0 &&
			matcher->value_length > 0 && !strstr(matcher->value, "\xef\xbf\xbd"))
			return matcher->value;
	}
	return NULL;
}

int profile_query_visit(const struct site *site, const struct query_params *params,
	int (*visit)(void *context, const struct profile *profile), void *context)
{
	struct profile_store_filter filter = {
		.host = profile_query_only_host(&params->selector), .type = params->selector.type};

	if (params->range.from_ns == params->range.until_ns)
		return 0;
	return profile_store_visit(site->store, params->range.from_ns, params->range.until_ns,
		&filter, visit, context);
}

int profile_tree_join(struct profile_tree *tree, const struct site *site)
{
	struct symbol_names names;
	int r;

	symbol_names_init(&names, site->symbolizer);
	r = naming_init_by(&tree->naming, &tree->merge, &tree->functions, &tree->naming_options,
		symbol_names_ask, &names);
	symbol_names_done(&names);
	if (r == 0 && tree->wants_coverage)
		r = coverage_init(&tree->coverage, &tree->merge, &tree->naming, &tree->functions);
	if (r == 0)
		r = call_tree_init(&tree->calls, &tree->merge, &tree->naming, &tree->functions);
	merge_release(&tree->merge);
	return r;
}

/* What TREE holds from before: what is wanted of it. */
static int fill_tree(struct profile_tree *tree, const struct site *site,
	const struct http_request *request, const struct query_params *params,
	struct timeline *timeline)
{
	struct visit visit = {.request = request, .merge = &tree->merge, .timeline = timeline};
	int r;

	r = merge_init(&tree->merge, &params->selector, params->range);
	if (r == 0)
		r = function_table_init(&tree->functions);
	if (r == 0)
		r = profile_query_visit(site, params, visit_profile, &visit);
	if (r == 0)
		r = profile_tree_join(tree, site);
	if (r < 0) {
		profile_tree_done(tree);
		return r;
	}
	tree->about = (struct flame_about){
		.unit = flame_unit_of_type(params->selector.type),
		.partial_symbols = tree->naming.unnamed_count > 0,
		.period = tree->merge.period,
		.sample_count = tree->merge.sample_count,
		.range = covered_part(&visit, params->range),
	};
	return 0;
}

int profile_tree_init(struct profile_tree *tree, const struct site *site,
	const struct http_request *request, const struct query_params *params,
	struct timeline *timeline)
{
	*tree = (struct profile_tree){.naming_options = params->naming};
	return fill_tree(tree, site, request, params, timeline);
}

int profile_tree_init_covered(struct profile_tree *tree, const struct site *site,
	const struct http_request *request, const struct query_params *params)
{
	*tree = (struct profile_tree){.naming_options = params->naming, .wants_coverage = true};
	return fill_tree(tree, site, request, params, NULL);
}

void profile_tree_done(struct profile_tree *tree)
{
	coverage_done(&tree->coverage);
	call_tree_done(&tree->calls);
	naming_done(&tree->naming);
	function_table_done(&tree->functions);
	merge_done(&tree->merge);
}

int profile_list(struct listing *listing, const struct site *site,
	const struct http_request *request, const struct query_params *params, profile_list_fn add,
	const void *context)
{
	struct visit visit = {
		.request = request, .listing = listing, .add = add, .context = context};
	int r = listing_init(listing, &params->selector, params->range);

	if (r == 0)
		r = profile_query_visit(site, params, visit_profile, &visit);
	if (r < 0) {
		listing_done(listing);
		return r;
	}
	listing_sort(listing);
	return 0;
}

void profile_query_answer_error(struct http_answer *answer, int error)
{
	switch (error) {
	case -ECANCELED:
		http_answer_error(answer, HTTP_STATUS_CLIENT_GONE, "the client went away");
		break;
	case -E2BIG:
		http_answer_error(answer, 422,
			"too many distinct stacks, frames or rows, or too slow a regular "
			"expression: ask for a shorter range or a narrower query");
		break;
	case -EOVERFLOW:
		http_answer_error(answer, 422,
			"the sum of all values does not fit 63 bits: ask for a shorter range");
		break;
	case -EFBIG:
		http_answer_error(answer, 422,
			"the answer is too large: ask for a shorter range or a narrower query");
		break;
	case -ENOMEM:
		http_answer_error(answer, 503, "out of memory: ask for less, or try again later");
		break;
	default:
		log_error(error, "answering a query");
		http_answer_error(answer, 500, "the query failed: %s", fault_text(error));
	}
}
