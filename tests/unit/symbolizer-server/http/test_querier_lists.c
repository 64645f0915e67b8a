/* SPDX-License-Identifier: Apache-2.0 */
/* What Grafana's pickers show, from the bytes of the request to those of the answer. */
#include "symbolizer-server/http/querier_call.h"

#include "tests/support/querier_fixture.h"

#define TYPE_MESSAGE                                                                    \
	"{\"profileTypes\":[{\"ID\":\"" QUERIER_TYPE "\",\"name\":\"process_cpu\","     \
	"\"sampleType\":\"cpu\",\"sampleUnit\":\"nanoseconds\",\"periodType\":\"cpu\"," \
	"\"periodUnit\":\"nanoseconds\"}]}"

static void types_are_answered_for_any_range(void)
{
	querier_says("ProfileTypes", "{" QUERIER_RANGE "}", 200, TYPE_MESSAGE);
	querier_says("ProfileTypes", "{}", 200, TYPE_MESSAGE);
	querier_says("ProfileTypes", "{\"start\":1000,\"end\":4000}", 200, "{}");
	querier_says("ProfileTypes", "{\"start\":\"1700000060000\",\"end\":\"1\"}", 200, "{}");
}

static void labels_are_those_of_the_series_that_all_matchers_mean(void)
{
	querier_says("LabelNames",
		"{\"matchers\":[\"{service_name=\\\"shop\\\"}\"]," QUERIER_RANGE "}", 200,
		"{\"names\":[\"cpu\",\"host\",\"pid\",\"process\",\"service_name\",\"thread\","
		"\"tid\"]}");
	querier_says("LabelValues", "{\"name\":\"service_name\"," QUERIER_RANGE "}", 200,
		"{\"names\":[\"bank\",\"shop\"]}");
	querier_says("LabelValues",
		"{\"name\":\"service_name\",\"matchers\":[\"{host=\\\"a\\\"}\","
		"\"{__profile_type__=\\\"" QUERIER_TYPE "\\\"}\",\"{}\"]," QUERIER_RANGE "}",
		200, "{\"names\":[\"shop\"]}");
	querier_says("LabelValues",
		"{\"name\":\"service_name\",\"matchers\":[\"{host=\\\"a\\\"}\","
		"\"{host=\\\"b\\\"}\"]," QUERIER_RANGE "}",
		200, "{}");
	querier_says("LabelValues", "{\"name\":\"__name__\"}", 200,
		"{\"names\":[\"" QUERIER_TYPE "\"]}");
	querier_says("LabelValues", "{" QUERIER_RANGE "}", 400,
		"{\"code\":\"invalid_argument\",\"message\":\"name: a label must stand here, as "
		"service_name\"}\n");
}

static void series_are_projections_sorted_by_label(void)
{
	querier_says("Series",
		"{\"labelNames\":[\"service_name\",\"__profile_type__\"]," QUERIER_RANGE "}", 200,
		"{\"labelsSet\":[{\"labels\":[{\"name\":\"__profile_type__\",\"value\":"
		"\"" QUERIER_TYPE
		"\"},{\"name\":\"service_name\",\"value\":\"shop\"}]},{\"labels\":["
		"{\"name\":\"__profile_type__\",\"value\":\"" QUERIER_TYPE
		"\"},{\"name\":\"service_name\",\"value\":\"bank\"}]}]}");
	querier_says("Series", "{\"matchers\":[\"{host=\\\"b\\\"}\"]," QUERIER_RANGE "}", 200,
		"{\"labelsSet\":[{\"labels\":[{\"name\":\"__profile_type__\",\"value\":"
		"\"" QUERIER_TYPE
		"\"},{\"name\":\"host\",\"value\":\"b\"},{\"name\":\"process\",\"value\":\"bank\"},"
		"{\"name\":\"service_name\",\"value\":\"bank\"}]}]}");
	querier_says("Series", "{\"start\":1,\"end\":2}", 200, "{}");
	querier_says("Series", "{\"matchers\":[\"{host=}\"]," QUERIER_RANGE "}", 400,
		"{\"code\":\"invalid_argument\",\"message\":\"selector, character 7: the value "
		"must "
		"stand in quotes\"}\n");
}

static void what_there_is_has_two_ends(void)
{
	querier_says("GetProfileStats", "{}", 200,
		"{\"dataIngested\":true,\"oldestProfileTime\":\"1700000000000\","
		"\"newestProfileTime\":\"1700000030000\"}");
}

int main(void)
{
	work_dir();
	querier_fixture_init();
	RUN(types_are_answered_for_any_range);
	RUN(labels_are_those_of_the_series_that_all_matchers_mean);
	RUN(series_are_projections_sorted_by_label);
	RUN(what_there_is_has_two_ends);
	querier_fixture_done();
	return 0;
}
