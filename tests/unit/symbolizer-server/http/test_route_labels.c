/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of a real cairn-server over a folder that the test filled. */
#include <signal.h>

#include "store/disk/profile_store.h"
#include "tests/support/check.h"
#include "tests/support/labelled_profile.h"
#include "tests/support/raw_http.h"
#include "tests/support/spawned.h"
#include "tests/support/work_dir.h"

#define START (UINT64_C(1700000000) * NS_PER_S)
#define RANGE "&from=1700000000&until=1700000100"
#define OFF_CPU "off_cpu:off_cpu:nanoseconds::"

static struct spawned server;
static char *address;

static void on_durable(void *context, int result)
{
	(void)context;
	CHECK_EQ(result, 0);
}

static void append(struct profile_store *store, const char *host, uint64_t number)
{
	struct batch_key key = {.instance = {7}, .sequence = number};
	struct profile *profile = labelled_profile_new(host, START + number * 10 * NS_PER_S);

	labelled_profile_add(profile, NULL, "service_name=shop,process=web");
	labelled_profile_add(profile, NULL, "service_name=shop,process=db\"quoted");
	labelled_profile_add(profile, OFF_CPU, "service_name=idle,process=waits");
	labelled_profile_seal(profile);
	CHECK_EQ(profile_store_append(store, &key, profile, on_durable, NULL), 0);
	profile_free(profile);
}

static void fill_store(const char *folder)
{
	struct profile_store_config config = {
		.dir = folder, .retain_ns = UINT64_MAX, .clock = clock_system()};
	struct profile_store_report report;
	struct profile_store *store;

	CHECK_EQ(profile_store_open(&config, &report, &store), 0);
	append(store, "a", 0);
	append(store, "b", 1);
	CHECK_EQ(profile_store_flush(store), 0);
	profile_store_close(store);
}

static void answers(int status, const char *target, const char *body)
{
	struct raw_http answer = raw_http_get(address, target, "");

	if (answer.status != status || !strstr(answer.body, body))
		fprintf(stderr, "%s: %s\n", target, answer.bytes);
	CHECK_EQ(answer.status, status);
	CHECK(strstr(answer.body, body));
	raw_http_done(&answer);
}

#define VALUES(parameters) "/api/v1/labels?name=process" RANGE parameters
#define QUOTED "{\"label\":\"db\\\"quoted\"}"
/* No catalogue answers a regular expression. */
#define SLOW "&query=%7Bhost=~%22a|b%22%7D"

static void values_come_in_pages_from_catalogue_and_profiles_alike(void)
{
	answers(200, VALUES(""),
		"{\"name\":\"process\",\"values\":[" QUOTED
		",{\"label\":\"waits\"},{\"label\":\"web\"}]}");
	answers(200, VALUES(SLOW),
		"{\"name\":\"process\",\"values\":[" QUOTED
		",{\"label\":\"waits\"},{\"label\":\"web\"}]}");
	answers(200, VALUES("&limit=1"), "\"values\":[" QUOTED "],\"next\":\"db\\\"quoted\"}");
	answers(200, VALUES("&limit=1" SLOW), "\"values\":[" QUOTED "],\"next\":\"db\\\"quoted\"}");
	answers(200, VALUES("&after=db%22quoted&limit=2"),
		"\"values\":[{\"label\":\"waits\"},{\"label\":\"web\"}]}");
	answers(200, VALUES("&after=db%22quoted&limit=2" SLOW),
		"\"values\":[{\"label\":\"waits\"},{\"label\":\"web\"}]}");
	answers(200, VALUES("&prefix=we"), "\"values\":[{\"label\":\"web\"}]}");
	answers(200, VALUES("&prefix=we" SLOW), "\"values\":[{\"label\":\"web\"}]}");
	answers(200, VALUES("&query=" OFF_CPU), "\"values\":[{\"label\":\"waits\"}]}");
	answers(200, VALUES("&host=none"), "\"values\":[]}");
	answers(200, VALUES("&limit=1&total=yes"),
		"],\"next\":\"db\\\"quoted\",\"value_count\":3}");
	answers(200, VALUES("&limit=1&total=yes&prefix=w" SLOW),
		"],\"next\":\"waits\",\"value_count\":2}");
	answers(200, "/api/v1/labels?name=process&from=1700000000&until=1700000000",
		"\"values\":[]}");
}

static void columns_are_read_from_profiles(void)
{
	answers(200, "/api/v1/labels?name=pid&limit=2" RANGE,
		"{\"name\":\"pid\",\"values\":[{\"label\":\"100\"},{\"label\":\"101\"}],"
		"\"next\":\"101\"}");
	answers(200, "/api/v1/labels?name=cpu" RANGE, "\"values\":[");
}

static void counts_are_of_the_very_range_and_the_largest_first(void)
{
	answers(200, VALUES("&counts=yes"),
		"\"values\":[{\"label\":\"db\\\"quoted\",\"samples\":2,\"value\":20000000},"
		"{\"label\":\"web\",\"samples\":2,\"value\":20000000}],\"value_count\":2}");
	answers(200, VALUES("&counts=yes&limit=1&prefix=w"),
		"\"values\":[{\"label\":\"web\",\"samples\":2,\"value\":20000000}],"
		"\"value_count\":1}");
	answers(200, "/api/v1/labels?name=pid&counts=yes&limit=1" RANGE,
		"{\"label\":\"100\",\"samples\":2,\"value\":20000000}],\"value_count\":2}");
	answers(200, "/api/v1/labels?name=host&counts=yes&from=1700000000&until=1700000001",
		"\"values\":[{\"label\":\"a\",\"samples\":2,\"value\":20000000}]");
}

static void names_are_of_series_and_columns(void)
{
	static const char names[] = "[\"cpu\",\"host\",\"pid\",\"process\",\"service_name\","
				    "\"thread\",\"tid\"]";

	answers(200, "/api/v1/labels?x" RANGE, names);
	answers(200, "/api/v1/labels?x" RANGE SLOW, names);
	answers(200, "/api/v1/labels?limit=2&after=host" RANGE,
		"{\"labels\":[\"pid\",\"process\"],\"next\":\"process\"}");
	answers(200, "/pyroscope/labels?x" RANGE, names);
	answers(200, "/pyroscope/labels?prefix=p" RANGE, "[\"pid\",\"process\"]");
	answers(200, "/pyroscope/labels?from=1600000000&until=1600000100", "[]");
}

static void pyroscopes_lists_are_arrays(void)
{
	answers(200,
		"/pyroscope/label-values?label=__name__" RANGE "&query=%7Bprocess=%22waits%22%7D",
		"[\"" OFF_CPU "\"]");
	answers(200, "/pyroscope/label-values?label=__name__" RANGE,
		"[\"off_cpu:off_cpu:nanoseconds::\","
		"\"process_cpu:cpu:nanoseconds:cpu:nanoseconds\"]");
	answers(200, "/pyroscope/label-values?label=__name__" RANGE SLOW,
		"[\"off_cpu:off_cpu:nanoseconds::\","
		"\"process_cpu:cpu:nanoseconds:cpu:nanoseconds\"]");
	answers(200, "/pyroscope/label-values?label=host" RANGE "&query=%7Bprocess=%22web%22%7D",
		"[\"a\",\"b\"]");
	answers(200, "/pyroscope/label-values?label=__service_name__&limit=1" RANGE, "[\"idle\"]");
}

static void wrong_requests_say_what_to_mend(void)
{
	answers(400, VALUES("&counts=maybe"), "yes or no");
	answers(400, VALUES("&counts=yes&after=a"), "without counts");
	answers(400, "/api/v1/labels?counts=yes", "name=");
	answers(400, VALUES("&limit=0"), "whole number");
	answers(400, "/pyroscope/label-values", "name of a label");
	answers(400, "/pyroscope/labels?query=%7B", "query");
}

int main(void)
{
	const char *const arguments[] = {"--data", work_path("data"), "--http", "127.0.0.1:0",
		"--grpc", "127.0.0.1:0", "--retain-time", "forever", NULL};

	fill_store(work_path("data"));
	spawned_start(&server, "cairn-server", arguments);
	address = spawned_wait_line(&server, "listening http ");
	RUN(values_come_in_pages_from_catalogue_and_profiles_alike);
	RUN(columns_are_read_from_profiles);
	RUN(counts_are_of_the_very_range_and_the_largest_first);
	RUN(names_are_of_series_and_columns);
	RUN(pyroscopes_lists_are_arrays);
	RUN(wrong_requests_say_what_to_mend);
	CHECK_EQ(kill(server.pid, SIGTERM), 0);
	CHECK_EQ(spawned_wait(&server), 0);
	spawned_done(&server);
	free(address);
	return 0;
}
