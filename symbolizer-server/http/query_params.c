/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/query_params.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/profile.h"
#include "symbolizer-server/http/naming_params.h"

/* `right_until` and shorter ones. */
#define SIDE_PARAM_BYTES_MAX 16

/* Of a side of a comparison: `left_from`; of a plain query, whose side is "": `from`. */
static const char *side_param(
	const struct http_request *request, const char *side, const char *name)
{
	char full[SIDE_PARAM_BYTES_MAX];

	snprintf(full, sizeof(full), "%s%s", side, name);
	return http_request_param(request, full);
}

static bool read_range(const struct http_request *request, const char *side, uint64_t now_ns,
	struct http_answer *answer, struct time_range *ret_range)
{
	const char *what = "";

	if (time_range_parse(side_param(request, side, "from"), side_param(request, side, "until"),
		    now_ns, ret_range, &what) == 0)
		return true;
	http_answer_error(answer, 400, "%sfrom, %suntil: %s", side, side, what);
	return false;
}

static bool read_selector(const struct http_request *request, const char *side, bool needs_type,
	struct http_answer *answer, struct selector *ret_selector)
{
	const char *query = side_param(request, side, "query");
	char error[SELECTOR_ERROR_BYTES_MAX];
	int r;

	/* Both sides of a comparison may share one. */
	if (!query)
		query = http_request_param(request, "query");
	if (!query)
		query = "";
	r = selector_parse(query, strlen(query), ret_selector, error);
	if (r < 0) {
		http_answer_error(answer, r == -ENOMEM ? 503 : 400, "query: %s",
			r == -ENOMEM ? "out of memory; try again later" : error);
		return false;
	}
	if (needs_type && !ret_selector->type) {
		http_answer_error(answer, 400,
			"query names no profile type: write one in front of the braces, as in %s{}",
			PROFILE_TYPE_ON_CPU);
		selector_done(ret_selector);
		return false;
	}
	return true;
}

static bool read_params(const struct http_request *request, const char *side, uint64_t now_ns,
	bool needs_type, struct http_answer *answer, struct query_params *ret_params)
{
	if (request->too_many_params) {
		http_answer_error(answer, 400, "more than %d parameters", HTTP_PARAM_COUNT_MAX);
		return false;
	}
	return naming_params_read(request, answer, &ret_params->naming) &&
		read_range(request, side, now_ns, answer, &ret_params->range) &&
		read_selector(request, side, needs_type, answer, &ret_params->selector);
}

bool query_params_read(const struct http_request *request, uint64_t now_ns, bool needs_type,
	struct http_answer *answer, struct query_params *ret_params)
{
	return read_params(request, "", now_ns, needs_type, answer, ret_params);
}

bool query_params_read_sides(const struct http_request *request, uint64_t now_ns,
	struct http_answer *answer, struct query_params ret_sides[2])
{
	if (!read_params(request, "left_", now_ns, true, answer, &ret_sides[0]))
		return false;
	if (!read_params(request, "right_", now_ns, true, answer, &ret_sides[1])) {
		query_params_done(&ret_sides[0]);
		return false;
	}
	if (strcmp(ret_sides[0].selector.type, ret_sides[1].selector.type) == 0)
		return true;
	http_answer_error(answer, 400,
		"left_query, right_query: both must name the same profile type; these are %s and "
		"%s",
		ret_sides[0].selector.type, ret_sides[1].selector.type);
	query_params_done(&ret_sides[0]);
	query_params_done(&ret_sides[1]);
	return false;
}

void query_params_done(struct query_params *params)
{
	selector_done(&params->selector);
}

bool query_params_number(const struct http_request *request, const char *name,
	const uint32_t bounds[2], uint32_t fallback, struct http_answer *answer,
	uint32_t *ret_number)
{
	const char *text = http_request_param(request, name);
	unsigned long long number;

	*ret_number = fallback;
	if (!text || !*text)
		return true;
	number = strtoull(text, NULL, 10);
	if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 10 || number < bounds[0] ||
		number > bounds[1]) {
		http_answer_error(answer, 400,
			"%s: a whole number from %" PRIu32 " to %" PRIu32 " must stand here", name,
			bounds[0], bounds[1]);
		return false;
	}
	*ret_number = (uint32_t)number;
	return true;
}

/* Digits, perhaps with `ms` behind them: what time_parse_length does not read. */
static bool read_plain_length(const char *text, uint64_t *ret_ns)
{
	size_t digits = strspn(text, "0123456789");
	bool milliseconds = strcmp(text + digits, "ms") == 0;

	/* Nine digits of seconds are thirty years. */
	if (digits == 0 || digits > 9 || (text[digits] && !milliseconds))
		return false;
	*ret_ns = strtoull(text, NULL, 10) * (milliseconds ? NS_PER_MS : NS_PER_S);
	return true;
}

bool query_params_length(const struct http_request *request, const char *name, uint64_t fallback_ns,
	struct http_answer *answer, uint64_t *ret_ns)
{
	const char *text = http_request_param(request, name), *what;

	*ret_ns = fallback_ns;
	if (!text || !*text)
		return true;
	if ((read_plain_length(text, ret_ns) ||
		    time_parse_length(text, strlen(text), ret_ns, &what) == 0) &&
		*ret_ns > 0)
		return true;
	http_answer_error(answer, 400,
		"%s: a length of time must stand here, as 500ms, 10s, 1h30m, or a number of "
		"seconds",
		name);
	return false;
}
