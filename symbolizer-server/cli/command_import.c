/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn import`: recordings that other tools wrote, so that they can be looked at beside what was
 * collected. The server sees what a file is; what it made of it is told. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/import_source.h"
#include "symbolizer-server/cli/output.h"

#define PERF "perf"
/* A name with all of its labels, as a parameter of a URL. */
#define NAME_BYTES_MAX ((size_t)64 << 10)
#define TIME_BYTES_MAX 32

static void write_text(struct bytes_writer *writer, const char *text)
{
	bytes_write_span(writer, text, strlen(text));
}

/* `name{label=value,...}`, ended by a NUL. */
static int write_name(const struct options *options, const char *name, struct bytes_writer *writer)
{
	write_text(writer, name);
	for (int i = 0; i < options->label_count; i++) {
		write_text(writer, i == 0 ? "{" : ",");
		write_text(writer, options->labels[i]);
	}
	if (options->label_count > 0)
		write_text(writer, "}");
	bytes_write_u8(writer, 0);
	return bytes_writer_fault(writer);
}

static void format_time(double at_ns, char ret_text[TIME_BYTES_MAX])
{
	time_t at = (time_t)(at_ns / 1e9);
	struct tm time;

	if (!localtime_r(&at, &time) ||
		strftime(ret_text, TIME_BYTES_MAX, "%Y-%m-%d %H:%M:%S", &time) == 0)
		snprintf(ret_text, TIME_BYTES_MAX, "%lld", (long long)at);
}

/* Unit: the third part of a type. */
static void format_value(const char *type, double value, char ret_text[AMOUNT_BYTES_MAX])
{
	const char *part = strchr(type, ':');
	char unit[32] = "";

	part = part ? strchr(part + 1, ':') : NULL;
	if (part)
		snprintf(unit, sizeof(unit), "%.*s", (int)strcspn(part + 1, ":"), part + 1);
	output_amount(value, unit, ret_text);
}

static void print_type(const struct cJSON *row)
{
	const char *type = command_text(row, "type");
	char value[AMOUNT_BYTES_MAX];

	format_value(type, command_number(row, "value"), value);
	printf("  %-48s %10s  %.0f samples\n", type, value, command_number(row, "samples"));
}

static void print_drops(const struct cJSON *drops)
{
	const struct cJSON *drop;

	cJSON_ArrayForEach(drop, drops)
	{
		fputs("  not kept as it came: ", stdout);
		output_text(stdout, drop->string);
		printf(" %.0f\n", drop->valuedouble);
	}
}

/* The type to look at: time on CPU; else of several the last, as pprofs have it. */
static const char *main_type(const struct cJSON *types)
{
	const struct cJSON *row;
	const char *type = "";

	cJSON_ArrayForEach(row, types)
	{
		type = command_text(row, "type");
		if (strncmp(type, "process_cpu:cpu:", strlen("process_cpu:cpu:")) == 0)
			break;
	}
	return type;
}

/* Where it can be seen: what follows `from` is rounded to whole seconds, outwards. */
static void print_way(const struct options *options, const struct cJSON *report,
	const struct cJSON *types, const char *service)
{
	double from = command_number(report, "from") / 1e9;
	double until = command_number(report, "until") / 1e9 + 1;

	printf("  cairn query --server %s --from %.0f --until %.0f '%s{service_name=\"%s\"}'\n",
		options->server, from - 0.5, until, main_type(types), service);
}

static int print_report(const struct options *options, const char *path, const char *service,
	const char *body, size_t byte_count)
{
	struct cJSON *report = cJSON_ParseWithLength(body, byte_count);
	const struct cJSON *types = cJSON_GetObjectItemCaseSensitive(report, "types"), *row;
	char from[TIME_BYTES_MAX], until[TIME_BYTES_MAX];

	if (!cJSON_IsArray(types)) {
		cJSON_Delete(report);
		return command_fail(
			"the answer is no report: is the server older than this cairn?");
	}
	output_text(stdout, path);
	if (cJSON_GetArraySize(types) == 0) {
		puts(": nothing in it has a value, so nothing was stored");
	} else {
		format_time(command_number(report, "from"), from);
		format_time(command_number(report, "until"), until);
		printf(": stored as %s, %s to %s\n", service, from, until);
	}
	cJSON_ArrayForEach(row, types) print_type(row);
	print_drops(cJSON_GetObjectItemCaseSensitive(report, "drops"));
	if (cJSON_GetArraySize(types) > 0)
		print_way(options, report, types, service);
	cJSON_Delete(report);
	return 0;
}

static int fail(const char *path, const char *error)
{
	fputs("cairn: ", stderr);
	output_text(stderr, path);
	fputs(": ", stderr);
	output_text(stderr, error);
	fputc('\n', stderr);
	return 1;
}

static int send(const struct options *options, const char *path, const char *service,
	const struct import_source *source)
{
	char error[FETCH_ERROR_BYTES_MAX] = "out of memory";
	struct fetch_request request = {.server = options->server, .path = "/ingest"};
	SCOPED_FREE char *body = NULL;
	struct bytes_writer name;
	size_t byte_count = 0;
	int r;

	bytes_writer_init(&name, NAME_BYTES_MAX);
	r = write_name(options, service, &name);
	if (r == 0) {
		const struct fetch_param params[] = {{"name", (const char *)name.bytes},
			{"format", source->format ? source->format : options->import_format},
			{"from", options->import_from}, {"until", options->import_until},
			{"sampleRate", options->rate}, {"units", options->units},
			{"report", "yes"}};

		memcpy(request.params, params, sizeof(params));
		r = fetch_post(
			&request, source->bytes, source->byte_count, &body, &byte_count, error);
	}
	bytes_writer_done(&name);
	if (r < 0)
		return fail(path, error);
	return print_report(options, path, service, body, byte_count);
}

static int import_one(const struct options *options, const char *path)
{
	char error[IMPORT_ERROR_BYTES_MAX] = "out of memory";
	char name[IMPORT_NAME_BYTES_MAX];
	struct import_source source;
	int status;

	import_source_name(path, name);
	if (import_source_read(path, PERF, &source, error) < 0)
		return fail(path, error);
	status = send(options, path, options->name ? options->name : name, &source);
	import_source_done(&source);
	return status;
}

int command_import(const struct options *options)
{
	int status = 0, finished;

	if (options->operand_count == 0)
		return command_misuse("cairn import FILE...: say what to import; - is standard "
				      "input");
	for (int i = 0; i < options->operand_count; i++)
		status |= import_one(options, options->operands[i]);
	finished = command_finish();
	return status ? status : finished;
}
