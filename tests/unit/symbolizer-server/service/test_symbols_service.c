/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/service/symbols_service.h"

#include <errno.h>
#include <unistd.h>

#include "proto/wire/symbols_wire.h"
#include "store/base/cleanup.h"
#include "store/elf/elf_note.h"
#include "store/log/log.h"
#include "symbolizer-server/symbol/symbolizer.h"
#include "tests/support/call_probe.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define PATIENCE_NS (UINT64_C(60) * NS_PER_S)
#define CHUNK_BYTES 4096

static struct sandbox sandbox;
static struct symbolizer *symbolizer;
static struct service_counts counts;
static struct service_parts parts;
static struct rpc_method methods[2];
static struct rpc_server *server;
static struct rpc_client *client;
static struct build_id id;

/* ---- A clock that moves only when told to ---- */

static _Atomic uint64_t now_ns = UINT64_C(1000) * NS_PER_S;

static struct clock_reading read_now(void *context)
{
	uint64_t ns = now_ns;

	(void)context;
	return (struct clock_reading){.monotonic_ns = ns, .realtime_ns = ns};
}

/* ---- Steps ---- */

static void start(const char *folder)
{
	struct symbolizer_options options = {.folder = work_path("%s", folder),
		.sandbox = &sandbox,
		.clock = {.read = read_now}};
	struct rpc_server_options rpc = {
		.address = "127.0.0.1:0", .methods = methods, .method_count = 2};

	memset(&counts, 0, sizeof(counts));
	CHECK_EQ(symbolizer_new(&options, &symbolizer), 0);
	parts = (struct service_parts){.symbolizer = symbolizer, .counts = &counts};
	methods[0] = symbols_service_want_method(&parts);
	methods[1] = symbols_service_upload_method(&parts);
	CHECK_EQ(rpc_server_new(&rpc, &server), 0);
	client = probe_client(rpc_server_port(server));
}

static void stop(void)
{
	rpc_client_free(client);
	rpc_server_free(server);
	symbolizer_free(symbolizer);
}

static void note(uint8_t origin)
{
	struct symbol_origin from = {{origin}};

	CHECK_EQ(
		symbolizer_note_module(symbolizer, &from, &id, "truth", SYMBOL_WHAT_EXECUTABLE), 0);
}

/* What broke is asked for again after some minutes, when it is named again. */
static void note_later(uint8_t origin)
{
	now_ns += UINT64_C(900) * NS_PER_S;
	note(origin);
}

static void open_want(struct call_probe *probe, uint8_t origin)
{
	struct wire_hello hello = {.version = WIRE_VERSION,
		.instance = {origin},
		.program = "0.1.0",
		.host = "host-a"};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;

	probe_open(probe, client, SYMBOLS_WANT_PATH);
	CHECK_EQ(wire_want_request_encode(&hello, &bytes, &byte_count), 0);
	probe_send(probe, bytes, byte_count);
	rpc_call_half_close(probe->call);
}

/* Gives where the server says that an upload may go on. */
static uint64_t check_want_at(struct call_probe *probe, size_t at)
{
	struct probe_message message = probe_message_at(probe, at);
	struct wire_want want;
	struct arena arena;

	arena_init(&arena, 1 << 16);
	CHECK_EQ(wire_want_decode(message.bytes, message.byte_count, &arena, &want), 0);
	CHECK(build_id_equal(&want.id, &id));
	CHECK_EQ(want.what, WIRE_WHAT_EXECUTABLE);
	CHECK_STR(want.name, "truth");
	arena_done(&arena);
	return want.offset;
}

static void check_want(struct call_probe *probe, size_t at)
{
	CHECK_EQ(check_want_at(probe, at), 0);
}

static void send_header_at(
	struct call_probe *probe, uint8_t origin, uint64_t byte_count, uint64_t offset)
{
	struct wire_upload_header header = {.instance = {origin},
		.id = id,
		.what = WIRE_WHAT_EXECUTABLE,
		.byte_count = byte_count,
		.offset = offset};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t encoded;

	probe_open(probe, client, SYMBOLS_UPLOAD_PATH);
	CHECK_EQ(wire_upload_header_encode(&header, &bytes, &encoded), 0);
	probe_send(probe, bytes, encoded);
}

static void send_header(struct call_probe *probe, uint8_t origin, uint64_t byte_count)
{
	send_header_at(probe, origin, byte_count, 0);
}

/* A server that says no ends the call while the client is still sending. */
static void send_unless_ended(struct call_probe *probe, const uint8_t *bytes, size_t byte_count)
{
	int r = rpc_call_send(probe->call, bytes, byte_count);

	CHECK(r == 0 || r == -EPIPE);
}

static void send_chunk(struct call_probe *probe, const uint8_t *chunk, size_t byte_count)
{
	struct wire_upload_chunk fields = {chunk, byte_count};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t encoded;

	CHECK_EQ(wire_upload_chunk_encode(&fields, &bytes, &encoded), 0);
	send_unless_ended(probe, bytes, encoded);
}

static void send_end(struct call_probe *probe, uint64_t byte_count)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t encoded;

	CHECK_EQ(wire_upload_end_encode(byte_count, &bytes, &encoded), 0);
	send_unless_ended(probe, bytes, encoded);
	rpc_call_half_close(probe->call);
}

/* The whole file; gives the server's result. */
static int upload(uint8_t origin, struct call_probe *probe)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *file = work_read("full", &byte_count);

	send_header(probe, origin, byte_count);
	for (size_t at = 0; at < byte_count; at += CHUNK_BYTES)
		send_chunk(probe, file + at,
			byte_count - at < CHUNK_BYTES ? byte_count - at : CHUNK_BYTES);
	send_end(probe, byte_count);
	return probe_wait_closed(probe);
}

static uint64_t counted(enum service_counter counter)
{
	return atomic_load(&counts.values[counter]);
}

static bool is_named(void)
{
	struct symbol_module_state state;

	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_EQ(symbolizer_module_state(symbolizer, &id, &state), 0);
	return state.quality != SYMBOL_QUALITY_NONE;
}

/* ---- Tests ---- */

static void a_wanted_file_is_asked_for_taken_and_indexed(void)
{
	struct call_probe want, sent, again;
	struct arena arena;
	uint64_t taken = 0;

	start("whole");
	open_want(&want, 1);
	note(1);
	check_want(&want, 0);
	CHECK_EQ(upload(1, &sent), 0);
	CHECK_EQ(sent.message_count, 1);
	arena_init(&arena, 1 << 16);
	CHECK_EQ(wire_upload_reply_decode(
			 sent.messages[0].bytes, sent.messages[0].byte_count, &arena, &taken),
		0);
	arena_done(&arena);
	CHECK_EQ(taken, counted(SERVICE_COUNTER_UPLOAD_BYTES));
	CHECK(is_named());
	CHECK_EQ(upload(1, &again), -EEXIST);
	probe_close(&again);
	probe_close(&sent);
	probe_close(&want);
	CHECK_EQ(counted(SERVICE_COUNTER_UPLOADS_TAKEN), 1);
	CHECK_EQ(counted(SERVICE_COUNTER_UPLOADS_UNWANTED), 1);
	CHECK_EQ(counted(SERVICE_COUNTER_WANTS_SENT), 1);
	CHECK_EQ(counted(SERVICE_COUNTER_WANT_STREAMS), 1);
	stop();
}

static void what_nobody_asked_for_is_not_taken(void)
{
	struct call_probe sent;

	start("unwanted");
	CHECK_EQ(upload(1, &sent), -ENOENT);
	CHECK(strstr(sent.text, "not asked for"));
	probe_close(&sent);
	stop();
}

static void a_refusal_passes_the_question_on(void)
{
	struct wire_upload_refusal refusal = {
		.instance = {1}, .what = WIRE_WHAT_EXECUTABLE, .reason = "denied"};
	SCOPED_FREE uint8_t *bytes = NULL;
	struct call_probe first, second, refused;
	size_t byte_count;

	start("refusal");
	open_want(&first, 1);
	note(1);
	check_want(&first, 0);
	open_want(&second, 2);
	note(2);
	refusal.id = id;
	CHECK_EQ(wire_upload_refusal_encode(&refusal, &bytes, &byte_count), 0);
	probe_open(&refused, client, SYMBOLS_UPLOAD_PATH);
	probe_send(&refused, bytes, byte_count);
	rpc_call_half_close(refused.call);
	CHECK_EQ(probe_wait_closed(&refused), 0);
	check_want(&second, 0);
	CHECK_EQ(first.message_count, 1);
	CHECK_EQ(counted(SERVICE_COUNTER_UPLOADS_REFUSED), 1);
	probe_close(&refused);
	probe_close(&second);
	probe_close(&first);
	stop();
}

static void a_collector_that_leaves_passes_the_question_on(void)
{
	struct call_probe first, second;

	start("leaves");
	open_want(&first, 1);
	note(1);
	check_want(&first, 0);
	open_want(&second, 2);
	note(2);
	probe_close(&first);
	check_want(&second, 0);
	probe_close(&second);
	stop();
}

/* Each breaks one rule; none leaves anything behind that would stop the right upload. */
static void uploads_that_break_a_rule_end_and_harm_nothing(void)
{
	struct call_probe want, broken;

	start("broken");
	open_want(&want, 1);
	note(1);
	check_want(&want, 0);

	probe_open(&broken, client, SYMBOLS_UPLOAD_PATH);
	probe_send(&broken, "\xff\xff", 2);
	CHECK_EQ(probe_wait_closed(&broken), -EINVAL);
	probe_close(&broken);

	probe_open(&broken, client, SYMBOLS_UPLOAD_PATH);
	send_chunk(&broken, (const uint8_t *)"abc", 3);
	CHECK_EQ(probe_wait_closed(&broken), -EINVAL);
	CHECK_STR(broken.text, "a chunk without a header");
	probe_close(&broken);

	send_header(&broken, 1, 0);
	send_chunk(&broken, (const uint8_t *)"abc", 3);
	send_end(&broken, 4);
	CHECK_EQ(probe_wait_closed(&broken), -EINVAL);
	probe_close(&broken);
	note_later(1);
	check_want(&want, 1);

	send_header(&broken, 1, 2);
	send_chunk(&broken, (const uint8_t *)"abc", 3);
	CHECK_EQ(probe_wait_closed(&broken), -ENOBUFS);
	probe_close(&broken);
	note_later(1);
	check_want(&want, 2);

	send_header(&broken, 1, 0);
	send_chunk(&broken, (const uint8_t *)"abc", 3);
	rpc_call_half_close(broken.call);
	CHECK_EQ(probe_wait_closed(&broken), -EINVAL);
	CHECK_STR(broken.text, "a stream without an end");
	probe_close(&broken);
	note_later(1);
	check_want(&want, 3);

	CHECK_EQ(counted(SERVICE_COUNTER_UPLOADS_BROKEN), 5);
	CHECK_EQ(upload(1, &broken), 0);
	probe_close(&broken);
	CHECK(is_named());
	probe_close(&want);
	stop();
}

static void an_upload_cut_off_in_the_middle_is_asked_for_again(void)
{
	struct call_probe want, cut;

	start("cut");
	open_want(&want, 1);
	note(1);
	check_want(&want, 0);
	send_header(&cut, 1, 0);
	send_chunk(&cut, (const uint8_t *)"abc", 3);
	while (counted(SERVICE_COUNTER_UPLOAD_BYTES) < 3)
		usleep(1000);
	probe_close(&cut);
	while (counted(SERVICE_COUNTER_UPLOADS_BROKEN) == 0)
		usleep(1000);
	note_later(1);
	check_want(&want, 1);
	probe_close(&want);
	stop();
}

/* Sends bytes [FROM, FROM + COUNT) and breaks the stream. */
static void send_and_break(const uint8_t *file, uint64_t byte_count, uint64_t from, size_t count)
{
	uint64_t before = counted(SERVICE_COUNTER_UPLOAD_BYTES),
		 broken = counted(SERVICE_COUNTER_UPLOADS_BROKEN);
	struct call_probe cut;

	send_header_at(&cut, 1, byte_count, from);
	send_chunk(&cut, file + from, count);
	while (counted(SERVICE_COUNTER_UPLOAD_BYTES) < before + count)
		usleep(1000);
	probe_close(&cut);
	while (counted(SERVICE_COUNTER_UPLOADS_BROKEN) == broken)
		usleep(1000);
}

/* As often as it comes forward: more often than one that fails is asked for. */
static void an_upload_that_broke_goes_on_where_it_ended(void)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *file = work_read("full", &byte_count);
	struct call_probe want, rest;
	uint64_t at = 0;

	start("goes_on");
	open_want(&want, 1);
	note(1);
	for (size_t i = 0; i < 5; i++) {
		CHECK_EQ(check_want_at(&want, i), at);
		send_and_break(file, byte_count, at, 1000);
		at += 1000;
		note(1);
	}
	CHECK_EQ(check_want_at(&want, 5), at);
	send_header_at(&rest, 1, byte_count, at);
	send_chunk(&rest, file + at, byte_count - at);
	send_end(&rest, byte_count);
	CHECK_EQ(probe_wait_closed(&rest), 0);
	probe_close(&rest);
	CHECK(is_named());
	CHECK_EQ(counted(SERVICE_COUNTER_UPLOAD_BYTES), byte_count);
	probe_close(&want);
	stop();
}

/* An older collector knows of no offset; one that is wrong is told so, and begins anew. */
static void an_upload_that_broke_may_begin_anew(void)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *file = work_read("full", &byte_count);
	struct call_probe want, sent;

	start("anew");
	open_want(&want, 1);
	note(1);
	check_want(&want, 0);
	send_and_break(file, byte_count, 0, 1000);
	note(1);
	CHECK_EQ(check_want_at(&want, 1), 1000);
	send_header_at(&sent, 1, byte_count, 999);
	CHECK(probe_wait_closed(&sent) < 0);
	CHECK_STR(sent.text, "what there was of it is gone, or was another file");
	probe_close(&sent);
	note(1);
	check_want(&want, 2);
	CHECK_EQ(upload(1, &sent), 0);
	probe_close(&sent);
	CHECK(is_named());
	probe_close(&want);
	stop();
}

static void a_want_stream_begins_with_its_request(void)
{
	struct call_probe want;

	start("request");
	probe_open(&want, client, SYMBOLS_WANT_PATH);
	probe_send(&want, "\xff", 1);
	CHECK_EQ(probe_wait_closed(&want), -EINVAL);
	probe_close(&want);
	probe_open(&want, client, SYMBOLS_WANT_PATH);
	rpc_call_half_close(want.call);
	CHECK_EQ(probe_wait_closed(&want), -EINVAL);
	probe_close(&want);
	stop();
}

int main(int argc, char **argv)
{
	int hidden = symbolizer_hidden_main(argc, argv);
	int fd;

	if (hidden >= 0)
		return hidden;
	log_init("test", LOG_LEVEL_ERROR);
	CHECK_EQ(sandbox_init(&sandbox), 0);
	work_write_text("p.c", "int main(void) { return 0; }\n");
	work_run("gcc -O1 -g -o full p.c");
	fd = work_open("full");
	CHECK_EQ(note_build_id(fd, &id), 0);
	close(fd);
	RUN(a_wanted_file_is_asked_for_taken_and_indexed);
	RUN(what_nobody_asked_for_is_not_taken);
	RUN(a_refusal_passes_the_question_on);
	RUN(a_collector_that_leaves_passes_the_question_on);
	RUN(uploads_that_break_a_rule_end_and_harm_nothing);
	RUN(an_upload_cut_off_in_the_middle_is_asked_for_again);
	RUN(an_upload_that_broke_goes_on_where_it_ended);
	RUN(an_upload_that_broke_may_begin_anew);
	RUN(a_want_stream_begins_with_its_request);
	sandbox_done(&sandbox);
	return 0;
}
