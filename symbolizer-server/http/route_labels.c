/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "store/base/json_writer.h"
#include "symbolizer-server/http/label_list.h"
#include "symbolizer-server/http/listing_query.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/http/route.h"

/* ---- What the routes share ---- */

static const char *text_param(const struct http_request *request, const char *name)
{
	const char *text = http_request_param(request, name);

	return text && *text ? text : NULL;
}

/* NAME: the parameter that names the label; NULL: the page is of names. */
static bool read_page(const struct http_request *request, const char *name,
	struct http_answer *answer, struct label_page *ret_page)
{
	static const uint32_t bounds[2] = {1, LABEL_LIST_LIMIT_MAX};

	*ret_page = (struct label_page){
		.name = name ? text_param(request, name) : NULL,
		.prefix = text_param(request, "prefix"),
		.after = text_param(request, "after"),
	};
	return query_params_number(
		request, "limit", bounds, LABEL_LIST_LIMIT_DEFAULT, answer, &ret_page->limit);
}

static void write_texts(struct json_writer *json, const struct label_list *list)
{
	json_begin_array(json);
	for (uint32_t i = 0; i < label_list_count(list); i++)
		json_text(json, label_list_text(list, i), label_list_length(list, i));
	json_end_array(json);
}

/* ---- Ours ---- */

/* What `after` is to be for the next page. */
static void write_next(struct json_writer *json, const struct label_list *list)
{
	uint32_t count = label_list_count(list);

	if (list->more && count > 0)
		json_text(json_key(json, "next"), label_list_text(list, count - 1),
			label_list_length(list, count - 1));
}

static void write_values(
	struct json_writer *json, const struct label_page *page, const struct label_list *list)
{
	json_string(json_key(json, "name"), page->name);
	json_begin_array(json_key(json, "values"));
	for (uint32_t i = 0; i < label_list_count(list); i++) {
		json_begin_object(json);
		json_text(json_key(json, "label"), label_list_text(list, i),
			label_list_length(list, i));
		json_end_object(json);
	}
	json_end_array(json);
	write_next(json, list);
}

/* How many there are on all pages, up to LABEL_LIST_LIMIT_MAX. */
static int count_all(const struct site *site, const struct http_request *request,
	const struct query_params *params, const struct label_page *page, uint32_t *ret_count)
{
	struct label_page all = {
		.name = page->name, .prefix = page->prefix, .limit = LABEL_LIST_LIMIT_MAX};
	struct label_list list;
	int r = label_list_read(site, request, params, &all, &list);

	if (r < 0)
		return r;
	*ret_count = label_list_count(&list);
	label_list_done(&list);
	return 0;
}

static void answer_list(const struct site *site, const struct http_request *request,
	const struct query_params *params, const struct label_page *page,
	struct http_answer *answer)
{
	const char *total = text_param(request, "total");
	struct json_writer json;
	struct label_list list;
	uint32_t count = 0;
	int r = total ? count_all(site, request, params, page, &count) : 0;

	if (r == 0)
		r = label_list_read(site, request, params, page, &list);
	if (r < 0) {
		profile_query_answer_error(answer, r);
		return;
	}
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	json_begin_object(&json);
	if (page->name) {
		write_values(&json, page, &list);
	} else {
		write_texts(json_key(&json, "labels"), &list);
		write_next(&json, &list);
	}
	if (total)
		json_unsigned(json_key(&json, "value_count"), count);
	json_end_object(&json);
	label_list_done(&list);
}

static int add_values(struct listing *listing, const struct profile *profile, const void *context)
{
	const struct label_page *page = context;
	const char *const names[LISTING_TEXT_COUNT_MAX] = {page->name};

	return listing_add_labels(listing, profile, names);
}

static void write_counted(
	struct json_writer *json, const struct label_page *page, const struct listing *listing)
{
	uint32_t count = 0, given = 0;

	json_string(json_key(json, "name"), page->name);
	json_begin_array(json_key(json, "values"));
	for (uint32_t i = 0; i < listing->count; i++) {
		const struct listing_row *row = &listing->rows[i];

		if (page->prefix &&
			strncmp(listing_text(listing, i, 0), page->prefix, strlen(page->prefix)) !=
				0)
			continue;
		count++;
		if (given == page->limit)
			continue;
		given++;
		json_begin_object(json);
		json_text(json_key(json, "label"), listing_text(listing, i, 0),
			string_table_length(&listing->strings, row->texts[0]));
		json_unsigned(json_key(json, "samples"), row->sample_count);
		json_signed(json_key(json, "value"), row->value);
		json_end_object(json);
	}
	json_end_array(json);
	json_unsigned(json_key(json, "value_count"), count);
}

/* The values with the most time first: what each has is summed from the profiles. */
static void answer_counted(const struct site *site, const struct http_request *request,
	const struct query_params *params, const struct label_page *page,
	struct http_answer *answer)
{
	const struct listing_query query = {
		.site = site,
		.request = request,
		.params = params,
		.add = add_values,
		.context = page,
		.needs_rows = listing_query_needs_rows(page->name),
	};
	struct json_writer json;
	struct listing listing;
	int r = listing_query_run(&query, &listing);

	if (r < 0) {
		profile_query_answer_error(answer, r);
		return;
	}
	listing_sort(&listing);
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	json_begin_object(&json);
	write_counted(&json, page, &listing);
	json_end_object(&json);
	listing_done(&listing);
}

/* Whether sums are asked for. False as a result: answered. */
static bool read_counts(const struct http_request *request, const struct label_page *page,
	struct http_answer *answer, bool *ret_counts)
{
	const char *counts = text_param(request, "counts");

	*ret_counts = counts && strcmp(counts, "yes") == 0;
	if (counts && !*ret_counts && strcmp(counts, "no") != 0) {
		http_answer_error(answer, 400, "counts: yes or no must stand here");
		return false;
	}
	if (*ret_counts && (!page->name || page->after)) {
		http_answer_error(answer, 400,
			"counts=yes: the values of one label (name=) are counted, the largest "
			"first; pages (after=) are of lists without counts");
		return false;
	}
	return true;
}

void route_labels(void *site, const struct http_request *request, struct http_answer *answer)
{
	struct query_params params;
	struct label_page page;
	bool counts;

	if (!read_page(request, "name", answer, &page) ||
		!read_counts(request, &page, answer, &counts) ||
		!listing_query_params(site, request, answer, &params))
		return;
	if (counts) {
		/* Values can be compared then. */
		if (!params.selector.type)
			params.selector.type = PROFILE_TYPE_ON_CPU;
		answer_counted(site, request, &params, &page, answer);
	} else {
		answer_list(site, request, &params, &page, answer);
	}
	query_params_done(&params);
}

/* ---- Pyroscope's ---- */

static void answer_array(struct site *site, const struct http_request *request,
	const struct label_page *page, struct http_answer *answer)
{
	struct query_params params;
	struct json_writer json;
	struct label_list list;
	int r;

	if (!listing_query_params(site, request, answer, &params))
		return;
	r = label_list_read(site, request, &params, page, &list);
	query_params_done(&params);
	if (r < 0) {
		profile_query_answer_error(answer, r);
		return;
	}
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	write_texts(&json, &list);
	label_list_done(&list);
}

void route_pyroscope_labels(
	void *site, const struct http_request *request, struct http_answer *answer)
{
	struct label_page page;

	if (read_page(request, NULL, answer, &page))
		answer_array(site, request, &page, answer);
}

void route_pyroscope_label_values(
	void *site, const struct http_request *request, struct http_answer *answer)
{
	struct label_page page;

	if (!read_page(request, "label", answer, &page))
		return;
	if (!page.name) {
		http_answer_error(
			answer, 400, "label: the name of a label must stand here, as service_name");
		return;
	}
	/* There the name of a metric is that of a profile type. */
	if (strcmp(page.name, "__name__") == 0)
		page.name = "__profile_type__";
	answer_array(site, request, &page, answer);
}
