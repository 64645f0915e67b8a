/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route.h"

#include <errno.h>
#include <string.h>

#include "store/base/json_writer.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/query/flame.h"

/* Values of one label in an answer: a list that a person can look through. */
#define LABEL_VALUE_COUNT_DEFAULT 1000
#define LABEL_VALUE_COUNT_MAX LISTING_ROW_COUNT_MAX

/* One listing route: how it adds a profile and how it writes what came of it. */
struct list_route {
	/* Rows are of on-CPU time unless the query names another type: their values can be
	 * compared then. */
	bool on_cpu;
	profile_list_fn add;
	void (*write)(struct json_writer *json, const struct listing *listing, const void *context);
	const void *context;
};

/* HOST=: short for a matcher. */
static int add_host_param(const struct http_request *request, struct query_params *params)
{
	const char *host = http_request_param(request, "host");

	return host && *host ? selector_add_equal(&params->selector, "host", host) : 0;
}

static void answer_list(const struct site *site, const struct http_request *request,
	struct http_answer *answer, const struct list_route *route)
{
	struct query_params params;
	struct json_writer json;
	struct listing listing = {0};
	int r;

	if (!query_params_read(
		    request, clock_read(&site->clock).realtime_ns, false, answer, &params))
		return;
	if (route->on_cpu && !params.selector.type)
		params.selector.type = PROFILE_TYPE_ON_CPU;
	r = add_host_param(request, &params);
	if (r == 0)
		r = profile_list(&listing, site, request, &params, route->add, route->context);
	if (r < 0) {
		query_params_done(&params);
		profile_query_answer_error(answer, r);
		return;
	}
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	json_begin_object(&json);
	route->write(&json, &listing, route->context);
	json_end_object(&json);
	listing_done(&listing);
	query_params_done(&params);
}

static void write_string(
	struct json_writer *json, const char *key, const struct listing *listing, uint32_t string)
{
	json_key(json, key);
	json_text(json, string_table_text(&listing->strings, string),
		string_table_length(&listing->strings, string));
}

static void write_sums(struct json_writer *json, const struct listing_row *row)
{
	json_key(json, "samples");
	json_unsigned(json, row->sample_count);
	json_key(json, "value");
	json_signed(json, row->value);
}

static int add_host(struct listing *listing, const struct profile *profile, const void *context)
{
	(void)context;
	return listing_add_host(listing, profile);
}

static void write_hosts(
	struct json_writer *json, const struct listing *listing, const void *context)
{
	(void)context;
	json_key(json, "hosts");
	json_begin_array(json);
	for (uint32_t i = 0; i < listing->count; i++) {
		const struct listing_row *row = &listing->rows[i];

		json_begin_object(json);
		write_string(json, "host", listing, row->texts[0]);
		json_key(json, "first_seen");
		json_unsigned(json, row->first_seen_ns);
		json_key(json, "last_seen");
		json_unsigned(json, row->last_seen_ns);
		write_sums(json, row);
		write_string(json, "kernel", listing, row->kernel_release);
		write_string(json, "collector", listing, row->collector_version);
		json_end_object(json);
	}
	json_end_array(json);
}

void route_hosts(void *site, const struct http_request *request, struct http_answer *answer)
{
	static const struct list_route route = {
		.on_cpu = true, .add = add_host, .write = write_hosts};

	answer_list(site, request, answer, &route);
}

static int add_process(struct listing *listing, const struct profile *profile, const void *context)
{
	static const char *const names[LISTING_TEXT_COUNT_MAX] = {
		"process", "service_name", "host"};

	(void)context;
	return listing_add_labels(listing, profile, names);
}

static void write_processes(
	struct json_writer *json, const struct listing *listing, const void *context)
{
	(void)context;
	json_key(json, "processes");
	json_begin_array(json);
	for (uint32_t i = 0; i < listing->count; i++) {
		const struct listing_row *row = &listing->rows[i];

		json_begin_object(json);
		write_string(json, "process", listing, row->texts[0]);
		write_string(json, "service_name", listing, row->texts[1]);
		write_string(json, "host", listing, row->texts[2]);
		write_sums(json, row);
		json_end_object(json);
	}
	json_end_array(json);
}

void route_processes(void *site, const struct http_request *request, struct http_answer *answer)
{
	static const struct list_route route = {
		.on_cpu = true, .add = add_process, .write = write_processes};

	answer_list(site, request, answer, &route);
}

static int add_types(struct listing *listing, const struct profile *profile, const void *context)
{
	(void)context;
	return listing_add_types(listing, profile);
}

static void write_types(
	struct json_writer *json, const struct listing *listing, const void *context)
{
	(void)context;
	json_key(json, "types");
	json_begin_array(json);
	for (uint32_t i = 0; i < listing->count; i++) {
		json_begin_object(json);
		write_string(json, "id", listing, listing->rows[i].texts[0]);
		write_sums(json, &listing->rows[i]);
		json_key(json, "unit");
		json_string(json, flame_unit_text(flame_unit_of_type(listing_text(listing, i, 0))));
		json_end_object(json);
	}
	json_end_array(json);
}

void route_types(void *site, const struct http_request *request, struct http_answer *answer)
{
	static const struct list_route route = {.add = add_types, .write = write_types};

	answer_list(site, request, answer, &route);
}

static int add_label_names(
	struct listing *listing, const struct profile *profile, const void *context)
{
	(void)context;
	return listing_add_label_names(listing, profile);
}

static void write_label_names(
	struct json_writer *json, const struct listing *listing, const void *context)
{
	(void)context;
	json_key(json, "labels");
	json_begin_array(json);
	for (uint32_t i = 0; i < listing->count; i++)
		json_string(json, listing_text(listing, i, 0));
	json_end_array(json);
}

/* The values of one label. */
struct label_values {
	const char *name;
	uint32_t count_max;
};

static int add_label_values(
	struct listing *listing, const struct profile *profile, const void *context)
{
	const struct label_values *values = context;
	const char *const names[LISTING_TEXT_COUNT_MAX] = {values->name};

	return listing_add_labels(listing, profile, names);
}

static void write_label_values(
	struct json_writer *json, const struct listing *listing, const void *context)
{
	const struct label_values *values = context;

	json_key(json, "name");
	json_string(json, values->name);
	json_key(json, "value_count");
	json_unsigned(json, listing->count);
	json_key(json, "values");
	json_begin_array(json);
	for (uint32_t i = 0; i < listing->count && i < values->count_max; i++) {
		json_begin_object(json);
		write_string(json, "label", listing, listing->rows[i].texts[0]);
		write_sums(json, &listing->rows[i]);
		json_end_object(json);
	}
	json_end_array(json);
}

void route_labels(void *site, const struct http_request *request, struct http_answer *answer)
{
	static const uint32_t bounds[2] = {1, LABEL_VALUE_COUNT_MAX};
	struct label_values values = {.name = http_request_param(request, "name")};
	struct list_route route = {.add = add_label_names, .write = write_label_names};

	if (values.name && *values.name) {
		if (!query_params_number(request, "limit", bounds, LABEL_VALUE_COUNT_DEFAULT,
			    answer, &values.count_max))
			return;
		route = (struct list_route){.on_cpu = true,
			.add = add_label_values,
			.write = write_label_values,
			.context = &values};
	}
	answer_list(site, request, answer, &route);
}
