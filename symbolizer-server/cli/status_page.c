/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/status_page.h"

#include <errno.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "store/base/clock.h"
#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/output.h"
#include "symbolizer-server/cli/paint.h"
#include "symbolizer-server/cli/status_chain.h"

/* Rows of the table of hosts; --host NAME shows any. */
#define HOST_ROW_COUNT_MAX 12
#define HOST_NAME_COLUMNS 24

static const struct cJSON *member(const struct cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void print_paint(const struct status_page *page, enum paint paint)
{
	fputs(paint_of(paint, page->painted), page->out);
}

static double sum_of_rates(const struct cJSON *hosts)
{
	const struct cJSON *host;
	double sum = 0;

	cJSON_ArrayForEach(host, hosts)
	{
		sum += command_number(host, "samples_per_second");
	}
	return sum;
}

static void print_server(const struct status_page *page, const struct cJSON *status)
{
	const struct cJSON *store = member(status, "store"), *hosts = member(status, "hosts");
	uint64_t now_ns = (uint64_t)command_number(status, "now");
	uint64_t oldest_ns = (uint64_t)command_number(store, "oldest");
	int host_count = cJSON_GetArraySize(hosts);
	char started[AMOUNT_BYTES_MAX], bytes[AMOUNT_BYTES_MAX], oldest[AMOUNT_BYTES_MAX];
	char free_bytes[AMOUNT_BYTES_MAX];

	output_age((uint64_t)command_number(status, "started_at"), now_ns, started);
	output_age(oldest_ns, now_ns, oldest);
	output_amount(command_number(store, "bytes"), "bytes", bytes);
	output_amount(command_number(store, "disk_free_bytes"), "bytes", free_bytes);
	print_paint(page, PAINT_TITLE);
	fputs("cairn-server ", page->out);
	output_text(page->out, command_text(status, "version"));
	print_paint(page, PAINT_PLAIN);
	fprintf(page->out, " at %s, started %s; %d host%s, %.0f samples/s\n", page->server, started,
		host_count, host_count == 1 ? "" : "s", sum_of_rates(hosts));
	fprintf(page->out, "store: %s in %.0f file%s, %s%s; %s of the disk free\n", bytes,
		command_number(store, "files"), command_number(store, "files") == 1 ? "" : "s",
		oldest_ns > 0 ? "oldest profile " : "no profile yet", oldest_ns > 0 ? oldest : "",
		free_bytes);
}

static void print_warning(const struct status_page *page, const struct cJSON *warning)
{
	bool is_error = strcmp(command_text(warning, "level"), "error") == 0;
	const char *host = command_text(warning, "host");

	print_paint(page, is_error ? PAINT_ERROR : PAINT_WARNING);
	fputs(is_error ? "ERROR " : "warning ", page->out);
	print_paint(page, PAINT_PLAIN);
	output_text(page->out, host);
	fputs(*host ? ": " : "", page->out);
	output_text(page->out, command_text(warning, "text"));
	fputs("\n        ", page->out);
	output_text(page->out, command_text(warning, "remedy"));
	fputc('\n', page->out);
}

static void print_warnings(const struct status_page *page, const struct cJSON *status)
{
	const struct cJSON *warnings = member(status, "warnings"), *warning;
	double left_out = command_number(status, "warning_count") - cJSON_GetArraySize(warnings);
	bool any = false;

	cJSON_ArrayForEach(warning, warnings)
	{
		const char *host = command_text(warning, "host");

		if (page->host && *host && strcmp(host, page->host) != 0)
			continue;
		if (!any)
			fputc('\n', page->out);
		any = true;
		print_warning(page, warning);
	}
	if (left_out > 0)
		fprintf(page->out, "and %.0f warnings more\n", left_out);
}

static void print_percent(const struct status_page *page, const struct cJSON *coverage)
{
	if (cJSON_IsNumber(coverage))
		fprintf(page->out, "%9.1f %%", 100 * coverage->valuedouble);
	else
		fprintf(page->out, "%11s", "-");
}

/* The names of what is off, shortened to what fits. */
static void print_features_off(const struct status_page *page, const struct cJSON *host)
{
	size_t column = 75;
	const struct cJSON *feature;
	bool any = false;

	cJSON_ArrayForEach(feature, member(host, "features"))
	{
		const char *name = command_text(feature, "name");
		size_t length = output_columns(name, strlen(name));

		if (strcmp(command_text(feature, "state"), "off") != 0)
			continue;
		if (column + 2 + length + 5 > STATUS_PAGE_COLUMNS) {
			fputs(any ? ", ..." : "...", page->out);
			return;
		}
		fputs(any ? ", " : "", page->out);
		output_text(page->out, name);
		column += length + (any ? 2 : 0);
		any = true;
	}
	fputs(any ? "" : "-", page->out);
}

static void print_name(const struct status_page *page, const char *name)
{
	size_t columns = output_columns(name, strlen(name));

	if (columns > HOST_NAME_COLUMNS) {
		output_bytes(page->out, name, HOST_NAME_COLUMNS - 3);
		fputs("...", page->out);
		return;
	}
	output_text(page->out, name);
	fprintf(page->out, "%*s", (int)(HOST_NAME_COLUMNS - columns), "");
}

static void print_host_row(
	const struct status_page *page, const struct cJSON *host, uint64_t now_ns)
{
	char seen[AMOUNT_BYTES_MAX];

	output_age((uint64_t)command_number(host, "last_received"), now_ns, seen);
	print_name(page, command_text(host, "host"));
	fprintf(page->out, "%14s", seen);
	print_percent(page, member(host, "coverage"));
	fprintf(page->out, "%12.0f%6.0f      ", command_number(host, "samples_per_second"),
		command_number(host, "online_cpus"));
	print_features_off(page, host);
	fputc('\n', page->out);
}

static void print_hosts(const struct status_page *page, const struct cJSON *status)
{
	const struct cJSON *hosts = member(status, "hosts"), *host;
	int count = cJSON_GetArraySize(hosts), shown = 0;

	if (count == 0) {
		fputs("\nno host has sent anything since the server started; on a host, run "
		      "cairn-collector --server ADDR:PORT\n",
			page->out);
		return;
	}
	fprintf(page->out, "\n%s%-24s%14s%11s%12s%6s      %s%s\n",
		paint_of(PAINT_TITLE, page->painted), "HOST", "last heard", "coverage", "samples/s",
		"CPUs", "off", paint_of(PAINT_PLAIN, page->painted));
	cJSON_ArrayForEach(host, hosts)
	{
		if (shown++ == HOST_ROW_COUNT_MAX)
			break;
		print_host_row(page, host, (uint64_t)command_number(status, "now"));
	}
	if (count > HOST_ROW_COUNT_MAX)
		fprintf(page->out, "and %d more; --host NAME shows one\n",
			count - HOST_ROW_COUNT_MAX);
}

/* ---- debuginfod ---- */

/* `not found 3`, if there are any. */
static void print_answers(const struct status_page *page, const struct cJSON *server,
	const char *name, const char *words)
{
	double count = command_number(server, name);

	if (count > 0)
		fprintf(page->out, ", %s %.0f", words, count);
}

static void print_silence(
	const struct status_page *page, const struct cJSON *server, uint64_t now_ns)
{
	uint64_t next_ns = (uint64_t)command_number(server, "next_try");
	char since[AMOUNT_BYTES_MAX];

	output_age((uint64_t)command_number(server, "failing_since"), now_ns, since);
	print_paint(page, PAINT_WARNING);
	fprintf(page->out, "  does not answer, the first failure was %s (", since);
	output_text(page->out, command_text(server, "last_failure"));
	fputc(')', page->out);
	print_paint(page, PAINT_PLAIN);
	if (next_ns > now_ns) {
		fprintf(page->out, "; next try in %.0f s",
			(double)(next_ns - now_ns) / (double)NS_PER_S);
	}
	fputc('\n', page->out);
}

static void print_debuginfod(
	const struct status_page *page, const struct cJSON *server, uint64_t now_ns)
{
	fputs("debuginfod ", page->out);
	output_text(page->out, command_text(server, "url"));
	fprintf(page->out, ": asked %.0f times", command_number(server, "asked"));
	print_answers(page, server, "hits", "files");
	print_answers(page, server, "misses", "not there");
	print_answers(page, server, "failures", "failed");
	fputc('\n', page->out);
	if (strcmp(command_text(server, "state"), "ok") != 0)
		print_silence(page, server, now_ns);
}

static void print_servers(const struct status_page *page, const struct cJSON *status)
{
	const struct cJSON *servers = member(status, "debuginfod"), *server;

	cJSON_ArrayForEach(server, servers)
	{
		print_debuginfod(page, server, (uint64_t)command_number(status, "now"));
	}
}

/* ---- One host ---- */

static void print_features(const struct status_page *page, const struct cJSON *host)
{
	const struct cJSON *feature;

	cJSON_ArrayForEach(feature, member(host, "features"))
	{
		if (strcmp(command_text(feature, "state"), "off") != 0)
			continue;
		fputs("  off: ", page->out);
		output_text(page->out, command_text(feature, "name"));
		fputs(": ", page->out);
		output_text(page->out, command_text(feature, "reason"));
		if (*command_text(feature, "loss")) {
			fputs("; ", page->out);
			output_text(page->out, command_text(feature, "loss"));
		}
		if (*command_text(feature, "remedy")) {
			fputs("; to have it, ", page->out);
			output_text(page->out, command_text(feature, "remedy"));
		}
		fputc('\n', page->out);
	}
}

static void print_host_head(
	const struct status_page *page, const struct cJSON *host, uint64_t now_ns)
{
	const struct cJSON *coverage = member(host, "coverage");
	char seen[AMOUNT_BYTES_MAX], stored[COUNT_BYTES_MAX];

	output_age((uint64_t)command_number(host, "last_received"), now_ns, seen);
	status_chain_count(command_number(host, "samples_stored"), stored);
	print_paint(page, PAINT_TITLE);
	fputs("\nhost ", page->out);
	output_text(page->out, command_text(host, "host"));
	print_paint(page, PAINT_PLAIN);
	fprintf(page->out, ": last heard %s, ", seen);
	if (cJSON_IsNumber(coverage)) {
		fprintf(page->out, "coverage %.1f %% (samples x period over busy time)\n",
			100 * coverage->valuedouble);
	} else {
		fputs("coverage not known yet\n", page->out);
	}
	fprintf(page->out, "  %.0f samples/s, %s stored since the server started\n  kernel ",
		command_number(host, "samples_per_second"), stored);
	output_text(page->out, command_text(host, "kernel"));
	fputs(", collector ", page->out);
	output_text(page->out, command_text(host, "collector"));
	fprintf(page->out, ", %.0f CPUs\n", command_number(host, "online_cpus"));
	print_features(page, host);
}

/* ---- Every counter ---- */

static void print_counter(const struct status_page *page, const struct cJSON *counter)
{
	fprintf(page->out, "%14.0f  ", command_number(counter, "value"));
	output_text(page->out, command_text(counter, "name"));
	if (*command_text(counter, "meaning")) {
		fputs(": ", page->out);
		output_text(page->out, command_text(counter, "meaning"));
	}
	fputc('\n', page->out);
}

static void print_host_counters(const struct status_page *page, const struct cJSON *host)
{
	const struct cJSON *counter;

	fputs("\ncounters of ", page->out);
	output_text(page->out, command_text(host, "host"));
	fputs(", since its collector started\n", page->out);
	cJSON_ArrayForEach(counter, member(host, "counters"))
	{
		print_counter(page, counter);
	}
}

static void print_server_counters(const struct status_page *page, const struct cJSON *status)
{
	const struct cJSON *counter;
	const char *part = "";

	cJSON_ArrayForEach(counter, member(status, "counters"))
	{
		const char *of = command_text(counter, "part");

		if (strcmp(of, part) != 0) {
			fputs("\ncounters of the server, ", page->out);
			output_text(page->out, of);
			fputs(", since it started\n", page->out);
		}
		part = of;
		print_counter(page, counter);
	}
}

static void print_modules(const struct status_page *page, const struct cJSON *status)
{
	const struct cJSON *modules = member(status, "unnamed_modules"), *module;

	if (cJSON_GetArraySize(modules) == 0)
		return;
	fputs("\nmodules without names\n", page->out);
	cJSON_ArrayForEach(module, modules)
	{
		fputs("  ", page->out);
		output_text(page->out, command_text(module, "module"));
		fputs(" ", page->out);
		output_text(page->out, command_text(module, "build_id"));
		fputs(": ", page->out);
		output_text(page->out, command_text(module, "state"));
		fputc('\n', page->out);
	}
}

static int print_one_host(const struct status_page *page, const struct cJSON *status)
{
	const struct cJSON *host;

	cJSON_ArrayForEach(host, member(status, "hosts"))
	{
		if (strcmp(command_text(host, "host"), page->host) == 0)
			break;
	}
	if (!host)
		return -ENOENT;
	print_warnings(page, status);
	print_host_head(page, host, (uint64_t)command_number(status, "now"));
	status_chain_print(page, member(host, "chain"), member(status, "warnings"), 1);
	if (page->all)
		print_host_counters(page, host);
	return 0;
}

int status_page_print(const struct status_page *page, const struct cJSON *status)
{
	const struct cJSON *hosts = member(status, "hosts"), *host;

	if (page->host)
		return print_one_host(page, status);
	print_server(page, status);
	print_servers(page, status);
	print_warnings(page, status);
	status_chain_print(page, member(status, "chain"), member(status, "warnings"),
		cJSON_GetArraySize(hosts));
	print_hosts(page, status);
	if (!page->all)
		return 0;
	cJSON_ArrayForEach(host, hosts)
	{
		print_host_counters(page, host);
	}
	print_server_counters(page, status);
	print_modules(page, status);
	return 0;
}
