/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/query_run.h"

#include <errno.h>
#include <string.h>

#include "store/base/heap.h"
#include "symbolizer-server/query/row_filter.h"
#include "symbolizer-server/query/row_label.h"

/* What a visitor returns to end a visit without an error. */
#define ENOUGH 1

static uint64_t now(const struct query_run *run)
{
	return clock_read(&run->site->clock).monotonic_ns;
}

void query_run_begin(
	struct query_run *run, const struct site *site, const struct http_request *request)
{
	uint64_t ns_max = site->query_ns_max ? site->query_ns_max : QUERY_RUN_NS_DEFAULT;

	*run = (struct query_run){.site = site, .request = request};
	run->begun_ns = now(run);
	run->deadline_ns =
		ns_max < UINT64_MAX - run->begun_ns ? run->begun_ns + ns_max : UINT64_MAX;
	run->place =
		query_board_begin(site->queries, http_request_param(request, "id"), run->begun_ns);
}

void query_run_end(struct query_run *run)
{
	query_board_end(run->site->queries, run->place);
	run->place = NULL;
	if (run->node_count >= QUERY_RUN_LARGE_NODE_COUNT)
		heap_give_back(QUERY_RUN_HEAP_BYTES_KEPT);
}

void query_run_stage(struct query_run *run, enum query_stage stage)
{
	query_board_note(run->site->queries, run->place, stage, 1);
}

/* One visit that is under way. */
struct visit {
	struct query_run *run;
	const struct query_read *read;
	uint64_t bytes_max;
	uint64_t deadline_ns;
	struct partial partial;
};

/* The start of PROFILE's window, no further than the range. */
static uint64_t reached(const struct visit *visit, const struct profile *profile)
{
	uint64_t start_ns = profile_window_epoch_ns(profile);
	struct time_range range = visit->read->range;

	if (start_ns < range.from_ns)
		return range.from_ns;
	return start_ns > range.until_ns ? range.until_ns : start_ns;
}

/* Windows come by their start: what lies before that of PROFILE was all visited. */
static int stop(struct visit *visit, const struct profile *profile, enum partial_reason reason)
{
	visit->partial.reason = reason;
	visit->partial.answered.until_ns = reached(visit, profile);
	return ENOUGH;
}

static int visit_profile(void *context, const struct profile *profile)
{
	struct visit *visit = context;
	const struct query_read *read = visit->read;
	struct query_run *run = visit->run;
	uint64_t length = read->range.until_ns - read->range.from_ns;

	run->node_count += profile->stacks.count;
	if (http_request_is_gone(run->request))
		return -ECANCELED;
	if (now(run) >= visit->deadline_ns)
		return stop(visit, profile, PARTIAL_TIME);
	if (read->bytes && read->bytes(read->context) > visit->bytes_max)
		return stop(visit, profile, PARTIAL_MEMORY);
	query_board_note(run->site->queries, run->place, QUERY_READING,
		(double)(reached(visit, profile) - read->range.from_ns) / (double)length);
	return read->add(read->context, profile);
}

int query_run_read(
	struct query_run *run, const struct query_read *read, struct partial *ret_partial)
{
	const struct site *site = run->site;
	struct visit visit = {
		.run = run,
		.read = read,
		.bytes_max =
			site->query_bytes_max ? site->query_bytes_max : QUERY_RUN_BYTES_DEFAULT,
		.deadline_ns = read->deadline_ns ? read->deadline_ns : run->deadline_ns,
		.partial.answered = read->range,
	};
	struct profile_store_filter filter = {
		.host = query_run_only(read->selector, "host"),
		.type = read->selector->type,
		.service = query_run_only(read->selector, "service_name"),
		.detail = read->detail,
		.step_ns = read->step_ns,
		.step_origin_ns = read->step_origin_ns,
		.unreadable_count = &visit.partial.unreadable_count,
	};
	int r = 0;

	if (read->range.from_ns < read->range.until_ns)
		r = profile_store_visit(site->store, read->range.from_ns, read->range.until_ns,
			&filter, visit_profile, &visit);
	if (r < 0)
		return r;
	if (visit.partial.reason == PARTIAL_NOT && visit.partial.unreadable_count > 0)
		visit.partial.reason = PARTIAL_DAMAGE;
	if (visit.partial.reason != PARTIAL_NOT)
		http_count(site->counters, HTTP_COUNTER_QUERIES_PARTIAL, 1);
	*ret_partial = visit.partial;
	return 0;
}

struct window_visit {
	struct query_run *run;
	struct row_filter filter;
	struct window_cover *cover;
};

static int visit_window(void *context, const struct profile_store_window *window)
{
	struct window_visit *visit = context;
	struct window_of_host found = {.host = window->host.text,
		.host_length = window->host.length,
		.time = {window->start_ns, window->until_ns},
		.cpu_count = window->online_cpu_count};
	bool accepted;
	int r;

	if (http_request_is_gone(visit->run->request))
		return -ECANCELED;
	r = row_filter_accepts_host(&visit->filter, found.host, found.host_length, &accepted);
	return r < 0 || !accepted ? r : window_cover_add(visit->cover, &found);
}

int query_run_windows(
	struct query_run *run, const struct selector *selector, struct window_cover *cover)
{
	struct window_visit visit = {.run = run, .cover = cover};
	struct time_range range = cover->range;
	struct profile_store_filter filter = {
		.host = query_run_only(selector, "host"), .type = selector->type};
	int r = 0;

	row_filter_init(&visit.filter, selector, range);
	if (range.from_ns < range.until_ns)
		r = profile_store_visit_windows(run->site->store, range.from_ns, range.until_ns,
			&filter, visit_window, &visit);
	row_filter_done(&visit.filter);
	if (r == 0)
		window_cover_finish(cover);
	return r;
}

enum profile_store_detail query_run_detail(
	const struct selector *selector, const struct label_names *names, bool stacks)
{
	for (uint32_t i = 0; i < selector->matcher_count; i++) {
		if (row_label_needs_rows(selector->matchers[i].name))
			return PROFILE_STORE_ROWS;
	}
	for (uint32_t i = 0; names && i < names->count; i++) {
		if (row_label_needs_rows(names->names[i]))
			return PROFILE_STORE_ROWS;
	}
	return stacks ? PROFILE_STORE_STACKS : PROFILE_STORE_SERIES;
}

const char *query_run_only(const struct selector *selector, const char *name)
{
	for (uint32_t i = 0; i < selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &selector->matchers[i];

		if (matcher->kind == MATCHER_EQUAL && strcmp(matcher->name, name) == 0 &&
			matcher->value_length > 0 &&
			matcher->value_length == strlen(matcher->value) &&
			!strstr(matcher->value, "\xef\xbf\xbd"))
			return matcher->value;
	}
	return NULL;
}
