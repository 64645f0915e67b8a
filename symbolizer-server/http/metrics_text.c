/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/metrics_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/wire/collector_counter.h"
#include "store/base/cleanup.h"
#include "store/base/utf8.h"
#include "symbolizer-server/http/chain_json.h"
#include "symbolizer-server/http/counter_list.h"
#include "symbolizer-server/http/watch_list.h"
#include "symbolizer-server/status/host_board.h"
#include "symbolizer-server/symbol/debuginfod_servers.h"
#include "symbolizer-server/symbol/symbolizer.h"

/* A host has about a hundred metrics of its own: so many are 8 MB of text, and 100,000 series at
 * whoever reads them. */
#define METRICS_HOST_COUNT_MAX 1000
/* Longer queries are cut in their label. */
#define METRICS_QUERY_BYTES_MAX 1024

static void print(struct bytes_writer *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void print(struct bytes_writer *out, const char *format, ...)
{
	char line[512];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length > 0)
		bytes_write_span(out, line,
			(size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

static void write_head(
	struct bytes_writer *out, const char *name, const char *type, const char *help)
{
	print(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* `duplicates` of the store becomes `cairn_store_duplicates_total`. */
static void write_counter(void *context, const char *part, const struct counted *counted)
{
	struct bytes_writer *out = context;
	size_t part_length = strlen(part);
	/* `symbol_...` stands for `symbols`, so a final s does not count. */
	size_t stem = part[part_length - 1] == 's' ? part_length - 1 : part_length;
	bool prefixed = strncmp(counted->name, part, stem) == 0 && counted->name[stem] == '_';
	char name[128];

	snprintf(name, sizeof(name), "cairn_%s%s%s%s", prefixed ? "" : part, prefixed ? "" : "_",
		counted->name, counted_is_level(counted->meaning) ? "" : "_total");
	write_head(out, name, counted_is_level(counted->meaning) ? "gauge" : "counter",
		counted->meaning);
	print(out, "%s %" PRIu64 "\n", name, counted->value);
}

/* Inside of a label's quotes. */
static void write_label(struct bytes_writer *out, const char *text)
{
	for (const char *at = text; *at; at++) {
		size_t plain = strcspn(at, "\"\\\n");

		utf8_write(out, at, plain);
		at += plain;
		if (!*at)
			break;
		print(out, "\\%c", *at == '\n' ? 'n' : *at);
	}
}

static void write_host_name(struct bytes_writer *out, const struct host_entry *host)
{
	print(out, "host=\"");
	write_label(out, host->name);
	print(out, "\"");
}

struct host_metric {
	const char *name;
	const char *help;
	double (*value)(const struct host_entry *host, uint64_t now_ns);
};

static double last_seen(const struct host_entry *host, uint64_t now_ns)
{
	(void)now_ns;
	return (double)host->last_seen_ns / (double)NS_PER_S;
}

static double last_received(const struct host_entry *host, uint64_t now_ns)
{
	(void)now_ns;
	return (double)host->received_at_ns / (double)NS_PER_S;
}

static double clock_skew(const struct host_entry *host, uint64_t now_ns)
{
	(void)now_ns;
	return (double)host->clock_skew_ns / (double)NS_PER_S;
}

static double coverage(const struct host_entry *host, uint64_t now_ns)
{
	struct host_window recent = host_entry_recent(host, now_ns);

	return host_window_coverage(&recent);
}

static void write_host_metric(struct bytes_writer *out, const struct host_metric *metric,
	const struct host_snapshot *snapshot, uint64_t now_ns)
{
	write_head(out, metric->name, "gauge", metric->help);
	for (uint32_t i = 0; i < snapshot->count && i < METRICS_HOST_COUNT_MAX; i++) {
		double value = metric->value(&snapshot->entries[i], now_ns);

		print(out, "%s{", metric->name);
		write_host_name(out, &snapshot->entries[i]);
		print(out, "} %.6f\n", value);
	}
}

/* The counters of one RANK of all hosts stand together: CURSORS walk the hosts' lists, which are in
 * the order of ranks. */
static void write_rank(struct bytes_writer *out, uint32_t rank, const struct host_snapshot *hosts,
	uint32_t host_count, uint32_t *cursors)
{
	const char *meaning = collector_counter_meaning(rank);
	bool is_level = counted_is_level(meaning), has_head = false;
	char name[128];

	snprintf(name, sizeof(name), "cairn_host_%s%s", collector_counter_name(rank),
		is_level ? "" : "_total");
	for (uint32_t i = 0; i < host_count; i++) {
		const struct host_entry *host = &hosts->entries[i];
		uint32_t *at = &cursors[i];

		while (*at < host->counter_count && host->counters[*at].rank < rank)
			(*at)++;
		if (*at >= host->counter_count || host->counters[*at].rank != rank)
			continue;
		if (!has_head)
			write_head(out, name, is_level ? "gauge" : "counter", meaning);
		has_head = true;
		print(out, "%s{", name);
		write_host_name(out, host);
		print(out, "} %" PRIu64 "\n", host->counters[*at].value);
	}
}

static int write_host_counters(struct bytes_writer *out, const struct host_snapshot *hosts)
{
	uint32_t host_count =
		hosts->count < METRICS_HOST_COUNT_MAX ? hosts->count : METRICS_HOST_COUNT_MAX;
	SCOPED_FREE uint32_t *cursors = calloc((size_t)host_count + 1, sizeof(*cursors));

	if (!cursors)
		return -ENOMEM;
	for (uint32_t rank = 0; rank < COLLECTOR_COUNTER_COUNT; rank++)
		write_rank(out, rank, hosts, host_count, cursors);
	write_head(out, "cairn_hosts", "gauge", "hosts that sent something, now");
	print(out, "cairn_hosts %" PRIu32 "\n", hosts->count);
	write_head(out, "cairn_hosts_left_out", "gauge",
		"hosts without metrics of their own, because there are too many, now");
	print(out, "cairn_hosts_left_out %" PRIu32 "\n", hosts->count - host_count);
	return 0;
}

static void write_unaccounted_of(struct bytes_writer *out, const struct chain_readings *readings,
	enum chain_place place, const struct host_entry *host)
{
	for (uint32_t i = 0; i < readings->count; i++) {
		const struct chain_reading *reading = &readings->stages[i];

		if (!reading->known || reading->stage->place != place)
			continue;
		print(out, "cairn_unaccounted{stage=\"%s\",unit=\"%s\"", reading->stage->name,
			reading->stage->unit);
		if (host) {
			print(out, ",");
			write_host_name(out, host);
		}
		print(out, "} %" PRIu64 "\n", reading->unaccounted);
	}
}

static void write_unaccounted(
	struct bytes_writer *out, const struct site *site, const struct host_snapshot *hosts)
{
	struct chain_readings readings;

	write_head(out, "cairn_unaccounted", "gauge",
		"what came into a stage and was neither passed on nor counted as lost: 0, or a "
		"fault of Cairn's own");
	chain_read_all(site, hosts, &readings);
	write_unaccounted_of(out, &readings, CHAIN_SERVER, NULL);
	for (uint32_t i = 0; i < hosts->count && i < METRICS_HOST_COUNT_MAX; i++) {
		chain_read_host(&hosts->entries[i], &readings);
		write_unaccounted_of(out, &readings, CHAIN_HOST, &hosts->entries[i]);
	}
}

/* Each debuginfod server by itself: of several, one that fails is hidden in their sum. */
static void write_debuginfod(struct bytes_writer *out, struct debuginfod_servers *servers)
{
	uint32_t count = servers ? debuginfod_servers_count(servers) : 0;

	for (int i = 0; count > 0 && i < DEBUGINFOD_SERVER_COUNTER_COUNT; i++) {
		enum debuginfod_server_counter counter = (enum debuginfod_server_counter)i;
		const char *meaning = debuginfod_counter_meaning(counter);
		bool is_level = counted_is_level(meaning);
		char name[64];

		snprintf(name, sizeof(name), "cairn_debuginfod_server_%s%s",
			debuginfod_counter_name(counter), is_level ? "" : "_total");
		write_head(out, name, is_level ? "gauge" : "counter", meaning);
		for (uint32_t j = 0; j < count; j++) {
			struct debuginfod_server_state state;

			debuginfod_servers_read(servers, j, &state);
			print(out, "%s{server=\"", name);
			write_label(out, state.url);
			print(out, "\"} %" PRIu64 "\n", state.counts[i]);
		}
	}
}

static void write_share(void *context, const struct watch_share *share)
{
	struct bytes_writer *out = context;
	char query[METRICS_QUERY_BYTES_MAX];

	snprintf(query, sizeof(query), "%.*s", (int)share->rule->query_length, share->rule->text);
	print(out, "cairn_function_share{function=\"");
	write_label(out, watch_rule_function(share->rule));
	print(out, "\",query=\"");
	write_label(out, query);
	print(out, "\",service_name=\"");
	write_label(out, share->service);
	print(out, "\"} %.6f\n", share->share);
}

static void write_shares(
	struct bytes_writer *out, const struct site *site, const struct http_request *request)
{
	if (!site->watches)
		return;
	write_head(out, "cairn_function_share", "gauge",
		"a watched function's share of its service in the last whole minute, what it "
		"called included");
	watch_list_visit(site->watches, site, request, write_share, out);
}

int metrics_text_write(
	const struct site *site, const struct http_request *request, struct bytes_writer *out)
{
	static const struct host_metric metrics[] = {
		{"cairn_host_last_seen_seconds",
			"end of the newest window, seconds since 1970 by the host's clock",
			last_seen},
		{"cairn_host_last_received_seconds",
			"when its last batch came, seconds since 1970 by the server's clock",
			last_received},
		{"cairn_host_clock_skew_seconds",
			"the host's clock less the server's, over its last windows", clock_skew},
		{"cairn_host_coverage_ratio",
			"samples times period over busy time of the last minutes; -1: no busy time",
			coverage},
	};
	struct counter_list_visit visit = {.counter = write_counter, .context = out};
	uint64_t now_ns = clock_read(&site->clock).realtime_ns;
	struct host_snapshot snapshot;
	int r = host_board_snapshot(site->hosts, &snapshot);

	if (r < 0)
		return r;
	write_head(out, "cairn_build_info", "gauge", "1, labelled with the version");
	print(out, "cairn_build_info{version=\"%s\"} 1\n", CAIRN_VERSION);
	write_head(out, "cairn_start_time_seconds", "gauge",
		"when the server started, seconds since 1970");
	print(out, "cairn_start_time_seconds %.3f\n",
		(double)site->started_at_ns / (double)NS_PER_S);
	counter_list_visit(site, &visit);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		write_host_metric(out, &metrics[i], &snapshot, now_ns);
	r = write_host_counters(out, &snapshot);
	write_unaccounted(out, site, &snapshot);
	write_debuginfod(out, site->symbolizer ? symbolizer_servers(site->symbolizer) : NULL);
	write_shares(out, site, request);
	host_snapshot_done(&snapshot);
	return r;
}
