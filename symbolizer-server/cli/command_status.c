/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "store/base/clock.h"
#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/output.h"

/* Clocks that differ less agree, as far as a batch's way can tell. */
#define SKEW_NS_WORTH_SAYING 2e9

static const struct cJSON *member(const struct cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void print_server(const struct options *options, const struct cJSON *status)
{
	const struct cJSON *store = member(status, "store");
	uint64_t now_ns = (uint64_t)command_number(status, "now");
	uint64_t oldest_ns = (uint64_t)command_number(store, "oldest");
	char started[AMOUNT_BYTES_MAX], bytes[AMOUNT_BYTES_MAX], oldest[AMOUNT_BYTES_MAX];

	output_age((uint64_t)command_number(status, "started_at"), now_ns, started);
	output_age(oldest_ns, now_ns, oldest);
	output_amount(command_number(store, "bytes"), "bytes", bytes);
	printf("server %s, version ", options->server);
	output_text(stdout, command_text(status, "version"));
	printf(", started %s\nstore: %s in %.0f files, %s%s%s\n", started, bytes,
		command_number(store, "files"),
		oldest_ns > 0 ? "oldest profile " : "no profile yet", oldest_ns > 0 ? oldest : "",
		cJSON_IsTrue(member(store, "full")) ? "; THE DISK IS FULL, batches are refused"
						    : "");
}

/* Only what is off: `off: kernel_symbols: why; what is lost; to have it, what to do`. */
static void print_features(const struct cJSON *host)
{
	const struct cJSON *feature;

	cJSON_ArrayForEach(feature, member(host, "features"))
	{
		if (strcmp(command_text(feature, "state"), "off") != 0)
			continue;
		fputs("  off: ", stdout);
		output_text(stdout, command_text(feature, "name"));
		fputs(": ", stdout);
		output_text(stdout, command_text(feature, "reason"));
		if (*command_text(feature, "loss")) {
			fputs("; ", stdout);
			output_text(stdout, command_text(feature, "loss"));
		}
		if (*command_text(feature, "remedy")) {
			fputs("; to have it, ", stdout);
			output_text(stdout, command_text(feature, "remedy"));
		}
		putchar('\n');
	}
}

static void print_host(const struct cJSON *host, uint64_t now_ns)
{
	const struct cJSON *coverage = member(host, "coverage"), *counter;
	double skew_ns = command_number(host, "clock_skew_ns");
	char seen[AMOUNT_BYTES_MAX], skew[AMOUNT_BYTES_MAX];

	output_age((uint64_t)command_number(host, "last_seen"), now_ns, seen);
	fputs("\nhost ", stdout);
	output_text(stdout, command_text(host, "host"));
	printf(": last window %s, ", seen);
	if (cJSON_IsNumber(coverage)) {
		printf("coverage %.1f %% (samples x period over busy time)",
			100 * coverage->valuedouble);
	} else {
		fputs("coverage not known yet", stdout);
	}
	fputs("\n  kernel ", stdout);
	output_text(stdout, command_text(host, "kernel"));
	fputs(", collector ", stdout);
	output_text(stdout, command_text(host, "collector"));
	printf(", %.0f CPUs", command_number(host, "online_cpus"));
	if (fabs(skew_ns) > SKEW_NS_WORTH_SAYING) {
		output_amount(fabs(skew_ns), "nanoseconds", skew);
		printf("\n  its clock is %s %s the server's", skew,
			skew_ns > 0 ? "ahead of" : "behind");
	}
	putchar('\n');
	print_features(host);
	cJSON_ArrayForEach(counter, member(host, "counters"))
	{
		printf("%14.0f  ", command_number(counter, "value"));
		output_text(stdout, command_text(counter, "name"));
		if (*command_text(counter, "meaning")) {
			fputs(": ", stdout);
			output_text(stdout, command_text(counter, "meaning"));
		}
		putchar('\n');
	}
}

static void print_counters(const struct cJSON *status)
{
	const struct cJSON *counter;
	const char *part = "";

	cJSON_ArrayForEach(counter, member(status, "counters"))
	{
		const char *of = command_text(counter, "part");

		if (strcmp(of, part) != 0) {
			putchar('\n');
			output_text(stdout, of);
			putchar('\n');
		}
		part = of;
		printf("%14.0f  ", command_number(counter, "value"));
		output_text(stdout, command_text(counter, "name"));
		fputs(": ", stdout);
		output_text(stdout, command_text(counter, "meaning"));
		putchar('\n');
	}
}

static void print_modules(const struct cJSON *status)
{
	const struct cJSON *modules = member(status, "unnamed_modules"), *module;

	if (cJSON_GetArraySize(modules) == 0)
		return;
	fputs("\nmodules without names\n", stdout);
	cJSON_ArrayForEach(module, modules)
	{
		fputs("  ", stdout);
		output_text(stdout, command_text(module, "module"));
		fputs(" ", stdout);
		output_text(stdout, command_text(module, "build_id"));
		fputs(": ", stdout);
		output_text(stdout, command_text(module, "state"));
		putchar('\n');
	}
}

int command_status(const struct options *options)
{
	int exit_status;
	struct cJSON *status = command_fetch_json(options, "/api/v1/status", 0, &exit_status);
	const struct cJSON *host;

	if (!status)
		return exit_status;
	print_server(options, status);
	if (cJSON_GetArraySize(member(status, "hosts")) == 0) {
		fputs("\nno host has sent anything since the server started; on a host, run "
		      "cairn-collector --server ADDR:PORT\n",
			stdout);
	}
	cJSON_ArrayForEach(host, member(status, "hosts"))
		print_host(host, (uint64_t)command_number(status, "now"));
	print_counters(status);
	print_modules(status);
	cJSON_Delete(status);
	return command_finish();
}
