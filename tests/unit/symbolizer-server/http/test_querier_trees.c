/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs, from the bytes of the request to those of the answer. */
#include "symbolizer-server/http/querier_call.h"

#include "tests/support/querier_fixture.h"

#define ASKED "\"profileTypeID\":\"" QUERIER_TYPE "\",\"labelSelector\":"
#define SHOP ASKED "\"{service_name=\\\"shop\\\"}\"," QUERIER_RANGE
#define BANK ASKED "\"{service_name=\\\"bank\\\"}\"," QUERIER_RANGE
#define TREE "SelectMergeStacktraces"

static void a_tree_is_levels_of_four_numbers(void)
{
	querier_says(TREE, "{" SHOP ",\"maxNodes\":\"1024\"}", 200,
		"{\"flamegraph\":{\"names\":[\"total\",\"main\",\"f\",\"g\"],\"levels\":["
		"{\"values\":[\"0\",\"100000000\",\"0\",\"0\"]},"
		"{\"values\":[\"0\",\"100000000\",\"0\",\"1\"]},"
		"{\"values\":[\"0\",\"100000000\",\"60000000\",\"2\"]},"
		"{\"values\":[\"60000000\",\"40000000\",\"40000000\",\"3\"]}],"
		"\"total\":\"100000000\",\"maxSelf\":\"60000000\"}}");
}

static void a_range_without_data_has_a_root(void)
{
	const char *empty =
		"{\"flamegraph\":{\"names\":[\"total\"],\"levels\":[{\"values\":[\"0\",\"0\",\"0\","
		"\"0\"]}]}}";

	querier_says(TREE, "{" ASKED "\"{}\",\"start\":1000,\"end\":2000}", 200, empty);
	querier_says(
		"SelectMergeSpanProfile", "{" SHOP ",\"spanSelector\":[\"9a51\"]}", 200, empty);
}

static void both_sides_have_the_same_nodes(void)
{
	querier_says("Diff", "{\"left\":{" SHOP "},\"right\":{" BANK "}}", 200,
		"{\"flamegraph\":{\"names\":[\"total\",\"main\",\"f\",\"h\",\"g\"],\"levels\":["
		"{\"values\":[\"0\",\"100000000\",\"0\",\"0\",\"30000000\",\"0\",\"0\"]},"
		"{\"values\":[\"0\",\"100000000\",\"0\",\"0\",\"30000000\",\"0\",\"1\"]},"
		"{\"values\":[\"0\",\"100000000\",\"60000000\",\"0\",\"20000000\",\"20000000\","
		"\"2\","
		"\"0\",\"0\",\"0\",\"0\",\"10000000\",\"10000000\",\"3\"]},"
		"{\"values\":[\"60000000\",\"40000000\",\"40000000\",\"20000000\",\"0\",\"0\","
		"\"4\"]}"
		"],\"total\":\"130000000\",\"maxSelf\":\"60000000\",\"leftTicks\":\"100000000\","
		"\"rightTicks\":\"30000000\"}}");
}

static void a_profile_is_that_of_pprof(void)
{
	querier_says("SelectMergeProfile", "{" SHOP ",\"maxNodes\":\"2\"}", 200,
		"{\"sampleType\":[{\"type\":\"1\",\"unit\":\"2\"}],\"sample\":[{\"locationId\":["
		"\"5\"],\"value\":[\"100000000\"]}],\"location\":[{\"id\":\"5\",\"line\":[{"
		"\"functionId\":\"5\"}]}],\"function\":[{\"id\":\"5\",\"name\":\"3\","
		"\"systemName\":\"3\"}],\"timeNanos\":\"1700000000000000000\","
		"\"durationNanos\":\"60000000000\",\"periodType\":{\"type\":\"1\",\"unit\":\"2\"},"
		"\"period\":\"10000000\",\"comment\":[\"4\"],\"stringTable\":[\"\",\"cpu\","
		"\"nanoseconds\",\"(3 small)\",\"{service_name=\\\"shop\\\"}\"]}");
}

static void refuses(
	const char *method, const char *json, int status, const char *code, const char *message)
{
	char expected[512];

	(void)snprintf(expected, sizeof(expected), "{\"code\":\"%s\",\"message\":\"%s\"}\n", code,
		message);
	querier_says(method, json, status, expected);
}

static void what_cannot_be_answered_says_why(void)
{
	refuses(TREE, "{" ASKED "\"{}\"}", 400, "invalid_argument",
		"missing time range in the query: start, end");
	refuses(TREE, "{" ASKED "\"{}\",\"start\":5,\"end\":4}", 400, "invalid_argument",
		"start is after end");
	refuses(TREE, "{\"profileTypeID\":\"cpu\"," QUERIER_RANGE "}", 400, "invalid_argument",
		"profileTypeID: a type of five parts must stand here, as " QUERIER_TYPE
		", not 'cpu'");
	refuses(TREE, "{" SHOP ",\"maxNodes\":-1}", 400, "invalid_argument",
		"max nodes: 1 to 1048576 may be asked for, not -1");
	refuses(TREE, "{" SHOP ",\"format\":\"PROFILE_FORMAT_TREE\"}", 501, "unimplemented",
		"format: a flame graph is what is answered here");
	refuses(TREE, "{" SHOP ",\"stackTraceSelector\":{\"callSite\":[{\"name\":\"main\"}]}}", 501,
		"unimplemented",
		"stackTraceSelector: subtrees of a call site are not cut out here; the page "
		"focuses on them");
	refuses(TREE, "{" SHOP ",\"spanSelector\":[\"9a51\"]}", 501, "unimplemented",
		"profiles of single spans, traces and uploads are not kept apart here");
	refuses("Diff", "{\"left\":{" SHOP "}}", 400, "invalid_argument",
		"left, right: both sides must be there");
	refuses("Diff", "{\"left\":{" SHOP "},\"right\":{\"profileTypeID\":\"a:b:c:d:e\"}}", 400,
		"invalid_argument", "both sides must be of the same profile type");
}

int main(void)
{
	work_dir();
	querier_fixture_init();
	RUN(a_tree_is_levels_of_four_numbers);
	RUN(a_range_without_data_has_a_root);
	RUN(both_sides_have_the_same_nodes);
	RUN(a_profile_is_that_of_pprof);
	RUN(what_cannot_be_answered_says_why);
	querier_fixture_done();
	return 0;
}
