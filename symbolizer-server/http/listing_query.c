/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/listing_query.h"

#include <errno.h>
#include <string.h>

#include "store/disk/profile_store.h"
#include "symbolizer-server/http/profile_query.h"

struct visit {
	const struct listing_query *query;
	struct listing *listing;
};

bool listing_query_needs_rows(const char *label)
{
	static const char *const columns[] = {"pid", "tid", "thread", "cpu"};

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (strcmp(label, columns[i]) == 0)
			return true;
	}
	return false;
}

const char *listing_query_only(const struct selector *selector, const char *label)
{
	for (uint32_t i = 0; i < selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &selector->matchers[i];

		if (matcher->kind == MATCHER_EQUAL && strcmp(matcher->name, label) == 0 &&
			matcher->value_length > 0 && !strstr(matcher->value, "\xef\xbf\xbd"))
			return matcher->value;
	}
	return NULL;
}

static struct profile_store_filter filter_of(const struct listing_query *query)
{
	const struct selector *selector = &query->params->selector;
	bool needs_rows = query->needs_rows;

	for (uint32_t i = 0; i < selector->matcher_count; i++)
		needs_rows |= listing_query_needs_rows(selector->matchers[i].name);
	return (struct profile_store_filter){
		.host = listing_query_only(selector, "host"),
		.type = selector->type,
		.service = listing_query_only(selector, "service_name"),
		.detail = needs_rows ? PROFILE_STORE_ROWS : PROFILE_STORE_SERIES,
	};
}

static int add_profile(void *context, const struct profile *profile)
{
	const struct visit *visit = context;

	if (http_request_is_gone(visit->query->request))
		return -ECANCELED;
	return visit->query->add(visit->listing, profile, visit->query->context);
}

int listing_query_run(const struct listing_query *query, struct listing *ret_listing)
{
	struct profile_store_filter filter = filter_of(query);
	struct time_range range = query->params->range;
	struct visit visit = {query, ret_listing};
	int r = listing_init(ret_listing, &query->params->selector, range);

	if (r == 0 && range.from_ns < range.until_ns)
		r = profile_store_visit(query->site->store, range.from_ns, range.until_ns, &filter,
			add_profile, &visit);
	if (r < 0)
		listing_done(ret_listing);
	return r;
}

static int add_window(void *context, const struct profile_store_window *window)
{
	const struct visit *visit = context;

	if (http_request_is_gone(visit->query->request))
		return -ECANCELED;
	return listing_add_window(visit->listing, window);
}

int listing_query_windows(const struct listing_query *query, struct listing *listing)
{
	struct profile_store_filter filter = filter_of(query);
	struct time_range range = query->params->range;
	struct visit visit = {query, listing};

	if (range.from_ns >= range.until_ns)
		return 0;
	return profile_store_visit_windows(
		query->site->store, range.from_ns, range.until_ns, &filter, add_window, &visit);
}

bool listing_query_params(const struct site *site, const struct http_request *request,
	struct http_answer *answer, struct query_params *ret_params)
{
	const char *host = http_request_param(request, "host");
	int r = 0;

	if (!query_params_read(
		    request, clock_read(&site->clock).realtime_ns, false, answer, ret_params))
		return false;
	if (host && *host)
		r = selector_add_equal(&ret_params->selector, "host", host);
	if (r == 0)
		return true;
	query_params_done(ret_params);
	profile_query_answer_error(answer, r);
	return false;
}
