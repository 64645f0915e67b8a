/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/settings.h"

#include <stdlib.h>
#include <string.h>

#include "store/log/log.h"
#include "symbolizer-server/query/time_range.h"

static bool is_host_name(const char *value)
{
	return !strpbrk(value, " /");
}

static bool read_time(const char *value, uint64_t *ret_ns)
{
	const char *what;

	if (strcmp(value, "forever") == 0) {
		*ret_ns = UINT64_MAX;
		return true;
	}
	return time_parse_length(value, strlen(value), ret_ns, &what) == 0;
}

static bool read_limit(const char *value, uint64_t *ret_bytes)
{
	if (strcmp(value, "unlimited") == 0) {
		*ret_bytes = UINT64_MAX;
		return true;
	}
	return setting_read_size(value, ret_bytes);
}

#define AT(member) .offset = offsetof(struct settings, member)
#define TIME                                            \
	.read = read_time, .min = 1, .max = UINT64_MAX, \
	.wants = "a length of time, as 36h or 90d, or forever"
#define LIMIT                                            \
	.read = read_limit, .min = 1, .max = UINT64_MAX, \
	.wants = "a number of bytes, as 500M or 20G, or unlimited"
/* More than this fits no memory that is put aside for it. */
#define CAP .min = 1, .max = 10000000, .wants = "a number from 1 to 10000000"

static const struct setting rows[] = {
	{"data", "DIR", SETTING_TEXT, AT(data), .initial = "/var/lib/cairn",
		.help = "where profiles and symbols are kept"},
	{"http", "ADDR:PORT", SETTING_TEXT, AT(http_text), .initial = "127.0.0.1:4040",
		.help = "the page and the API; port 0 takes a free one"},
	{"grpc", "ADDR:PORT", SETTING_TEXT, AT(grpc_text), .initial = "127.0.0.1:4041",
		.help = "where collectors send to; port 0 takes a free one"},
	{"debuginfod-urls", "\"URL...\"", SETTING_TEXT, AT(debuginfod_urls),
		.help = "debuginfod servers to ask for debug files ($DEBUGINFOD_URLS, else none)"},
	{"symbols-folder", "DIR", SETTING_LIST, AT(symbol_folders),
		.help = "look for debug files here, too, as in /usr/lib/debug; may be given "
			"several "
			"times"},
	{"insecure", NULL, SETTING_SWITCH, AT(insecure),
		.help = "allow --http and --grpc addresses that other machines reach: there is no "
			"password and no encryption"},
	{"insecure-uploads", NULL, SETTING_SWITCH, AT(insecure_uploads),
		.help = "take executables and kernel symbols from other machines, too"},
	{"allowed-host", "NAME", SETTING_LIST, AT(allowed_hosts), .accepts = is_host_name,
		.wants = "a host name without port",
		.help = "a name under which browsers may reach the server; may be given several "
			"times"},
	{"web-dir", "DIR", SETTING_TEXT, AT(web_dir),
		.help = "serve the page's files from here, for whoever works on them"},
	{"retain-time", "TIME", SETTING_NUMBER, AT(retain_ns), TIME, .initial = "90d",
		.help = "delete profiles older than this: 36h, 90d, forever"},
	{"retain-bytes", "SIZE", SETTING_NUMBER, AT(retain_bytes), LIMIT, .initial = "20G",
		.help = "delete the oldest profiles beyond this: 500M, 20G, unlimited"},
	{"hot-time", "TIME", SETTING_NUMBER, AT(hot_ns), TIME, .initial = "48h",
		.help = "keep the moment of each sample within its ten seconds so long: 48h, 7d, "
			"forever"},
	{"query-seconds", "TIME", SETTING_NUMBER, AT(query_ns), TIME, .initial = "10s",
		.help = "answer a query that took this long with what it has read: 10s, 1m, "
			"forever"},
	{"query-bytes", "SIZE", SETTING_NUMBER, AT(query_bytes), LIMIT, .initial = "256M",
		.help = "likewise one whose stacks take this much memory"},
	{"query-memo-bytes", "SIZE", SETTING_NUMBER, AT(query_memo_bytes), LIMIT, .initial = "192M",
		.help = "keep at most this much of trees for whoever asks the same again"},
	{"ingest-bytes", "SIZE", SETTING_NUMBER, AT(ingest_bytes), LIMIT, .initial = "256M",
		.help = "hold at most this much of uploads that are coming in; further ones are "
			"told "
			"to come again"},
	{"label-values", "N", SETTING_NUMBER, AT(label_values_max), CAP, .initial = "10000",
		.help = "keep so many values of one label of one service a day, others as [other]"},
	{"service-series", "N", SETTING_NUMBER, AT(service_series_max), CAP, .initial = "20000",
		.help = "keep so many series of one service a day apart"},
	{"series", "N", SETTING_NUMBER, AT(series_max), CAP, .initial = "200000",
		.help = "keep so many series of all services a day apart"},
	{"watch", "QUERY|FUNCTION", SETTING_LIST, AT(watches),
		.help = "tell in the metrics which share of QUERY is in functions whose names "
			"match "
			"the expression FUNCTION; may be given several times"},
	{"symbol-bytes", "SIZE", SETTING_NUMBER, AT(symbol_bytes), LIMIT,
		.help = "keep at most this much of symbol indexes (4G)"},
	{"symbol-file-bytes", "SIZE", SETTING_NUMBER, AT(symbol_file_bytes), LIMIT,
		.help = "keep at most this much of uploaded files, for debuggers (8G)"},
	{"upload-bytes", "SIZE", SETTING_NUMBER, AT(upload_bytes), LIMIT,
		.help = "take no larger file than this (2G)"},
	{"clock-start", "NS", SETTING_NUMBER, AT(clock_start_ns), .min = 1, .max = INT64_MAX,
		.wants = "nanoseconds since 1970",
		.help = "for tests alone: the time of day is this at the start and runs on"},
	{"log-level", "LEVEL", SETTING_CHOICE, AT(log_level), .initial = "info",
		.choices = log_level_names, .help = "error, warning, info or debug"},
};

const struct setting_table settings_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.about = "cairn-server [FLAG...]: takes profiles from collectors, keeps them, gives them "
		 "names and shows them",
	.file_default = "/etc/cairn/server.conf",
};

static int set_debuginfod_urls(struct settings *settings, struct setting_fault *ret_fault)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (settings->debuginfod_urls || !urls || !*urls)
		return 0;
	return setting_set(
		setting_find(&settings_table, "debuginfod-urls"), settings, urls, ret_fault);
}

static int read_address(const char *name, const char *text, bool insecure,
	struct listen_address *ret_address, struct setting_fault *ret_fault)
{
	if (listen_address_parse(text, ret_address) < 0) {
		return setting_refuse(ret_fault,
			"--%s %.200s: ADDR:PORT with a numeric address must stand here, as "
			"127.0.0.1:4040 or [::1]:0",
			name, text);
	}
	if (!insecure && !listen_address_is_loopback(ret_address)) {
		return setting_refuse(ret_fault,
			"--%s %.200s: other machines can reach this address, without password or "
			"encryption; add --insecure if that is meant",
			name, text);
	}
	return 0;
}

int settings_parse(int word_count, char *const *words, struct settings *ret_settings,
	enum command_line_action *ret_action, struct setting_fault *ret_fault)
{
	struct settings settings = {0};
	int r = command_line_parse(
		&settings_table, word_count, words, &settings, ret_action, ret_fault);

	if (r == 0)
		r = set_debuginfod_urls(&settings, ret_fault);
	if (r == 0)
		r = read_address(
			"http", settings.http_text, settings.insecure, &settings.http, ret_fault);
	if (r == 0)
		r = read_address(
			"grpc", settings.grpc_text, settings.insecure, &settings.grpc, ret_fault);
	if (r < 0) {
		settings_done(&settings);
		return r;
	}
	*ret_settings = settings;
	return 0;
}

void settings_done(struct settings *settings)
{
	setting_table_done(&settings_table, settings);
	*settings = (struct settings){0};
}
