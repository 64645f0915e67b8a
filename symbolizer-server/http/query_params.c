/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/query_params.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/profile.h"

static bool read_range(const struct http_request *request, uint64_t now_ns,
	struct http_answer *answer, struct time_range *ret_range)
{
	const char *what = "";

	if (time_range_parse(http_request_param(request, "from"),
		    http_request_param(request, "until"), now_ns, ret_range, &what) == 0)
		return true;
	http_answer_error(answer, 400, "from, until: %s", what);
	return false;
}

static bool read_selector(const struct http_request *request, bool needs_type,
	struct http_answer *answer, struct selector *ret_selector)
{
	const char *query = http_request_param(request, "query");
	char error[SELECTOR_ERROR_BYTES_MAX];
	int r;

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

bool query_params_read(const struct http_request *request, uint64_t now_ns, bool needs_type,
	struct http_answer *answer, struct query_params *ret_params)
{
	if (request->too_many_params) {
		http_answer_error(answer, 400, "more than %d parameters", HTTP_PARAM_COUNT_MAX);
		return false;
	}
	return read_range(request, now_ns, answer, &ret_params->range) &&
		read_selector(request, needs_type, answer, &ret_params->selector);
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
