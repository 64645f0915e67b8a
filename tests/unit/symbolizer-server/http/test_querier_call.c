/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/querier_call.h"

#include <errno.h>

#include "tests/support/check.h"

static struct site site;

static void lists_without_a_range_are_of_all_there_is(void)
{
	struct querier_request asked = {.type = ""};
	const struct querier_call call = {.site = &site, .asked = &asked};
	struct time_range range = querier_list_range(&call, &asked);

	CHECK_EQ(range.from_ns, 0);
	CHECK(range.until_ns > 0);
	asked.start_ms = 3;
	asked.end_ms = 2;
	range = querier_list_range(&call, &asked);
	CHECK_EQ(range.from_ns, range.until_ns);
	asked.start_ms = -7;
	range = querier_list_range(&call, &asked);
	CHECK_EQ(range.from_ns, 0);
	CHECK_EQ(range.until_ns, 2000000);
	asked.end_ms = INT64_MAX;
	range = querier_list_range(&call, &asked);
	CHECK_EQ(range.until_ns, UINT64_MAX);
}

static void matchers_are_one_selector(void)
{
	struct querier_request asked = {
		.matchers = {
			{"{a=\"b\"}", "{}", "{__profile_type__=\"p:c:n:c:n\",d=~\"e.*\"}"}, 3}};
	struct ingest_fault fault = {""};
	const struct querier_call call = {.site = &site, .asked = &asked, .fault = &fault};
	struct selector selector;

	CHECK_EQ(querier_matchers(&call, &selector), 0);
	CHECK_STR(selector.type, "p:c:n:c:n");
	CHECK_EQ(selector.matcher_count, 2);
	CHECK_STR(selector.matchers[1].name, "d");
	selector_done(&selector);
	asked.matchers.texts[1] = "{";
	CHECK_EQ(querier_matchers(&call, &selector), -EINVAL);
	CHECK(fault.text[0]);
}

static void a_question_has_type_and_range(void)
{
	struct querier_request asked = {.type = "p:c:n:c:n", .selector = "{a=\"b\"}"};
	struct ingest_fault fault = {""};
	const struct querier_call call = {.site = &site, .asked = &asked, .fault = &fault};
	struct query_params params;

	CHECK_EQ(querier_params(&call, &asked, &params), -EINVAL);
	asked.start_ms = 1;
	asked.end_ms = 2;
	CHECK_EQ(querier_params(&call, &asked, &params), 0);
	CHECK_STR(params.selector.type, "p:c:n:c:n");
	CHECK_EQ(params.range.from_ns, 1000000);
	CHECK_EQ(params.range.until_ns, 2000000);
	query_params_done(&params);
	asked.type = "p";
	CHECK_EQ(querier_params(&call, &asked, &params), -EINVAL);
}

int main(void)
{
	site.clock = clock_system();
	RUN(lists_without_a_range_are_of_all_there_is);
	RUN(matchers_are_one_selector);
	RUN(a_question_has_type_and_range);
	return 0;
}
