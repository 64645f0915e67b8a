/* SPDX-License-Identifier: Apache-2.0 */
/* Values over time, from the bytes of the request to those of the answer. */
#include "symbolizer-server/http/querier_call.h"

#include "tests/support/querier_fixture.h"

#define ASKED "\"profileTypeID\":\"" QUERIER_TYPE "\",\"labelSelector\":\"{}\"," QUERIER_RANGE

static void a_point_has_what_came_before_it(void)
{
	querier_says("SelectSeries", "{" ASKED ",\"step\":10}", 200,
		"{\"series\":[{\"points\":[{\"value\":100000000.000000,\"timestamp\":"
		"\"1700000010000\"},"
		"{\"value\":30000000.000000,\"timestamp\":\"1700000030000\"}]}]}");
	querier_says("SelectSeries", "{" ASKED ",\"step\":60}", 200,
		"{\"series\":[{\"points\":[{\"value\":130000000.000000,\"timestamp\":"
		"\"1700000060000\"}"
		"]}]}");
}

/* Slots tell what ten seconds do not. */
static void steps_that_are_not_of_ten_seconds_are_cut_by_slots(void)
{
	querier_says("SelectSeries", "{" ASKED ",\"step\":2}", 200,
		"{\"series\":[{\"points\":[{\"value\":60000000.000000,\"timestamp\":"
		"\"1700000002000\"},"
		"{\"value\":40000000.000000,\"timestamp\":\"1700000004000\"},"
		"{\"value\":20000000.000000,\"timestamp\":\"1700000022000\"},"
		"{\"value\":10000000.000000,\"timestamp\":\"1700000024000\"}]}]}");
}

static void groups_come_by_their_sums(void)
{
	const char *shop =
		"{\"labels\":[{\"name\":\"service_name\",\"value\":\"shop\"}],\"points\":[{"
		"\"value\":100000000.000000,\"timestamp\":\"1700000060000\"}]}";
	char both[1024], one[512];

	(void)snprintf(both, sizeof(both),
		"{\"series\":[%s,{\"labels\":[{\"name\":\"service_name\",\"value\":\"bank\"}],"
		"\"points\":[{\"value\":30000000.000000,\"timestamp\":\"1700000060000\"}]}]}",
		shop);
	(void)snprintf(one, sizeof(one), "{\"series\":[%s]}", shop);
	querier_says("SelectSeries",
		"{" ASKED ",\"step\":60,\"groupBy\":[\"service_name\",\"nothing\"]}", 200, both);
	querier_says("SelectSeries",
		"{" ASKED ",\"step\":60,\"groupBy\":[\"service_name\"],\"limit\":\"1\"}", 200, one);
}

static void what_cannot_be_answered_says_why(void)
{
	querier_says("SelectSeries", "{" ASKED "}", 400,
		"{\"code\":\"invalid_argument\",\"message\":\"step: at least a millisecond\"}\n");
	querier_says("SelectSeries", "{" ASKED ",\"step\":0.002}", 400,
		"{\"code\":\"invalid_argument\",\"message\":\"step: makes more than 20000 points "
		"of "
		"this range\"}\n");
	querier_says("SelectSeries",
		"{" ASKED ",\"step\":1,\"aggregation\":\"TIME_SERIES_AGGREGATION_TYPE_AVERAGE\"}",
		501,
		"{\"code\":\"unimplemented\",\"message\":\"aggregation: sums are what is answered "
		"here\"}\n");
	querier_says("SelectSeries",
		"{" ASKED ",\"step\":1,\"groupBy\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}", 400,
		"{\"code\":\"invalid_argument\",\"message\":\"groupBy: at most 4 labels\"}\n");
}

int main(void)
{
	work_dir();
	querier_fixture_init();
	RUN(a_point_has_what_came_before_it);
	RUN(steps_that_are_not_of_ten_seconds_are_cut_by_slots);
	RUN(groups_come_by_their_sums);
	RUN(what_cannot_be_answered_says_why);
	querier_fixture_done();
	return 0;
}
