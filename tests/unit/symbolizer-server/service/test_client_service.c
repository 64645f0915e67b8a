/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/service/client_service.h"

#include <errno.h>

#include "store/disk/profile_store.h"
#include "symbolizer-server/ingest/ingest_desk.h"
#include "symbolizer-server/service/grpc_service.h"
#include "tests/support/call_probe.h"
#include "tests/support/check.h"
#include "tests/support/made_otlp.h"
#include "tests/support/made_pprof.h"
#include "tests/support/work_dir.h"

#define PATIENCE_NS (UINT64_C(60) * NS_PER_S)
#define EXPORT "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
#define PUSH "/push.v1.PusherService/Push"

static struct profile_store *store;
static struct ingest_desk *desk;
static struct grpc_service *service;
static struct rpc_client *client;
static struct proto_text message;

static void start(const char *folder, uint64_t retain_ns)
{
	struct profile_store_config config = {
		.dir = work_path("%s", folder), .clock = clock_system(), .retain_ns = retain_ns};
	struct grpc_service_options options = {.address = "127.0.0.1:0", .clock = clock_system()};
	struct profile_store_report report;

	CHECK_EQ(profile_store_open(&config, &report, &store), 0);
	CHECK_EQ(ingest_desk_new(store, NULL, NULL, &desk), 0);
	options.store = store;
	options.desk = desk;
	CHECK_EQ(grpc_service_new(&options, &service), 0);
	client = probe_client(grpc_service_port(service));
}

static void stop(void)
{
	rpc_client_free(client);
	CHECK_EQ(grpc_service_stop(service, PATIENCE_NS), 0);
	profile_store_close(store);
	grpc_service_free(service);
	ingest_desk_free(desk);
}

static int add_samples(void *context, const struct profile *profile)
{
	*(uint64_t *)context += profile_sample_count(profile);
	return 0;
}

static uint64_t stored_samples(void)
{
	uint64_t samples = 0;

	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, NULL, add_samples, &samples), 0);
	return samples;
}

/* One unary call with the message at hand. */
static void call(const char *path, struct call_probe *probe)
{
	probe_open(probe, client, path);
	probe_send(probe, message.bytes, message.length);
	rpc_call_half_close(probe->call);
	probe_wait_closed(probe);
}

static void exports_are_stored_and_answered_by_an_empty_message(void)
{
	struct proto_text profile;
	struct call_probe probe;

	made_otlp_profile(&profile);
	made_otlp_request(&message, &profile, 1, true);
	call(EXPORT, &probe);
	CHECK_EQ(probe.result, 0);
	CHECK_EQ(probe.message_count, 1);
	CHECK_EQ(probe.messages[0].byte_count, 0);
	CHECK_EQ(stored_samples(), 2);
	probe_close(&probe);
}

static void what_is_stored_in_part_says_so(void)
{
	struct proto_text profiles[2];
	struct call_probe probe;

	made_otlp_profile(&profiles[0]);
	profiles[1].length = 0;
	proto_span(&profiles[1], 3, "\1\2", 2);
	made_otlp_request(&message, profiles, 2, false);
	call(EXPORT, &probe);
	CHECK_EQ(probe.result, 0);
	CHECK(probe.messages[0].byte_count > 0);
	CHECK_EQ(stored_samples(), 4);
	probe_close(&probe);
	made_otlp_request(&message, &profiles[1], 1, false);
	call(EXPORT, &probe);
	CHECK_EQ(probe.result, -EINVAL);
	CHECK(strstr(probe.text, "before 1.10"));
	probe_close(&probe);
}

static void pushes_are_stored_or_refused(void)
{
	struct proto_text pprof, sample = {.length = 0}, series = {.length = 0};
	struct call_probe probe;

	made_pprof(&pprof, 1);
	proto_inner(&sample, 1, &pprof);
	proto_inner(&series, 2, &sample);
	message.length = 0;
	proto_inner(&message, 1, &series);
	call(PUSH, &probe);
	CHECK_EQ(probe.result, 0);
	CHECK_EQ(probe.message_count, 1);
	CHECK_EQ(stored_samples(), 4 + 8);
	probe_close(&probe);
	message.length = 0;
	call(PUSH, &probe);
	CHECK_EQ(probe.result, -EINVAL);
	CHECK_STR(probe.text, "no profiles received");
	probe_close(&probe);
}

static void a_call_without_a_message_is_refused(void)
{
	struct call_probe probe;

	probe_open(&probe, client, PUSH);
	rpc_call_half_close(probe.call);
	probe_wait_closed(&probe);
	CHECK_EQ(probe.result, -EINVAL);
	probe_close(&probe);
}

static void what_is_too_old_is_refused(void)
{
	struct proto_text profile = {.length = 0};
	struct call_probe probe;

	stop();
	start("old", NS_PER_S);
	PROTO_ROW(&profile, 2, {1, 1}, {4, 3});
	made_otlp_fixed64(&profile, 3, NS_PER_S);
	proto_number(&profile, 4, NS_PER_S);
	made_otlp_request(&message, &profile, 1, false);
	call(EXPORT, &probe);
	CHECK_EQ(probe.result, -EINVAL);
	CHECK(strstr(probe.text, "older"));
	probe_close(&probe);
}

int main(void)
{
	start("store", UINT64_MAX);
	RUN(exports_are_stored_and_answered_by_an_empty_message);
	RUN(what_is_stored_in_part_says_so);
	RUN(pushes_are_stored_or_refused);
	RUN(a_call_without_a_message_is_refused);
	RUN(what_is_too_old_is_refused);
	stop();
	return 0;
}
