/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/query_params.h"

#include "store/base/clock.h"
#include "store/profile/profile.h"
#include "tests/support/check.h"

#define NOW (UINT64_C(1800000000) * NS_PER_S)

static const char *refused(const struct http_request *request, struct http_answer *answer)
{
	struct query_params params;

	http_answer_init(answer);
	CHECK(!query_params_read(request, NOW, true, answer, &params));
	CHECK_EQ(answer->status, 400);
	bytes_write_u8(&answer->body, 0);
	return (const char *)answer->body.bytes;
}

static void a_query_and_a_range_are_read(void)
{
	struct http_request request = {
		.params = {{"query", PROFILE_TYPE_ON_CPU "{host=\"a\"}"}, {"from", "now-1m"}},
		.param_count = 2};
	struct http_answer answer;
	struct query_params params;

	http_answer_init(&answer);
	CHECK(query_params_read(&request, NOW, true, &answer, &params));
	CHECK_EQ(params.range.until_ns, NOW);
	CHECK_EQ(params.range.from_ns, NOW - 60 * NS_PER_S);
	CHECK_EQ(params.selector.matcher_count, 1);
	query_params_done(&params);
	http_answer_done(&answer);
}

static void refusals_say_what_to_mend(void)
{
	struct http_request no_type = {.params = {{"query", "{}"}}, .param_count = 1};
	struct http_request bad_query = {.params = {{"query", "{a}"}}, .param_count = 1};
	struct http_request bad_from = {.params = {{"from", "never"}}, .param_count = 1};
	struct http_request many = {.too_many_params = true};
	struct http_answer answer;

	CHECK(strstr(refused(&no_type, &answer), PROFILE_TYPE_ON_CPU));
	http_answer_done(&answer);
	CHECK(strstr(refused(&bad_query, &answer), "character 3"));
	http_answer_done(&answer);
	CHECK(strstr(refused(&bad_from, &answer), "now-1h"));
	http_answer_done(&answer);
	CHECK(strstr(refused(&many, &answer), "more than 32"));
	http_answer_done(&answer);
}

static void sides_have_a_range_each_and_may_share_a_query(void)
{
	struct http_request request = {
		.params = {{"query", PROFILE_TYPE_ON_CPU "{host=\"a\"}"}, {"left_from", "now-2m"},
			{"left_until", "now-1m"}, {"right_from", "now-1m"},
			{"right_query", PROFILE_TYPE_ON_CPU}},
		.param_count = 5};
	struct http_answer answer;
	struct query_params sides[2];

	http_answer_init(&answer);
	CHECK(query_params_read_sides(&request, NOW, &answer, sides));
	CHECK_EQ(sides[0].range.from_ns, NOW - 120 * NS_PER_S);
	CHECK_EQ(sides[0].range.until_ns, NOW - 60 * NS_PER_S);
	CHECK_EQ(sides[1].range.from_ns, NOW - 60 * NS_PER_S);
	CHECK_EQ(sides[1].range.until_ns, NOW);
	CHECK_EQ(sides[0].selector.matcher_count, 1);
	CHECK_EQ(sides[1].selector.matcher_count, 0);
	query_params_done(&sides[0]);
	query_params_done(&sides[1]);
	request.params[4].value = "memory:alloc:bytes:space:bytes";
	CHECK(!query_params_read_sides(&request, NOW, &answer, sides));
	CHECK_EQ(answer.status, 400);
	bytes_write_u8(&answer.body, 0);
	CHECK(strstr((const char *)answer.body.bytes, "the same profile type"));
	request.params[3].value = "never";
	CHECK(!query_params_read_sides(&request, NOW, &answer, sides));
	bytes_write_u8(&answer.body, 0);
	CHECK(strstr((const char *)answer.body.bytes, "right_from"));
	http_answer_done(&answer);
}

static void numbers_have_bounds_and_a_default(void)
{
	static const uint32_t bounds[2] = {1, 100};
	static const char *const wrong[] = {"0", "101", "-1", "1.5", "x", " 1", "99999999999"};
	struct http_request request = {.params = {{"limit", "7"}}, .param_count = 1};
	struct http_answer answer;
	uint32_t number;

	http_answer_init(&answer);
	CHECK(query_params_number(&request, "limit", bounds, 5, &answer, &number));
	CHECK_EQ(number, 7);
	CHECK(query_params_number(&request, "other", bounds, 5, &answer, &number));
	CHECK_EQ(number, 5);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		request.params[0].value = wrong[i];
		CHECK(!query_params_number(&request, "limit", bounds, 5, &answer, &number));
		CHECK_EQ(answer.status, 400);
	}
	http_answer_done(&answer);
}

int main(void)
{
	RUN(a_query_and_a_range_are_read);
	RUN(refusals_say_what_to_mend);
	RUN(sides_have_a_range_each_and_may_share_a_query);
	RUN(numbers_have_bounds_and_a_default);
	return 0;
}
