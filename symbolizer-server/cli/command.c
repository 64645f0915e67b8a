/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/command.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/cli/fetch.h"
#include "symbolizer-server/cli/output.h"
#include "symbolizer-server/cli/query_text.h"

int command_fail(const char *message)
{
	fputs("cairn: ", stderr);
	output_text(stderr, message);
	fputc('\n', stderr);
	return 1;
}

int command_misuse(const char *message)
{
	command_fail(message);
	return COMMAND_MISUSED;
}

int command_finish(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	/* A reader that has seen enough, such as head, is no failure. */
	return errno == EPIPE ? 0 : command_fail("standard output could not be written");
}

char *command_query(const struct options *options)
{
	char *query;

	if (query_text_make(options->query, options->host, options->process, &query) == 0)
		return query;
	command_fail("out of memory");
	return NULL;
}

/* Fetches PATH; NULL: it failed, and that was said. */
static char *fetch(const struct options *options, const char *path,
	const struct fetch_param params[FETCH_PARAM_COUNT_MAX], size_t *ret_byte_count)
{
	char error[FETCH_ERROR_BYTES_MAX] = "out of memory";
	struct fetch_request request = {.server = options->server, .path = path};
	char *body;

	memcpy(request.params, params, sizeof(request.params));
	if (fetch_get(&request, &body, ret_byte_count, error) == 0)
		return body;
	command_fail(error);
	return NULL;
}

/* The same with the query of the options and one parameter MORE. */
static char *fetch_query(const struct options *options, const char *path,
	const struct fetch_param *more, size_t *ret_byte_count)
{
	SCOPED_FREE char *query = command_query(options);
	const struct fetch_param params[FETCH_PARAM_COUNT_MAX] = {
		{"query", query}, {"from", options->from}, {"until", options->until}, *more};

	return query ? fetch(options, path, params, ret_byte_count) : NULL;
}

/* BODY as JSON, or printed as it is for --json. */
static struct cJSON *parse(
	const struct options *options, const char *body, size_t byte_count, int *ret_status)
{
	struct cJSON *json;

	*ret_status = 1;
	if (!body)
		return NULL;
	if (options->json) {
		(void)fwrite(body, 1, byte_count, stdout);
		fputc('\n', stdout);
		*ret_status = command_finish();
		return NULL;
	}
	json = cJSON_ParseWithLength(body, byte_count);
	if (!json)
		command_fail("the answer is no JSON: is something else at this address?");
	return json;
}

struct cJSON *command_fetch_json_of(const struct options *options, const char *path,
	const struct fetch_param params[FETCH_PARAM_COUNT_MAX], int *ret_status)
{
	size_t byte_count = 0;
	SCOPED_FREE char *body = fetch(options, path, params, &byte_count);

	return parse(options, body, byte_count, ret_status);
}

struct cJSON *command_fetch_json(
	const struct options *options, const char *path, int with_query, int *ret_status)
{
	static const struct fetch_param none[FETCH_PARAM_COUNT_MAX] = {{NULL, NULL}};
	const struct fetch_param limit = {"limit", options->limit};
	size_t byte_count = 0;
	SCOPED_FREE char *body = with_query ? fetch_query(options, path, &limit, &byte_count)
					    : fetch(options, path, none, &byte_count);

	return parse(options, body, byte_count, ret_status);
}

int command_export(const struct options *options)
{
	struct fetch_param format = {"format", options->format};
	bool is_text =
		strcmp(options->format, "pprof") != 0 && strcmp(options->format, "otlp") != 0;
	size_t byte_count = 0;
	SCOPED_FREE char *body = NULL;

	if (!is_text && isatty(STDOUT_FILENO))
		return command_misuse(
			"this format is no text: say where to, as in `> profile.pb.gz`");
	body = fetch_query(options, "/api/v1/export", &format, &byte_count);

	if (!body)
		return 1;
	(void)fwrite(body, 1, byte_count, stdout);
	return command_finish();
}

const char *command_text(const struct cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

	return text ? text : "";
}

double command_number(const struct cJSON *object, const char *name)
{
	const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

size_t command_line_columns(const struct options *options)
{
	size_t columns = options->full ? 0 : output_terminal_columns();

	return columns > 0 ? columns : SIZE_MAX;
}

/* A time of today, or of the day it is of, in the local zone. */
static void format_time(double at_ns, char ret_text[32])
{
	time_t at = (time_t)(at_ns / 1e9);
	struct tm time;

	if (!localtime_r(&at, &time) || strftime(ret_text, 32, "%Y-%m-%d %H:%M:%S", &time) == 0)
		snprintf(ret_text, 32, "%lld", (long long)at);
}

void command_note_partial(const struct cJSON *answer)
{
	const struct cJSON *partial = cJSON_GetObjectItemCaseSensitive(answer, "partial");
	const char *reason = command_text(partial, "reason");
	char from[32], until[32];

	if (!cJSON_IsObject(partial))
		return;
	if (strcmp(reason, "damage") == 0) {
		fprintf(stderr, "cairn: %.0f blocks of this range could not be read\n",
			command_number(partial, "unreadable_count"));
		return;
	}
	format_time(command_number(partial, "from"), from);
	format_time(command_number(partial, "until"), until);
	fprintf(stderr,
		"cairn: the query took all the %s it may: this is %s to %s; ask for a shorter "
		"range, or "
		"see the server's --query-%s\n",
		reason, from, until, strcmp(reason, "time") == 0 ? "seconds" : "bytes");
}
