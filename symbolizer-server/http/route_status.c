/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route.h"

#include <stdlib.h>
#include <string.h>

#include "proto/wire/collector_counter.h"
#include "proto/wire/collector_feature.h"
#include "store/base/json_writer.h"
#include "store/disk/profile_store.h"
#include "symbolizer-server/guard/label_guard.h"
#include "symbolizer-server/http/chain_json.h"
#include "symbolizer-server/http/counter_list.h"
#include "symbolizer-server/http/debuginfod_json.h"
#include "symbolizer-server/http/metrics_text.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/status/host_board.h"
#include "symbolizer-server/status/warning.h"
#include "symbolizer-server/symbol/symbolizer.h"

/* Modules without names that are listed; the counters tell how many there are. */
#define UNNAMED_COUNT_MAX 200
/* Warnings that are listed; a count tells how many there are. */
#define WARNING_COUNT_MAX 50

static void write_counter(void *context, const char *part, const struct counted *counted)
{
	struct json_writer *json = context;

	json_begin_object(json);
	json_key(json, "part");
	json_string(json, part);
	json_key(json, "name");
	json_string(json, counted->name);
	json_key(json, "kind");
	json_string(json, counted_is_level(counted->meaning) ? "gauge" : "counter");
	json_key(json, "value");
	json_unsigned(json, counted->value);
	json_key(json, "meaning");
	json_string(json, counted->meaning);
	json_end_object(json);
}

static void write_counters(struct json_writer *json, const struct site *site)
{
	struct counter_list_visit visit = {.counter = write_counter, .context = json};

	json_key(json, "counters");
	json_begin_array(json);
	counter_list_visit(site, &visit);
	json_end_array(json);
}

static void write_host_counters(struct json_writer *json, const struct host_entry *host)
{
	json_key(json, "counters");
	json_begin_array(json);
	for (uint32_t i = 0; i < host->counter_count; i++) {
		json_begin_object(json);
		json_key(json, "name");
		json_string(json, host->counters[i].name);
		json_key(json, "value");
		json_unsigned(json, host->counters[i].value);
		json_key(json, "meaning");
		json_string(json, collector_counter_meaning(host->counters[i].rank));
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_feature(struct json_writer *json, const struct host_feature *feature)
{
	json_begin_object(json);
	json_key(json, "name");
	json_string(json, feature->name);
	json_key(json, "state");
	json_string(json, feature->is_on ? "on" : "off");
	json_key(json, "reason");
	json_string(json, feature->reason);
	json_key(json, "loss");
	json_string(json, feature->is_on ? "" : feature_loss(feature_rank(feature->name)));
	json_key(json, "remedy");
	json_string(json, feature->remedy);
	json_end_object(json);
}

static void write_host_features(struct json_writer *json, const struct host_entry *host)
{
	json_key(json, "features");
	json_begin_array(json);
	for (uint32_t i = 0; i < host->feature_count; i++)
		write_feature(json, &host->features[i]);
	json_end_array(json);
}

static void write_host(struct json_writer *json, const struct host_entry *host, uint64_t now_ns)
{
	struct host_window recent = host_entry_recent(host, now_ns);
	double coverage = host_window_coverage(&recent);
	struct chain_readings readings;

	json_begin_object(json);
	json_key(json, "host");
	json_string(json, host->name);
	json_key(json, "kernel");
	json_string(json, host->kernel_release);
	json_key(json, "collector");
	json_string(json, host->collector_version);
	json_key(json, "last_seen");
	json_unsigned(json, host->last_seen_ns);
	json_unsigned(json_key(json, "last_received"), host->received_at_ns);
	json_key(json, "clock_skew_ns");
	json_signed(json, host->clock_skew_ns);
	json_key(json, "online_cpus");
	json_unsigned(json, host->online_cpu_count);
	json_key(json, "coverage");
	if (coverage < 0)
		json_null(json);
	else
		json_decimal(json, coverage);
	json_key(json, "busy_ns");
	json_unsigned(json, recent.busy_ns);
	json_key(json, "sampled_ns");
	json_unsigned(json, recent.sampled_ns);
	json_key(json, "idle_ns");
	json_unsigned(json, recent.idle_ns);
	json_key(json, "steal_ns");
	json_unsigned(json, recent.steal_ns);
	json_decimal(json_key(json, "samples_per_second"), host_window_sample_rate(&recent));
	json_unsigned(json_key(json, "samples_stored"), host->sample_count);
	write_host_features(json, host);
	chain_read_host(host, &readings);
	chain_write_json(json, &readings, CHAIN_HOST);
	write_host_counters(json, host);
	json_end_object(json);
}

static void write_hosts(
	struct json_writer *json, const struct host_snapshot *hosts, uint64_t now_ns)
{
	json_key(json, "hosts");
	json_begin_array(json);
	for (uint32_t i = 0; i < hosts->count; i++)
		write_host(json, &hosts->entries[i], now_ns);
	json_end_array(json);
}

struct warning_list {
	struct json_writer *json;
	uint32_t count;
};

static void write_warning(void *context, const struct warning *warning)
{
	struct warning_list *list = context;

	if (list->count++ >= WARNING_COUNT_MAX)
		return;
	json_begin_object(list->json);
	json_string(json_key(list->json, "level"), warning->is_error ? "error" : "warning");
	json_string(json_key(list->json, "host"), warning->host ? warning->host : "");
	json_string(json_key(list->json, "text"), warning->text);
	json_string(json_key(list->json, "remedy"), warning->remedy);
	json_end_object(list->json);
}

static void warn_of_labels(void *context, const struct label_guard_case *one)
{
	warning_of_labels(one, write_warning, context);
}

static void write_warnings(struct json_writer *json, const struct site *site,
	const struct profile_store_stats *stats, const struct chain_readings *readings,
	const struct host_snapshot *hosts)
{
	uint64_t now_ns = clock_read(&site->clock).realtime_ns;
	struct warning_list list = {.json = json};

	json_begin_array(json_key(json, "warnings"));
	warning_of_store(stats, write_warning, &list);
	if (site->label_guard)
		label_guard_visit(site->label_guard, warn_of_labels, &list);
	for (uint32_t i = 0; i < readings->count; i++) {
		if (readings->stages[i].stage->place == CHAIN_SERVER)
			warning_of_stage(&readings->stages[i], NULL, write_warning, &list);
	}
	for (uint32_t i = 0; i < hosts->count; i++) {
		struct chain_readings of_host;

		chain_read_host(&hosts->entries[i], &of_host);
		for (uint32_t j = 0; j < of_host.count; j++)
			warning_of_stage(
				&of_host.stages[j], hosts->entries[i].name, write_warning, &list);
		warning_of_host(&hosts->entries[i], now_ns, write_warning, &list);
	}
	json_end_array(json);
	json_unsigned(json_key(json, "warning_count"), list.count);
}

static void write_store(struct json_writer *json, const struct profile_store_stats *store_stats)
{
	const struct profile_store_stats stats = *store_stats;

	json_key(json, "store");
	json_begin_object(json);
	json_key(json, "oldest");
	json_unsigned(json, stats.oldest_ns);
	json_key(json, "newest");
	json_unsigned(json, stats.newest_ns);
	json_key(json, "bytes");
	json_unsigned(json, stats.bytes);
	json_key(json, "files");
	json_unsigned(json, stats.file_count);
	json_unsigned(json_key(json, "segments"), stats.segment_count);
	json_unsigned(json_key(json, "segment_bytes"), stats.segment_bytes);
	json_unsigned(json_key(json, "cache_bytes"), stats.cache_bytes);
	json_unsigned(json_key(json, "disk_bytes"), stats.disk_bytes);
	json_unsigned(json_key(json, "disk_free_bytes"), stats.disk_free_bytes);
	json_key(json, "full");
	json_boolean(json, stats.full);
	json_end_object(json);
}

struct module_list {
	struct symbol_module_state *states;
	uint32_t count;
};

/* Called with a lock held: only copies. */
static bool keep_unnamed(void *context, const struct symbol_module_state *state)
{
	struct module_list *list = context;

	if (state->quality == SYMBOL_QUALITY_NONE)
		list->states[list->count++] = *state;
	return list->count < UNNAMED_COUNT_MAX;
}

static void write_module(struct json_writer *json, const struct symbol_module_state *state)
{
	char id[BUILD_ID_TEXT_MAX];

	build_id_format(&state->id, id);
	json_begin_object(json);
	json_key(json, "module");
	json_string(json, state->name);
	json_key(json, "build_id");
	json_string(json, id);
	json_key(json, "pending");
	json_boolean(json, state->pending);
	json_key(json, "state");
	json_string(json, state->text);
	json_end_object(json);
}

static int write_modules(struct json_writer *json, const struct site *site)
{
	struct module_list list = {.states = calloc(UNNAMED_COUNT_MAX, sizeof(*list.states))};

	if (!list.states)
		return -1;
	if (site->symbolizer)
		symbolizer_visit_modules(site->symbolizer, keep_unnamed, &list);
	json_key(json, "unnamed_modules");
	json_begin_array(json);
	for (uint32_t i = 0; i < list.count; i++)
		write_module(json, &list.states[i]);
	json_end_array(json);
	free(list.states);
	return 0;
}

void route_status(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	uint64_t now_ns = clock_read(&site->clock).realtime_ns;
	struct profile_store_stats stats;
	struct chain_readings readings;
	struct host_snapshot hosts;
	struct json_writer json;
	int r = host_board_snapshot(site->hosts, &hosts);

	(void)request;
	if (r < 0) {
		http_answer_error(answer, 503, "out of memory; try again later");
		return;
	}
	profile_store_stats(site->store, &stats);
	chain_read_all(site, &hosts, &readings);
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	json_begin_object(&json);
	json_key(&json, "version");
	json_string(&json, CAIRN_VERSION);
	json_key(&json, "now");
	json_unsigned(&json, now_ns);
	json_key(&json, "started_at");
	json_unsigned(&json, site->started_at_ns);
	write_warnings(&json, site, &stats, &readings, &hosts);
	write_store(&json, &stats);
	chain_write_json(&json, &readings, -1);
	write_hosts(&json, &hosts, now_ns);
	host_snapshot_done(&hosts);
	write_counters(&json, site);
	debuginfod_json_write(json_key(&json, "debuginfod"),
		site->symbolizer ? symbolizer_servers(site->symbolizer) : NULL);
	r = write_modules(&json, site);
	json_end_object(&json);
	if (r < 0)
		http_answer_error(answer, 503, "out of memory; try again later");
}

void route_metrics(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;

	if (metrics_text_write(site, request,
		    http_answer_begin(answer, 200, "text/plain; version=0.0.4; charset=utf-8")) < 0)
		http_answer_error(answer, 503, "out of memory; try again later");
}

static void answer_word(struct http_answer *answer, const char *word)
{
	struct bytes_writer *body = http_answer_begin(answer, 200, "text/plain; charset=utf-8");

	bytes_write_span(body, word, strlen(word));
}

void route_healthz(void *context, const struct http_request *request, struct http_answer *answer)
{
	(void)context;
	(void)request;
	answer_word(answer, "ok\n");
}

/* In Prometheus' form: Grafana asks it of any data source to learn what it can do. */
void route_buildinfo(void *context, const struct http_request *request, struct http_answer *answer)
{
	struct json_writer json;

	(void)context;
	(void)request;
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	json_begin_object(&json);
	json_string(json_key(&json, "status"), "success");
	json_begin_object(json_key(&json, "data"));
	json_string(json_key(&json, "version"), CAIRN_VERSION);
	json_string(json_key(&json, "revision"), "");
	json_string(json_key(&json, "branch"), "");
	json_string(json_key(&json, "goVersion"), "");
	json_end_object(&json);
	json_end_object(&json);
}

void route_readyz(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;

	(void)request;
	if (atomic_load(&site->ready))
		answer_word(answer, "ready\n");
	else
		http_answer_error(answer, 503, "starting or stopping; try again in a moment");
}
