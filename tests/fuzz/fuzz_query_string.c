/* SPDX-License-Identifier: Apache-2.0 */
/* Any parameters of a request either are answered with 400 and an error in JSON, or make a selector
 * and a range; a number lies within its bounds. Whatever the headers, what passes the guard names
 * this machine, and never more passes with a foreign origin than without.
 *
 * The input is lines: Host, Origin, Accept-Encoding, then `name=value` each. */
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/http/accept.h"
#include "symbolizer-server/http/http_guard.h"
#include "symbolizer-server/http/query_params.h"
#include "tests/fuzz/fuzz.h"

#define NOW_NS UINT64_C(1750000000123456789)

static const char *const known_names[] = {"db.example"};

static void check_error(const struct http_answer *answer)
{
	must(answer->status == 400 && answer->body.byte_count > 2);
	must(answer->body.bytes[0] == '{');
	must(memmem(answer->body.bytes, answer->body.byte_count, "\"message\":", 10));
}

static void check_params(const struct http_request *request)
{
	static const uint32_t bounds[2] = {1, 1000};
	struct query_params params;
	struct http_answer answer;
	uint32_t number = 0;

	http_answer_init(&answer);
	if (query_params_read(request, NOW_NS, true, &answer, &params)) {
		must(params.selector.type && params.range.from_ns <= params.range.until_ns);
		query_params_done(&params);
	} else {
		check_error(&answer);
	}
	http_answer_done(&answer);
	http_answer_init(&answer);
	if (query_params_number(request, "limit", bounds, 7, &answer, &number))
		must(number >= 1 && number <= 1000);
	else
		check_error(&answer);
	http_answer_done(&answer);
}

static void check_guard(struct http_request *request)
{
	const struct http_guard guard = {.names = known_names, .name_count = 1};
	const char *origin = request->origin;
	enum http_guard_verdict verdict = http_guard_judge(&guard, request);

	if (verdict != HTTP_GUARD_PASS)
		return;
	request->origin = NULL;
	must(http_guard_judge(&guard, request) == HTTP_GUARD_PASS);
	request->origin = origin;
	must(strcasestr(request->host, "localhost") || strstr(request->host, "127.") ||
		strchr(request->host, '[') || strcasestr(request->host, "db.example") ||
		strstr(request->host, "10.1.2.3") || strchr(request->host, ':'));
}

/* Cuts the line at *AT off; an empty one is a header that is not there. */
static char *next_line(char **at)
{
	char *line = *at, *end = line ? strchr(line, '\n') : NULL;

	if (end)
		*end++ = '\0';
	*at = end;
	return line && *line ? line : NULL;
}

static void fill_params(struct http_request *request, char *lines)
{
	while (lines && request->param_count < HTTP_PARAM_COUNT_MAX) {
		char *name = next_line(&lines), *value = name ? strchr(name, '=') : NULL;

		if (!name)
			continue;
		if (value)
			*value++ = '\0';
		request->params[request->param_count++] =
			(struct http_param){.name = name, .value = value ? value : ""};
	}
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE char *text = malloc(byte_count + 1);
	struct http_request request = {
		.method = "POST", .path = "/", .host_count = 1, .local_address = "10.1.2.3"};
	char *lines = text;

	must(text);
	memcpy(text, bytes, byte_count);
	text[byte_count] = '\0';
	request.host = next_line(&lines);
	request.host_count = request.host ? 1 : 0;
	request.origin = next_line(&lines);
	request.accept_encoding = next_line(&lines);
	fill_params(&request, lines);
	(void)accept_allows_gzip(request.accept_encoding);
	must(!request.accept_encoding || !accept_names_type(request.accept_encoding, "x/y") ||
		strcasestr(request.accept_encoding, "x/y"));
	check_guard(&request);
	check_params(&request);
}
