/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, processes and types of a real cairn-server over a folder that the test filled. */
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

static void hosts_have_their_windows_and_what_they_run(void)
{
	answers(200, "/api/v1/hosts?x" RANGE, "{\"hosts\":[{\"host\":\"a\",");
	answers(200, "/api/v1/hosts?x" RANGE,
		"{\"host\":\"b\",\"first_seen\":1700000010000000000,"
		"\"last_seen\":1700000020000000000,\"last_received\":");
	/* None was heard from since the server started. */
	answers(200, "/api/v1/hosts?host=b" RANGE,
		"\"clock_skew_ns\":null,\"samples\":2,\"value\":20000000,"
		"\"kernel\":\"6.1.0-test\",\"collector\":\"0.1.0\"}]}");
	answers(200, "/api/v1/hosts?query=" OFF_CPU RANGE, "\"samples\":1,\"value\":10000000,");
	answers(200, "/api/v1/hosts?query=%7Bprocess=%22none%22%7D" RANGE,
		"\"samples\":0,\"value\":0,");
	answers(200, "/api/v1/hosts?from=1700000000&until=1700000000", "{\"hosts\":[]}");
	answers(200, "/api/v1/hosts?from=1600000000&until=1600000100", "{\"hosts\":[]}");
}

static void processes_have_service_and_host(void)
{
	answers(200, "/api/v1/processes?host=a" RANGE,
		"{\"processes\":[{\"process\":\"db\\\"quoted\",\"service_name\":\"shop\","
		"\"host\":\"a\",\"samples\":1,\"value\":10000000},{\"process\":\"web\",");
	answers(200, "/api/v1/processes?query=" OFF_CPU RANGE,
		"\"process\":\"waits\",\"service_name\":\"idle\",\"host\":\"a\"");
	/* A matcher on what rows alone tell. */
	answers(200, "/api/v1/processes?query=%7Bpid=%22101%22,host=%22b%22%7D" RANGE,
		"{\"processes\":[{\"process\":\"db\\\"quoted\",\"service_name\":\"shop\","
		"\"host\":\"b\",\"samples\":1,\"value\":10000000}]}");
}

static void types_are_those_with_samples(void)
{
	answers(200, "/api/v1/types?x" RANGE,
		"{\"id\":\"process_cpu:cpu:nanoseconds:cpu:nanoseconds\",\"samples\":4,"
		"\"value\":40000000,\"unit\":\"nanoseconds\"}");
	answers(200, "/api/v1/types?query=%7Bservice_name=%22idle%22%7D" RANGE,
		"{\"types\":[{\"id\":\"" OFF_CPU "\",\"samples\":2,\"value\":20000000,");
	answers(200, "/api/v1/types?from=1600000000&until=1600000100", "{\"types\":[]}");
}

static void wrong_requests_say_what_to_mend(void)
{
	answers(400, "/api/v1/hosts?query=a:b:c", "five parts");
	answers(400, "/api/v1/types?from=never", "from");
}

int main(void)
{
	const char *const arguments[] = {"--data", work_path("data"), "--http", "127.0.0.1:0",
		"--grpc", "127.0.0.1:0", "--retain-time", "forever", NULL};

	fill_store(work_path("data"));
	spawned_start(&server, "cairn-server", arguments);
	address = spawned_wait_line(&server, "listening http ");
	RUN(hosts_have_their_windows_and_what_they_run);
	RUN(processes_have_service_and_host);
	RUN(types_are_those_with_samples);
	RUN(wrong_requests_say_what_to_mend);
	CHECK_EQ(kill(server.pid, SIGTERM), 0);
	CHECK_EQ(spawned_wait(&server), 0);
	spawned_done(&server);
	free(address);
	return 0;
}
