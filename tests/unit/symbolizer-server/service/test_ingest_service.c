/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/service/ingest_service.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/wire/profile_wire.h"
#include "store/base/cleanup.h"
#include "store/disk/profile_store.h"
#include "store/log/log.h"
#include "symbolizer-server/guard/label_guard.h"
#include "symbolizer-server/service/grpc_service.h"
#include "symbolizer-server/status/host_board.h"
#include "tests/support/call_probe.h"
#include "tests/support/check.h"
#include "tests/support/fake_collector.h"
#include "tests/support/random.h"
#include "tests/support/sample_profile.h"
#include "tests/support/work_dir.h"

#define PATIENCE_NS (UINT64_C(60) * NS_PER_S)
#define START_NS (UINT64_C(1700000000) * NS_PER_S)
#define WINDOW_NS (10 * NS_PER_S)
#define WINDOW_SAMPLES 5
#define STREAM_COUNT 20

/* Stands in front of libc's own. */
static atomic_bool hangs;

int fdatasync(int fd)
{
	while (atomic_load(&hangs))
		usleep(1000);
	return (int)syscall(SYS_fdatasync, fd);
}

/* ---- A server over a store of its own ---- */

static struct profile_store *store;
static struct host_board *hosts;
static struct grpc_service *service;
static struct label_guard *guard;
static struct rpc_client *client;

static void start(const char *folder, uint64_t retain_ns, bool read_only)
{
	struct profile_store_config config = {.dir = work_path("%s", folder),
		.retain_ns = retain_ns,
		.clock = clock_system(),
		.read_only = read_only};
	struct grpc_service_options options = {.address = "127.0.0.1:0", .clock = clock_system()};
	const struct label_guard_limits limits = {.values_max = 2, .series_max = 8, .total_max = 9};
	struct profile_store_report report;

	CHECK_EQ(label_guard_new(&limits, &guard), 0);
	CHECK_EQ(profile_store_open(&config, &report, &store), 0);
	CHECK_EQ(host_board_new(&hosts), 0);
	options.store = store;
	options.hosts = hosts;
	options.guard = guard;
	CHECK_EQ(grpc_service_new(&options, &service), 0);
	client = probe_client(grpc_service_port(service));
}

static void stop(void)
{
	rpc_client_free(client);
	CHECK_EQ(grpc_service_stop(service, PATIENCE_NS), 0);
	profile_store_close(store);
	grpc_service_free(service);
	label_guard_free(guard);
	host_board_free(hosts);
}

struct wanted_counter {
	const char *name;
	uint64_t value;
	bool found;
};

static void find_counter(void *context, const struct counted *counted)
{
	struct wanted_counter *wanted = context;

	CHECK(strlen(counted->meaning) > 5);
	CHECK(!counted_is_level(counted->meaning) || strstr(counted->meaning, "now"));
	if (strcmp(counted->name, wanted->name) != 0)
		return;
	CHECK(!wanted->found);
	wanted->found = true;
	wanted->value = counted->value;
}

static uint64_t counter(const char *name)
{
	struct wanted_counter wanted = {.name = name};

	grpc_service_visit_counters(service, find_counter, &wanted);
	CHECK(wanted.found);
	return wanted.value;
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

/* ---- A collector ---- */

static struct profile *window(uint64_t number)
{
	struct profile *profile =
		sample_profile_new("host-a", START_NS + number * WINDOW_NS, WINDOW_NS);

	for (uint32_t i = 0; i < WINDOW_SAMPLES; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){
				.stack = i % 2 ? "main;libwork.so@0x40" : "main;[kernel]@0x10",
				.slot = i});
	}
	sample_profile_seal(profile);
	return profile;
}

static struct profile_wire_body body_of(uint64_t number)
{
	struct profile *profile = window(number);
	struct profile_wire_bodies bodies;
	struct profile_wire_body body;

	CHECK_EQ(profile_wire_encode(profile, &profile_wire_limits_default, &bodies), 0);
	CHECK_EQ(bodies.count, 1);
	body = bodies.bodies[0];
	bodies.bodies[0].bytes = NULL;
	profile_wire_bodies_done(&bodies);
	profile_free(profile);
	return body;
}

static void send_batch(struct call_probe *probe, uint8_t instance, uint64_t sequence)
{
	struct profile_wire_body body = body_of(sequence);

	collector_send(probe, instance, sequence, &body);
	free(body.bytes);
}

/* ---- Tests ---- */

static void a_hello_is_welcomed(void)
{
	struct wire_push_reply reply;
	struct call_probe probe;
	struct arena arena;

	start("welcome", UINT64_MAX, false);
	for (uint32_t version = WIRE_VERSION - 1; version <= WIRE_VERSION + 1; version++) {
		probe_open(&probe, client, INGEST_PUSH_PATH);
		collector_hello(&probe, version);
		arena_init(&arena, 1 << 16);
		collector_reply(&probe, 0, &arena, &reply);
		CHECK_EQ(reply.kind, WIRE_REPLY_WELCOME);
		CHECK_EQ(reply.welcome.version, WIRE_VERSION);
		CHECK_EQ(reply.welcome.unacknowledged_max, INGEST_UNACKNOWLEDGED_MAX);
		arena_done(&arena);
		probe_close(&probe);
	}
	CHECK_EQ(counter("ingest_hellos"), 3);
	stop();
}

static void a_foreign_version_is_refused_with_a_reason(void)
{
	struct call_probe probe;

	start("version", UINT64_MAX, false);
	probe_open(&probe, client, INGEST_PUSH_PATH);
	collector_hello(&probe, WIRE_VERSION + 2);
	CHECK_EQ(probe_wait_closed(&probe), -EPROTONOSUPPORT);
	CHECK(strstr(probe.text, "speaks version 1"));
	CHECK(strstr(probe.text, "the collector version 3"));
	probe_close(&probe);
	CHECK_EQ(counter("ingest_versions_refused"), 1);
	stop();
}

static void a_batch_is_stored_once_however_often_it_comes(void)
{
	struct host_snapshot snapshot;
	struct call_probe probe;

	start("once", UINT64_MAX, false);
	collector_open(&probe, client);
	send_batch(&probe, 1, 0);
	collector_check_ack(&probe, 1, 0, WIRE_ACK_STORED);
	send_batch(&probe, 1, 0);
	collector_check_ack(&probe, 2, 0, WIRE_ACK_DUPLICATE);
	send_batch(&probe, 2, 0);
	collector_check_ack(&probe, 3, 0, WIRE_ACK_STORED);
	probe_close(&probe);
	CHECK_EQ(counter("ingest_batches_received"), 3);
	CHECK_EQ(counter("ingest_batches_stored"), 2);
	CHECK_EQ(counter("ingest_samples_stored"), 2 * WINDOW_SAMPLES);
	CHECK_EQ(counter("ingest_batches_duplicate"), 1);
	CHECK_EQ(counter("ingest_samples_duplicate"), WINDOW_SAMPLES);
	CHECK_EQ(counter("ingest_batches_decoded"), 3);
	CHECK_EQ(counter("ingest_samples_received"), 3 * WINDOW_SAMPLES);
	CHECK_EQ(counter("ingest_samples_pending"), 0);
	CHECK(counter("ingest_batch_bytes") > 3);
	CHECK_EQ(counter("grpc_messages_sent"), 4);
	CHECK_EQ(host_board_snapshot(hosts, &snapshot), 0);
	CHECK_EQ(snapshot.count, 1);
	CHECK_STR(snapshot.entries[0].name, "host-a");
	CHECK_EQ(snapshot.entries[0].sample_count, 2 * WINDOW_SAMPLES);
	host_snapshot_done(&snapshot);
	stop();
	/* Durable means: still there, and still known, after a restart. */
	start("once", UINT64_MAX, false);
	CHECK_EQ(stored_samples(), 2 * WINDOW_SAMPLES);
	collector_open(&probe, client);
	send_batch(&probe, 2, 0);
	collector_check_ack(&probe, 1, 0, WIRE_ACK_DUPLICATE);
	probe_close(&probe);
	stop();
}

static void windows_far_from_now_are_taken_and_counted(void)
{
	uint64_t now_ns = clock_realtime_ns() / WINDOW_NS * WINDOW_NS;
	const uint64_t starts[] = {now_ns - 900 * NS_PER_S, now_ns - 300 * NS_PER_S,
		now_ns + 30 * NS_PER_S, now_ns + 7200 * NS_PER_S};
	struct call_probe probe;

	start("far", UINT64_MAX, false);
	collector_open(&probe, client);
	for (uint64_t i = 0; i < 4; i++) {
		struct profile *profile = sample_profile_new("h", starts[i], WINDOW_NS);

		sample_profile_add(profile, &(struct sample_profile_sample){.stack = "f"});
		sample_profile_seal(profile);
		collector_send_profile(&probe, 3, i, profile);
		collector_check_ack(&probe, i + 1, i, WIRE_ACK_STORED);
	}
	probe_close(&probe);
	CHECK_EQ(counter("ingest_batches_backdated"), 1);
	CHECK_EQ(counter("ingest_samples_backdated"), 1);
	CHECK_EQ(counter("ingest_batches_ahead"), 1);
	CHECK_EQ(counter("ingest_samples_ahead"), 1);
	CHECK_EQ(stored_samples(), 4);
	stop();
}

static int count_services(void *context, const struct profile *profile)
{
	uint64_t *counts = context;

	for (uint32_t i = 0; i < profile->types[0].row_count; i++) {
		const struct sample_row *row = &profile->types[0].rows[i];
		const char *name = label_table_value(&profile->labels, &profile->strings,
			profile->threads.threads[row->thread].labels, "service_name");

		counts[strcmp(name, LABEL_GUARD_OTHER) == 0] += row->count;
	}
	return 0;
}

/* The start of every test caps services at two. */
static void labels_above_a_cap_are_stored_under_another_value(void)
{
	static const char *const names[] = {"a", "b", "c", "d", "a"};
	struct profile *profile = sample_profile_new("h", START_NS, WINDOW_NS);
	uint64_t counts[2] = {0, 0};
	struct call_probe probe;

	start("guard", UINT64_MAX, false);
	collector_open(&probe, client);
	for (size_t i = 0; i < 5; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){
				.stack = "f", .process = names[i], .pid = 10 + (uint32_t)i});
	}
	sample_profile_seal(profile);
	collector_send_profile(&probe, 3, 0, profile);
	collector_check_ack(&probe, 1, 0, WIRE_ACK_STORED);
	probe_close(&probe);
	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, NULL, count_services, counts), 0);
	CHECK_EQ(counts[0], 3);
	CHECK_EQ(counts[1], 2);
	CHECK_EQ(counter("ingest_samples_stored"), 5);
	CHECK_EQ(counter("labels_folded_values"), 2);
	CHECK_EQ(counter("labels_folded_series"), 0);
	CHECK_EQ(counter("labels_folded_total"), 0);
	CHECK(counter("labels_series") > 2);
	CHECK(counter("labels_values") > 2);
	stop();
}

static void many_batches_at_once_are_all_answered(void)
{
	struct call_probe probe;
	bool answered[100] = {false};

	start("many", UINT64_MAX, false);
	collector_open(&probe, client);
	for (uint64_t i = 0; i < 100; i++)
		send_batch(&probe, 1, i);
	for (size_t i = 0; i < 100; i++) {
		uint64_t sequence;
		char text[64];

		CHECK_EQ(collector_ack(&probe, i + 1, &sequence, text), WIRE_ACK_STORED);
		CHECK(sequence < 100 && !answered[sequence]);
		answered[sequence] = true;
	}
	rpc_call_half_close(probe.call);
	CHECK_EQ(probe_wait_closed(&probe), 0);
	probe_close(&probe);
	CHECK_EQ(stored_samples(), 100 * WINDOW_SAMPLES);
	stop();
}

static void streams_go_side_by_side(void)
{
	struct call_probe probes[STREAM_COUNT];

	start("streams", UINT64_MAX, false);
	for (uint8_t i = 0; i < STREAM_COUNT; i++)
		collector_open(&probes[i], client);
	for (uint64_t sequence = 0; sequence < 10; sequence++) {
		for (uint8_t i = 0; i < STREAM_COUNT; i++)
			send_batch(&probes[i], i, sequence);
	}
	for (uint8_t i = 0; i < STREAM_COUNT; i++) {
		probe_wait_messages(&probes[i], 11);
		probe_close(&probes[i]);
	}
	CHECK_EQ(counter("ingest_batches_stored"), 10 * STREAM_COUNT);
	CHECK_EQ(stored_samples(), 10 * STREAM_COUNT * WINDOW_SAMPLES);
	stop();
}

static void a_malformed_batch_is_refused_by_name_and_the_next_one_taken(void)
{
	struct profile_wire_body body = body_of(0);
	struct call_probe probe;
	uint64_t sequence;
	char text[64];

	start("malformed", UINT64_MAX, false);
	collector_open(&probe, client);
	body.raw_byte_count++;
	collector_send(&probe, 1, 0, &body);
	CHECK_EQ(collector_ack(&probe, 1, &sequence, text), WIRE_ACK_REFUSED);
	CHECK_STR(text, "a body that does not decompress to the size stated");
	body.raw_byte_count = SIZE_MAX;
	collector_send(&probe, 1, 1, &body);
	CHECK_EQ(collector_ack(&probe, 2, &sequence, text), WIRE_ACK_REFUSED);
	CHECK_STR(text, "a body too large");
	CHECK_EQ(sequence, 1);
	send_batch(&probe, 1, 2);
	collector_check_ack(&probe, 3, 2, WIRE_ACK_STORED);
	free(body.bytes);
	probe_close(&probe);
	CHECK_EQ(counter("ingest_batches_malformed"), 2);
	stop();
}

static void an_unknown_encoding_is_refused(void)
{
	struct wire_batch batch = {
		.encoding = 77, .body = (const uint8_t *)"x", .body_byte_count = 1};
	SCOPED_FREE uint8_t *bytes = NULL;
	struct call_probe probe;
	size_t byte_count;

	start("encoding", UINT64_MAX, false);
	collector_open(&probe, client);
	CHECK_EQ(wire_batch_encode(&batch, &bytes, &byte_count), 0);
	probe_send(&probe, bytes, byte_count);
	collector_check_ack(&probe, 1, 0, WIRE_ACK_REFUSED);
	probe_close(&probe);
	stop();
}

static void what_is_no_message_ends_its_stream_only(void)
{
	struct call_probe broken, other;

	start("broken", UINT64_MAX, false);
	collector_open(&other, client);
	collector_open(&broken, client);
	probe_send(&broken, "\xff\xff\xff\xff", 4);
	CHECK_EQ(probe_wait_closed(&broken), -EINVAL);
	CHECK_STR(broken.text, "a message that is no PushRequest");
	probe_close(&broken);
	probe_open(&broken, client, INGEST_PUSH_PATH);
	send_batch(&broken, 1, 0);
	CHECK_EQ(probe_wait_closed(&broken), -EINVAL);
	CHECK_STR(broken.text, "a batch before the hello");
	probe_close(&broken);
	send_batch(&other, 1, 0);
	collector_check_ack(&other, 1, 0, WIRE_ACK_STORED);
	probe_close(&other);
	CHECK_EQ(counter("ingest_streams_broken"), 2);
	stop();
}

static void unknown_messages_are_ignored(void)
{
	static const uint8_t newer[] = {0x7a, 2, 'h', 'i'};
	struct call_probe probe;

	start("newer", UINT64_MAX, false);
	collector_open(&probe, client);
	probe_send(&probe, newer, sizeof(newer));
	send_batch(&probe, 1, 0);
	collector_check_ack(&probe, 1, 0, WIRE_ACK_STORED);
	probe_close(&probe);
	stop();
}

static void damaged_batches_never_bring_the_server_down(void)
{
	struct profile_wire_body body = body_of(0);
	struct random random = {17};
	struct call_probe probe;
	uint64_t refused;

	start("damaged", UINT64_MAX, false);
	collector_open(&probe, client);
	for (uint64_t i = 0; i < 300; i++) {
		size_t at = random_below(&random, (uint32_t)body.byte_count);
		uint8_t before = body.bytes[at];

		body.bytes[at] ^= (uint8_t)(1 + random_below(&random, 255));
		collector_send(&probe, 1, i, &body);
		body.bytes[at] = before;
	}
	probe_wait_messages(&probe, 301);
	refused = counter("ingest_batches_malformed");
	CHECK(refused > 100);
	CHECK_EQ(refused + counter("ingest_batches_stored"), 300);
	collector_send(&probe, 2, 0, &body);
	collector_check_ack(&probe, 301, 0, WIRE_ACK_STORED);
	free(body.bytes);
	probe_close(&probe);
	stop();
}

static void what_waits_for_the_disk_is_told(void)
{
	const uint64_t deadline_ns = clock_monotonic_ns() + PATIENCE_NS;
	struct call_probe probe;

	start("waiting", UINT64_MAX, false);
	collector_open(&probe, client);
	atomic_store(&hangs, true);
	send_batch(&probe, 1, 0);
	while (counter("ingest_samples_pending") != WINDOW_SAMPLES)
		CHECK(clock_monotonic_ns() < deadline_ns);
	CHECK_EQ(counter("grpc_streams_open"), 1);
	CHECK_EQ(counter("ingest_samples_received"), WINDOW_SAMPLES);
	CHECK_EQ(counter("ingest_samples_stored"), 0);
	atomic_store(&hangs, false);
	collector_check_ack(&probe, 1, 0, WIRE_ACK_STORED);
	CHECK_EQ(counter("ingest_samples_pending"), 0);
	CHECK_EQ(counter("ingest_samples_stored"), WINDOW_SAMPLES);
	probe_close(&probe);
	stop();
}

static void what_is_past_retention_is_refused(void)
{
	struct call_probe probe;

	start("stale", 3600 * NS_PER_S, false);
	collector_open(&probe, client);
	send_batch(&probe, 1, 0);
	collector_check_ack(&probe, 1, 0, WIRE_ACK_REFUSED);
	probe_close(&probe);
	CHECK_EQ(counter("ingest_batches_stale"), 1);
	CHECK_EQ(counter("ingest_samples_stale"), WINDOW_SAMPLES);
	stop();
}

/* Sends two batches that are not stored; what is logged meanwhile goes to LOG_NAME. */
static void send_in_vain(const char *log_name)
{
	int kept = dup(STDERR_FILENO);
	int fd = open(work_path("%s", log_name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct call_probe probe;

	CHECK(kept >= 0 && fd >= 0);
	log_init("test", LOG_LEVEL_WARNING);
	dup2(fd, STDERR_FILENO);
	collector_open(&probe, client);
	send_batch(&probe, 1, 0);
	send_batch(&probe, 1, 1);
	probe_wait_messages(&probe, 3);
	probe_close(&probe);
	dup2(kept, STDERR_FILENO);
	log_init("test", LOG_LEVEL_ERROR);
	close(kept);
	close(fd);
}

static void a_store_that_cannot_write_is_told_once(void)
{
	char line[256];
	FILE *log;

	start("told", UINT64_MAX, false);
	stop();
	start("told", UINT64_MAX, true);
	send_in_vain("told.log");
	CHECK_EQ(counter("ingest_batches_deferred"), 2);
	log = fopen(work_path("told.log"), "r");
	CHECK(log);
	CHECK(fgets(line, sizeof(line), log));
	CHECK(strstr(line, "can't be stored"));
	CHECK(!fgets(line, sizeof(line), log));
	(void)fclose(log);
	stop();
}

/* A store that cannot write stands for one whose disk is full or gone. */
static void a_store_that_cannot_write_defers(void)
{
	struct call_probe probe;
	struct wire_push_reply reply;
	struct arena arena;

	start("deferred", UINT64_MAX, false);
	stop();
	start("deferred", UINT64_MAX, true);
	collector_open(&probe, client);
	send_batch(&probe, 1, 0);
	arena_init(&arena, 1 << 16);
	collector_reply(&probe, 1, &arena, &reply);
	CHECK_EQ(reply.ack.result, WIRE_ACK_RETRY);
	CHECK(reply.ack.retry_after_ns > 0);
	CHECK(reply.ack.text[0] != '\0');
	arena_done(&arena);
	probe_close(&probe);
	CHECK_EQ(counter("ingest_batches_deferred"), 1);
	CHECK_EQ(counter("ingest_samples_deferred"), WINDOW_SAMPLES);
	stop();
}

/* Nothing is left unread here, so no answer may be lost. */
static void stopping_answers_all_that_was_received(void)
{
	const uint64_t deadline_ns = clock_monotonic_ns() + PATIENCE_NS;
	struct call_probe probe;

	start("answered", UINT64_MAX, false);
	collector_open(&probe, client);
	for (uint64_t i = 0; i < 8; i++)
		send_batch(&probe, 1, i);
	while (counter("ingest_batches_received") < 8)
		CHECK(clock_monotonic_ns() < deadline_ns);
	CHECK_EQ(grpc_service_stop(service, PATIENCE_NS), 0);
	CHECK_EQ(probe_wait_closed(&probe), -ENOTCONN);
	CHECK_EQ(probe.message_count, 1 + 8);
	CHECK_EQ(counter("ingest_batches_stored"), 8);
	CHECK_EQ(counter("ingest_acks_lost"), 0);
	probe_close(&probe);
	stop();
}

/* Sends all that may not have been answered once more, as a collector does; tells how many the server
 * had taken before. */
static uint64_t send_again(uint64_t batch_count)
{
	struct call_probe probe;
	uint64_t sequence, known = 0;
	char text[64];

	collector_open(&probe, client);
	for (uint64_t i = 0; i < batch_count; i++)
		send_batch(&probe, 1, i);
	for (uint64_t i = 0; i < batch_count; i++)
		known += collector_ack(&probe, 1 + i, &sequence, text) == WIRE_ACK_DUPLICATE;
	probe_close(&probe);
	return known;
}

/* Here the client has sent more than was read. Closed at once, such a connection would take answers
 * along that the client has not read yet. */
static void stopping_answers_what_was_begun_and_knows_it_when_asked_again(void)
{
	struct call_probe probe;
	uint64_t received;

	start("stopping", UINT64_MAX, false);
	collector_open(&probe, client);
	for (uint64_t i = 0; i < 8; i++)
		send_batch(&probe, 1, i);
	probe_wait_messages(&probe, 2);
	CHECK_EQ(grpc_service_stop(service, PATIENCE_NS), 0);
	CHECK_EQ(probe_wait_closed(&probe), -ENOTCONN);
	received = counter("ingest_batches_received");
	CHECK_EQ(probe.message_count, 1 + received);
	CHECK_EQ(counter("ingest_batches_stored"), received);
	CHECK_EQ(counter("ingest_acks_lost"), 0);
	probe_close(&probe);
	stop();

	start("stopping", UINT64_MAX, false);
	CHECK_EQ(send_again(8), received);
	CHECK_EQ(counter("ingest_batches_stored"), 8 - received);
	stop();
}

/* What a client does that is killed in between. */
static void a_client_that_goes_away_loses_only_its_answers(void)
{
	struct call_probe probe;

	start("gone", UINT64_MAX, false);
	for (uint64_t i = 0; i < 20; i++) {
		collector_open(&probe, client);
		send_batch(&probe, 1, i);
		probe_close(&probe);
	}
	collector_open(&probe, client);
	for (uint64_t i = 0; i < 20; i++)
		send_batch(&probe, 1, i);
	probe_wait_messages(&probe, 21);
	probe_close(&probe);
	CHECK_EQ(stored_samples(), 20 * WINDOW_SAMPLES);
	/* Now and then an answer finds its stream ended. */
	for (uint64_t i = 20; counter("ingest_acks_lost") == 0; i++) {
		CHECK(i < 5000);
		collector_open(&probe, client);
		send_batch(&probe, 1, i);
		probe_close(&probe);
	}
	CHECK(counter("ingest_acks_lost") > 0);
	CHECK_EQ(counter("ingest_batches_received"),
		counter("ingest_batches_decoded") + counter("ingest_batches_malformed"));
	stop();
}

int main(void)
{
	log_init("test", LOG_LEVEL_ERROR);
	RUN(a_hello_is_welcomed);
	RUN(a_foreign_version_is_refused_with_a_reason);
	RUN(a_batch_is_stored_once_however_often_it_comes);
	RUN(windows_far_from_now_are_taken_and_counted);
	RUN(labels_above_a_cap_are_stored_under_another_value);
	RUN(many_batches_at_once_are_all_answered);
	RUN(streams_go_side_by_side);
	RUN(a_malformed_batch_is_refused_by_name_and_the_next_one_taken);
	RUN(an_unknown_encoding_is_refused);
	RUN(what_is_no_message_ends_its_stream_only);
	RUN(unknown_messages_are_ignored);
	RUN(damaged_batches_never_bring_the_server_down);
	RUN(what_waits_for_the_disk_is_told);
	RUN(what_is_past_retention_is_refused);
	RUN(a_store_that_cannot_write_defers);
	RUN(a_store_that_cannot_write_is_told_once);
	RUN(stopping_answers_all_that_was_received);
	RUN(stopping_answers_what_was_begun_and_knows_it_when_asked_again);
	RUN(a_client_that_goes_away_loses_only_its_answers);
	return 0;
}
