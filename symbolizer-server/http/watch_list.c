/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/watch_list.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/log/log.h"
#include "symbolizer-server/http/series_query.h"

#define MINUTE_NS (60 * NS_PER_S)
/* Of all rules together: whoever reads metrics gives up soon. */
#define LOOK_NS_MAX (5 * NS_PER_S)

static const char rest_text[] = "[other]";

/* What was found of one rule. */
struct watch {
	struct watch_rule rule;
	char **services;
	double *shares;
	uint32_t count;
};

struct watch_list {
	pthread_mutex_t lock;
	uint64_t minute_ns; /* end of the minute that was looked at last */
	struct watch *watches;
	size_t count;
};

static void forget(struct watch *watch)
{
	for (uint32_t i = 0; i < watch->count; i++)
		free(watch->services[i]);
	free(watch->services);
	free(watch->shares);
	watch->services = NULL;
	watch->shares = NULL;
	watch->count = 0;
}

void watch_list_free(struct watch_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->count; i++) {
		forget(&list->watches[i]);
		watch_rule_done(&list->watches[i].rule);
	}
	free(list->watches);
	pthread_mutex_destroy(&list->lock);
	free(list);
}

int watch_list_new(
	const char *const *rules, size_t count, char *ret_error, struct watch_list **ret_list)
{
	struct watch_list *list;
	int r = 0;

	if (count > WATCH_LIST_RULE_COUNT_MAX) {
		snprintf(ret_error, WATCH_RULE_ERROR_BYTES_MAX, "more than %d rules",
			WATCH_LIST_RULE_COUNT_MAX);
		return -EINVAL;
	}
	list = calloc(1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	pthread_mutex_init(&list->lock, NULL);
	list->watches = calloc(count + 1, sizeof(*list->watches));
	if (!list->watches)
		r = -ENOMEM;
	while (r == 0 && list->count < count) {
		r = watch_rule_parse(
			rules[list->count], &list->watches[list->count].rule, ret_error);
		list->count += r == 0;
	}
	if (r < 0) {
		watch_list_free(list);
		return r;
	}
	*ret_list = list;
	return 0;
}

static int keep(struct watch *watch, const struct series *series, uint32_t group)
{
	int64_t all = series_sums(series, group, SERIES_ALL)[0];
	size_t length = sizeof(rest_text) - 1;
	const char *text = rest_text;

	if (group != LABEL_GROUPS_REST)
		text = label_groups_text(&series->groups, group, 0, &length);
	watch->services[watch->count] = strndup(text, length);
	if (!watch->services[watch->count])
		return -ENOMEM;
	watch->shares[watch->count++] =
		(double)series_sums(series, group, SERIES_IN)[0] / (double)all;
	return 0;
}

static int keep_all(struct watch *watch, struct series *series)
{
	uint32_t *order, count;
	int r = series_rank(series, WATCH_LIST_SERVICE_COUNT_MAX, &order, &count);

	if (r < 0)
		return r;
	if (count > WATCH_LIST_SERVICE_COUNT_MAX)
		count = WATCH_LIST_SERVICE_COUNT_MAX;
	watch->services = calloc((size_t)count + 1, sizeof(*watch->services));
	watch->shares = calloc((size_t)count + 1, sizeof(*watch->shares));
	if (!watch->services || !watch->shares)
		r = -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		if (series->totals[order[i]].total > 0)
			r = keep(watch, series, order[i]);
	}
	if (r == 0 && series->rest.total > 0)
		r = keep(watch, series, LABEL_GROUPS_REST);
	free(order);
	return r;
}

/* The minute that ends at UNTIL_NS. */
static int look(struct watch *watch, struct query_run *run, uint64_t until_ns)
{
	struct query_params params = {
		.selector = watch->rule.selector, .range = {until_ns - MINUTE_NS, until_ns}};
	struct series_question_params question = {.params = &params,
		.steps = {.start_ns = until_ns - MINUTE_NS, .step_ns = MINUTE_NS, .count = 1},
		.by = {.names = {"service_name"}, .count = 1},
		.function = {.pattern = watch->rule.function},
		.deadline_ns = run->begun_ns + LOOK_NS_MAX};
	struct series_query query;
	int r = series_query_init(&query, run, &question);

	if (r < 0)
		return r;
	/* Half a minute says nothing of the whole. */
	if (query.partial.reason == PARTIAL_NOT)
		r = keep_all(watch, &query.series);
	series_query_done(&query);
	return r;
}

static void look_at_all(struct watch_list *list, struct query_run *run, uint64_t until_ns)
{
	int r = 0;

	for (size_t i = 0; i < list->count && r != -ECANCELED; i++) {
		forget(&list->watches[i]);
		r = look(&list->watches[i], run, until_ns);
		if (r < 0)
			forget(&list->watches[i]);
		if (r < 0 && r != -ECANCELED)
			log_warning(r, "ignoring that --watch %s could not be answered",
				list->watches[i].rule.text);
	}
	if (r != -ECANCELED)
		list->minute_ns = until_ns;
}

void watch_list_visit(struct watch_list *list, const struct site *site,
	const struct http_request *request, watch_share_fn visit, void *context)
{
	uint64_t now_ns = clock_read(&site->clock).realtime_ns;
	uint64_t until_ns = (now_ns - WATCH_LIST_LAG_NS) / MINUTE_NS * MINUTE_NS;
	struct query_run run;

	if (!list || list->count == 0)
		return;
	pthread_mutex_lock(&list->lock);
	if (list->minute_ns != until_ns) {
		query_run_begin(&run, site, request);
		look_at_all(list, &run, until_ns);
		query_run_end(&run);
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct watch *watch = &list->watches[i];

		for (uint32_t service = 0; service < watch->count; service++) {
			visit(context,
				&(struct watch_share){&watch->rule, watch->services[service],
					watch->shares[service]});
		}
	}
	pthread_mutex_unlock(&list->lock);
}
