/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/metrics_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/base/utf8.h"
#include "symbolizer-server/http/counter_list.h"
#include "symbolizer-server/status/host_board.h"

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
static void write_counter(void *context, const char *part, const struct site_counter *counter)
{
	struct bytes_writer *out = context;
	size_t part_length = strlen(part);
	/* `symbol_...` stands for `symbols`, so a final s does not count. */
	size_t stem = part[part_length - 1] == 's' ? part_length - 1 : part_length;
	bool prefixed = strncmp(counter->name, part, stem) == 0 && counter->name[stem] == '_';
	char name[128];

	snprintf(name, sizeof(name), "cairn_%s%s%s%s", prefixed ? "" : part, prefixed ? "" : "_",
		counter->name, counter->is_gauge ? "" : "_total");
	write_head(out, name, counter->is_gauge ? "gauge" : "counter", counter->meaning);
	print(out, "%s %" PRIu64 "\n", name, counter->value);
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
	for (uint32_t i = 0; i < snapshot->count; i++) {
		double value = metric->value(&snapshot->entries[i], now_ns);

		print(out, "%s{host=\"", metric->name);
		write_label(out, snapshot->entries[i].name);
		print(out, "\"} %.6f\n", value);
	}
}

int metrics_text_write(const struct site *site, struct bytes_writer *out)
{
	static const struct host_metric metrics[] = {
		{"cairn_host_last_seen_seconds",
			"end of the newest window, seconds since 1970 by the host's clock",
			last_seen},
		{"cairn_host_clock_skew_seconds",
			"the host's clock less the server's when a batch came", clock_skew},
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
	counter_list_visit(site, &visit);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		write_host_metric(out, &metrics[i], &snapshot, now_ns);
	host_snapshot_done(&snapshot);
	return 0;
}
