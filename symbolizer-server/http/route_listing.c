/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route.h"

#include <string.h>

#include "store/base/json_writer.h"
#include "store/disk/profile_store.h"
#include "symbolizer-server/http/listing_query.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/query/flame.h"
#include "symbolizer-server/status/host_board.h"

/* One listing route: how it adds a profile and how it writes what came of it. */
struct list_route {
	/* Rows are of on-CPU time unless the query names another type: their values can be
	 * compared then. */
	bool on_cpu;
	listing_add_fn add;
	/* What profiles do not tell; NULL: nothing. */
	int (*add_more)(const struct listing_query *query, struct listing *listing);
	void (*write)(
		struct json_writer *json, const struct site *site, const struct listing *listing);
};

static void answer_list(const struct site *site, const struct http_request *request,
	struct http_answer *answer, const struct list_route *route)
{
	struct query_params params;
	struct listing_query query = {
		.site = site, .request = request, .params = &params, .add = route->add};
	struct json_writer json;
	struct listing listing = {0};
	int r;

	if (!listing_query_params(site, request, answer, &params))
		return;
	if (route->on_cpu && !params.selector.type)
		params.selector.type = PROFILE_TYPE_ON_CPU;
	r = listing_query_run(&query, &listing);
	if (r == 0 && route->add_more) {
		r = route->add_more(&query, &listing);
		if (r < 0)
			listing_done(&listing);
	}
	if (r < 0) {
		query_params_done(&params);
		profile_query_answer_error(answer, r);
		return;
	}
	listing_sort(&listing);
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	json_begin_object(&json);
	route->write(&json, site, &listing);
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
	static const char *const names[LISTING_TEXT_COUNT_MAX] = {"host"};

	(void)context;
	return listing_add_labels(listing, profile, names);
}

static bool heard_in(const struct host_entry *entry, struct time_range range)
{
	return entry->received_at_ns >= range.from_ns && entry->received_at_ns < range.until_ns;
}

/* A host whose clock is wrong has its windows elsewhere: who was heard from in the range is listed
 * all the same. */
static int add_heard(const struct listing_query *query, struct listing *listing)
{
	const char *only = listing_query_only(&query->params->selector, "host");
	struct host_snapshot hosts;
	int r = host_board_snapshot(query->site->hosts, &hosts);

	for (uint32_t i = 0; r == 0 && i < hosts.count; i++) {
		const struct host_entry *entry = &hosts.entries[i];
		struct profile_store_window window = {
			.host = {entry->name, strlen(entry->name)},
			.start_ns = entry->last_seen_ns,
			.until_ns = entry->last_seen_ns,
			.received_at_ns = entry->received_at_ns,
			.kernel_release = {entry->kernel_release, strlen(entry->kernel_release)},
			.collector_version = {entry->collector_version,
				strlen(entry->collector_version)},
		};

		if (heard_in(entry, query->params->range) &&
			(!only || strcmp(only, entry->name) == 0))
			r = listing_add_window(listing, &window);
	}
	host_snapshot_done(&hosts);
	return r;
}

static int add_windows(const struct listing_query *query, struct listing *listing)
{
	int r = listing_query_windows(query, listing);

	return r == 0 && query->site->hosts ? add_heard(query, listing) : r;
}

static const struct host_entry *find_entry(const struct host_snapshot *hosts, const char *name)
{
	for (uint32_t i = 0; i < hosts->count; i++) {
		if (strcmp(hosts->entries[i].name, name) == 0)
			return &hosts->entries[i];
	}
	return NULL;
}

static void write_host(struct json_writer *json, const struct listing *listing, uint32_t index,
	const struct host_entry *entry)
{
	const struct listing_row *row = &listing->rows[index];

	json_begin_object(json);
	write_string(json, "host", listing, row->texts[0]);
	json_unsigned(json_key(json, "first_seen"), row->first_seen_ns);
	json_unsigned(json_key(json, "last_seen"), row->last_seen_ns);
	json_unsigned(json_key(json, "last_received"), row->received_at_ns);
	json_key(json, "clock_skew_ns");
	if (entry)
		json_signed(json, entry->clock_skew_ns);
	else
		json_null(json);
	write_sums(json, row);
	write_string(json, "kernel", listing, row->kernel_release);
	write_string(json, "collector", listing, row->collector_version);
	json_end_object(json);
}

static void write_hosts(
	struct json_writer *json, const struct site *site, const struct listing *listing)
{
	struct host_snapshot hosts = {0};

	/* Without memory for it nothing is known of clocks. */
	if (site->hosts)
		(void)host_board_snapshot(site->hosts, &hosts);
	json_begin_array(json_key(json, "hosts"));
	for (uint32_t i = 0; i < listing->count; i++)
		write_host(json, listing, i, find_entry(&hosts, listing_text(listing, i, 0)));
	json_end_array(json);
	host_snapshot_done(&hosts);
}

void route_hosts(void *site, const struct http_request *request, struct http_answer *answer)
{
	static const struct list_route route = {
		.on_cpu = true, .add = add_host, .add_more = add_windows, .write = write_hosts};

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
	struct json_writer *json, const struct site *site, const struct listing *listing)
{
	(void)site;
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
	struct json_writer *json, const struct site *site, const struct listing *listing)
{
	(void)site;
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
