/* SPDX-License-Identifier: Apache-2.0 */
/* Types, labels and series, as Grafana's pickers ask for them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/disk/profile_store.h"
#include "symbolizer-server/http/label_list.h"
#include "symbolizer-server/http/querier_call.h"
#include "symbolizer-server/query/series_list.h"

#define TYPE_LABEL "__profile_type__"
#define NS_PER_MILLISECOND UINT64_C(1000000)
/* Five parts and where they stand in the message; 3 is not in use. */
#define TYPE_PART_COUNT 5

/* Of all lists: who has more, narrows the question. */
static int read_list(const struct querier_call *call, const char *label,
	const struct selector *selector, struct label_list *ret_list)
{
	const struct label_page page = {.name = label, .limit = LABEL_LIST_LIMIT_MAX};
	const struct query_params params = {
		.selector = *selector, .range = querier_list_range(call, call->asked)};

	return label_list_read(call->site, call->http, &params, &page, ret_list);
}

/* ---- Types ---- */

static void write_type(struct reply_writer *writer, const char *type)
{
	static const struct reply_field parts[TYPE_PART_COUNT] = {{2, "name"}, {4, "sampleType"},
		{5, "sampleUnit"}, {6, "periodType"}, {7, "periodUnit"}};
	const char *at = type;

	reply_begin(writer, (struct reply_field){1, "profileTypes"});
	reply_string(writer, (struct reply_field){1, "ID"}, type);
	for (int i = 0; i < TYPE_PART_COUNT; i++) {
		size_t length = strcspn(at, ":");

		reply_text(writer, parts[i], at, length);
		at += length + (at[length] == ':');
	}
	reply_end(writer);
}

int querier_types(const struct querier_call *call, struct reply_writer *writer)
{
	struct selector all = {0};
	struct label_list list;
	int r = selector_parse("{}", 2, &all, (char[SELECTOR_ERROR_BYTES_MAX]){""});

	if (r < 0)
		return r;
	r = read_list(call, TYPE_LABEL, &all, &list);
	selector_done(&all);
	if (r < 0)
		return r;
	if (label_list_count(&list) > 0)
		reply_begin_list(writer, (struct reply_field){1, "profileTypes"});
	for (uint32_t i = 0; i < label_list_count(&list); i++)
		write_type(writer, label_list_text(&list, i));
	if (label_list_count(&list) > 0)
		reply_end_list(writer);
	label_list_done(&list);
	return 0;
}

/* ---- Labels ---- */

static bool is_plain_name(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c != '_' && !isalpha(c) && (i == 0 || !isdigit(c)))
			return false;
	}
	return length > 0;
}

/* Clients that quote names take any; others would write selectors that cannot be read. */
static bool takes_any_name(const struct querier_call *call)
{
	return call->http->accept &&
		strstr(call->http->accept, "allow-utf8-labelnames=true") != NULL;
}

static void write_texts(
	struct reply_writer *writer, const struct label_list *list, bool plain_names_only)
{
	const struct reply_field field = {1, "names"};
	bool begun = false;

	for (uint32_t i = 0; i < label_list_count(list); i++) {
		const char *text = label_list_text(list, i);
		size_t length = label_list_length(list, i);

		if (plain_names_only && !is_plain_name(text, length))
			continue;
		if (!begun)
			reply_begin_list(writer, field);
		begun = true;
		reply_text(writer, field, text, length);
	}
	if (begun)
		reply_end_list(writer);
}

static int write_list(const struct querier_call *call, const char *label, bool plain_names_only,
	struct reply_writer *writer)
{
	struct selector selector;
	struct label_list list;
	int r = querier_matchers(call, &selector);

	if (r < 0)
		return r;
	r = read_list(call, label, &selector, &list);
	selector_done(&selector);
	if (r < 0)
		return r;
	write_texts(writer, &list, plain_names_only);
	label_list_done(&list);
	return 0;
}

int querier_label_names(const struct querier_call *call, struct reply_writer *writer)
{
	return write_list(call, NULL, !takes_any_name(call), writer);
}

int querier_label_values(const struct querier_call *call, struct reply_writer *writer)
{
	const char *name = call->asked->name;

	if (!*name)
		return ingest_refuse(
			call->fault, -EINVAL, "name: a label must stand here, as service_name");
	/* There the name of a metric is that of a profile type. */
	if (strcmp(name, "__name__") == 0)
		name = TYPE_LABEL;
	return write_list(call, name, false, writer);
}

/* ---- Series ---- */

static int compare_names(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void write_label(
	void *context, const char *name, size_t name_length, const char *value, size_t value_length)
{
	struct reply_writer *writer = context;

	reply_begin(writer, (struct reply_field){1, "labels"});
	reply_text(writer, (struct reply_field){1, "name"}, name, name_length);
	reply_text(writer, (struct reply_field){2, "value"}, value, value_length);
	reply_end(writer);
}

static void write_series(struct reply_writer *writer, const struct series_list *list)
{
	const struct reply_field sets = {2, "labelsSet"}, labels = {1, "labels"};

	if (series_list_count(list) > 0)
		reply_begin_list(writer, sets);
	for (uint32_t i = 0; i < series_list_count(list); i++) {
		reply_begin(writer, sets);
		reply_begin_list(writer, labels);
		series_list_visit(list, i, write_label, writer);
		reply_end_list(writer);
		reply_end(writer);
	}
	if (series_list_count(list) > 0)
		reply_end_list(writer);
}

static int add_profile(void *list, const struct profile *profile)
{
	return series_list_add(list, profile);
}

static int read_series(
	const struct querier_call *call, const struct selector *selector, struct series_list *list)
{
	struct query_read read = {.selector = selector,
		.range = list->filter.range,
		.detail = query_run_detail(selector, NULL, false),
		.add = add_profile,
		.context = list};
	struct partial partial;
	struct query_run run;
	int r;

	query_run_begin(&run, call->site, call->http);
	r = query_run_read(&run, &read, &partial);
	query_run_end(&run);
	return r;
}

int querier_series(const struct querier_call *call, struct reply_writer *writer)
{
	const char *names[QUERIER_TEXT_COUNT_MAX];
	uint32_t count = call->asked->names.count;
	struct series_list list;
	struct selector selector;
	int r = querier_matchers(call, &selector);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < count; i++)
		names[i] = call->asked->names.texts[i];
	if (count > 0)
		qsort(names, count, sizeof(names[0]), compare_names);
	r = series_list_init(&list, &selector, querier_list_range(call, call->asked), names, count);
	if (r == 0)
		r = read_series(call, &selector, &list);
	if (r == 0)
		write_series(writer, &list);
	series_list_done(&list);
	selector_done(&selector);
	return r;
}

/* ---- What there is ---- */

int querier_stats(const struct querier_call *call, struct reply_writer *writer)
{
	struct profile_store_stats stats;

	profile_store_stats(call->site->store, &stats);
	reply_boolean(writer, (struct reply_field){1, "dataIngested"}, stats.newest_ns > 0);
	reply_number(writer, (struct reply_field){2, "oldestProfileTime"},
		(int64_t)(stats.oldest_ns / NS_PER_MILLISECOND));
	reply_number(writer, (struct reply_field){3, "newestProfileTime"},
		(int64_t)(stats.newest_ns / NS_PER_MILLISECOND));
	return 0;
}
