/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/querier/querier_request.h"

#include <errno.h>

#include "tests/support/check.h"

static struct querier_request asked;
static struct ingest_fault fault;

static int read_json(enum querier_method method, const char *text)
{
	fault.text[0] = '\0';
	return querier_request_init(
		&asked, method, REPLY_JSON, (struct ingest_text){text, strlen(text)}, &fault);
}

static int read_proto(enum querier_method method, const char *bytes, size_t length)
{
	fault.text[0] = '\0';
	return querier_request_init(
		&asked, method, REPLY_PROTO, (struct ingest_text){bytes, length}, &fault);
}

static void methods_are_found_by_name(void)
{
	CHECK_EQ(querier_method_of("SelectSeries"), QUERIER_SelectSeries);
	CHECK_EQ(querier_method_of("selectSeries"), QUERIER_METHOD_COUNT);
	CHECK_EQ(querier_method_of(""), QUERIER_METHOD_COUNT);
}

static void check_series(void)
{
	CHECK_STR(asked.type, "p:c:n:c:n");
	CHECK_STR(asked.selector, "{a=\"b\"}");
	CHECK_EQ(asked.start_ms, 1700000000000);
	CHECK_EQ(asked.end_ms, 5);
	CHECK_EQ(asked.names.count, 2);
	CHECK_STR(asked.names.texts[1], "zone");
	CHECK(asked.step_s > 14.9 && asked.step_s < 15.1);
	CHECK_EQ(asked.aggregation, QUERIER_AVERAGE);
	CHECK_EQ(asked.call_site.count, 1);
	CHECK_STR(asked.call_site.texts[0], "main");
	CHECK_EQ(asked.limit, 3);
	querier_request_done(&asked);
}

static void both_encodings_say_the_same(void)
{
	static const char bytes[] =
		"\x0a\x09p:c:n:c:n\x12\x07{a=\"b\"}"
		"\x18\x80\xd0\x95\xff\xbc\x31\x20\x05\x2a\x06region"
		"\x2a\x04zone\x31\0\0\0\0\0\0\x2e\x40\x38\x01\x42\x08\x0a\x06\x0a\x04main\x48\x03"
		"\x7a\x02hm";

	CHECK_EQ(read_json(QUERIER_SelectSeries,
			 "{\"profileTypeID\":\"p:c:n:c:n\",\"labelSelector\":\"{a=\\\"b\\\"}\","
			 "\"start\":\"1700000000000\",\"end\":5,\"groupBy\":[\"region\",\"zone\"],"
			 "\"step\":15,\"aggregation\":\"TIME_SERIES_AGGREGATION_TYPE_AVERAGE\","
			 "\"stackTraceSelector\":{\"callSite\":[{\"name\":\"main\"}]},\"limit\":"
			 "\"3\","
			 "\"newer\":{\"x\":1}}"),
		0);
	check_series();
	CHECK_EQ(read_json(QUERIER_SelectSeries,
			 "{\"profile_typeID\":\"p:c:n:c:n\",\"label_selector\":\"{a=\\\"b\\\"}\","
			 "\"start\":1700000000000,\"end\":\"5\",\"group_by\":[\"region\",\"zone\"],"
			 "\"step\":15,\"aggregation\":1,"
			 "\"stack_trace_selector\":{\"call_site\":[{\"name\":\"main\"}]},\"limit\":"
			 "3}"),
		0);
	check_series();
	CHECK_EQ(read_proto(QUERIER_SelectSeries, bytes, sizeof(bytes) - 1), 0);
	check_series();
}

static void a_comparison_has_two_sides(void)
{
	static const char bytes[] = "\x0a\x0b\x0a\x09p:c:n:c:n\x12\x02\x28\x07";

	CHECK_EQ(read_json(QUERIER_Diff,
			 "{\"left\":{\"profileTypeID\":\"p:c:n:c:n\"},\"right\":{"
			 "\"maxNodes\":\"7\"}}"),
		0);
	CHECK_STR(asked.left->type, "p:c:n:c:n");
	CHECK_STR(asked.right->type, "");
	CHECK_EQ(asked.right->nodes_max, 7);
	querier_request_done(&asked);
	CHECK_EQ(read_proto(QUERIER_Diff, bytes, sizeof(bytes) - 1), 0);
	CHECK_STR(asked.left->type, "p:c:n:c:n");
	CHECK_EQ(asked.right->nodes_max, 7);
	querier_request_done(&asked);
	CHECK_EQ(read_json(QUERIER_Diff, "{\"left\":null}"), 0);
	CHECK(!asked.left && !asked.right);
	querier_request_done(&asked);
}

static void bodies_that_are_something_else_are_refused(void)
{
	char many[2000] = "{\"matchers\":[\"{}\"";

	CHECK_EQ(read_json(QUERIER_Series, "x"), -EBADMSG);
	CHECK(fault.text[0]);
	CHECK_EQ(read_json(QUERIER_Series, "{\"matchers\":\"{}\"}"), -EINVAL);
	CHECK_STR(fault.text, "matchers: another kind of value must stand here");
	CHECK_EQ(read_json(QUERIER_Series, "{\"start\":\"soon\"}"), -EINVAL);
	CHECK_EQ(read_json(QUERIER_Series, "{\"start\":1e300}"), -EINVAL);
	CHECK_EQ(read_json(QUERIER_SelectSeries, "{\"step\":\"1\"}"), -EINVAL);
	CHECK_EQ(read_proto(QUERIER_Series, "\x0a\x7f", 2), -EBADMSG);
	/* start as a text; a text with a NUL */
	CHECK_EQ(read_proto(QUERIER_Series, "\x1a\x01x", 3), -EBADMSG);
	CHECK_EQ(read_proto(QUERIER_Series, "\x0a\x02{\0", 4), -EINVAL);
	for (uint32_t i = 0; i < QUERIER_TEXT_COUNT_MAX; i++)
		strcat(many, ",\"{}\"");
	strcat(many, "]}");
	CHECK_EQ(read_json(QUERIER_Series, many), -E2BIG);
}

int main(void)
{
	RUN(methods_are_found_by_name);
	RUN(both_encodings_say_the_same);
	RUN(a_comparison_has_two_sides);
	RUN(bodies_that_are_something_else_are_refused);
	return 0;
}
