/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/http_message.h"

#include <errno.h>

#include "tests/support/check.h"

static const char *body_of(struct http_answer *answer)
{
	bytes_write_u8(&answer->body, 0);
	return (const char *)answer->body.bytes;
}

static void parameters_are_found_by_name(void)
{
	struct http_request request = {
		.params = {{"a", "1"}, {"b", ""}, {"a", "2"}}, .param_count = 3};

	CHECK_STR(http_request_param(&request, "a"), "1");
	CHECK_STR(http_request_param(&request, "b"), "");
	CHECK(!http_request_param(&request, "c"));
	CHECK(!http_request_is_gone(&request));
}

static void errors_have_a_code_and_a_sentence(void)
{
	struct http_answer answer;

	http_answer_init(&answer);
	bytes_write_u8(http_answer_begin(&answer, 200, "text/plain"), 'x');
	http_answer_error(&answer, 404, "nothing is at %s", "/\"x\"");
	CHECK_EQ(answer.status, 404);
	CHECK_STR(answer.content_type, "application/json");
	CHECK_STR(body_of(&answer),
		"{\"code\":\"not_found\",\"message\":\"nothing is at /\\\"x\\\"\"}\n");
	CHECK_STR(http_error_code(400), "invalid_argument");
	CHECK_STR(http_error_code(599), "internal");
	answer.retry_after_seconds = 3;
	http_answer_code(&answer, 422, "unknown", "no \"pprof\"");
	CHECK_EQ(answer.status, 422);
	CHECK_EQ(answer.retry_after_seconds, 0);
	CHECK_STR(body_of(&answer), "{\"code\":\"unknown\",\"message\":\"no \\\"pprof\\\"\"}\n");
	http_answer_done(&answer);
}

static void a_body_that_did_not_fit_becomes_an_error(void)
{
	struct http_answer answer;

	http_answer_init(&answer);
	http_answer_begin(&answer, 200, "text/plain");
	answer.body.fault = -EFBIG;
	http_answer_check(&answer);
	CHECK_EQ(answer.status, 422);
	CHECK(strstr(body_of(&answer), "resource_exhausted"));
	http_answer_begin(&answer, 200, "text/plain");
	answer.body.fault = -ENOMEM;
	http_answer_check(&answer);
	CHECK_EQ(answer.status, 503);
	CHECK(answer.fixed_body);
	http_answer_done(&answer);
}

int main(void)
{
	RUN(parameters_are_found_by_name);
	RUN(errors_have_a_code_and_a_sentence);
	RUN(a_body_that_did_not_fit_becomes_an_error);
	return 0;
}
