/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/service/client_service.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/base/fault.h"
#include "symbolizer-server/ingest/ingest_desk.h"
#include "symbolizer-server/ingest/otlp_read.h"
#include "symbolizer-server/ingest/push_read.h"

#define EXPORT_PATH "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
#define PUSH_PATH "/push.v1.PusherService/Push"

/* What came of reading one message. */
struct client_result {
	struct profile_list profiles;
	struct ingest_drops drops;
	struct ingest_fault fault;
	uint64_t rejected_count;
	uint64_t now_ns;
};

typedef int (*client_read_fn)(struct ingest_text bytes, struct client_result *result);
/* Writes the answer to what was stored. */
typedef void (*client_answer_fn)(struct bytes_writer *writer, const struct client_result *result);

struct client_protocol {
	client_read_fn read;
	client_answer_fn answer;
	bool takes_part; /* has words for what is stored in part */
};

/* One call; held by its stream and, while the store works on it, by the desk. */
struct client_call {
	const struct client_protocol *protocol;
	struct service_parts *parts;
	struct rpc_stream *stream;
	struct client_result result;
	int read_error;
	atomic_uint references;
	bool taken; /* its message came */
};

static void release(struct client_call *call)
{
	if (atomic_fetch_sub(&call->references, 1) > 1)
		return;
	profile_list_done(&call->result.profiles);
	rpc_stream_release(call->stream);
	free(call);
}

/* ---- Answers ---- */

/* What is wrong with a request must not come again; what is wrong here may. */
static int rpc_error(int error)
{
	switch (error) {
	case -EINVAL:
	case -EBADMSG:
	case -ESTALE:
		return -EINVAL;
	case -E2BIG:
	case -EFBIG:
		return -ENOBUFS;
	default:
		return -ENOTCONN;
	}
}

static enum ingest_counter fate_of(int error)
{
	if (error == 0)
		return INGEST_UPLOADS_STORED;
	return rpc_error(error) == -ENOTCONN ? INGEST_UPLOADS_FAILED : INGEST_UPLOADS_REFUSED;
}

static void answer(struct client_call *call, int error)
{
	const char *text = call->result.fault.text;
	struct bytes_writer writer;

	ingest_desk_count(call->parts->desk, fate_of(error), 1);
	if (error == -ESTALE)
		text = "all of it is older than what this server keeps";
	else if (error < 0 && text[0] == '\0')
		text = fault_text(error);
	if (error < 0) {
		rpc_stream_finish(call->stream, rpc_error(error), text);
		return;
	}
	bytes_writer_init(&writer, 4096);
	call->protocol->answer(&writer, &call->result);
	/* A client that does not read its answer is told nothing more. */
	(void)rpc_stream_send(
		call->stream, writer.bytes ? writer.bytes : (const uint8_t *)"", writer.byte_count);
	rpc_stream_finish(call->stream, 0, NULL);
	bytes_writer_done(&writer);
}

static void on_stored(void *context, int result)
{
	struct client_call *call = context;

	answer(call, result < 0 ? result : call->read_error);
	release(call);
}

/* ---- Calls ---- */

static int on_open(const struct client_protocol *protocol, void *context, struct rpc_stream *stream,
	void **ret_state)
{
	struct client_call *call = calloc(1, sizeof(*call));

	if (!call)
		return -ENOMEM;
	*call = (struct client_call){.protocol = protocol, .parts = context, .stream = stream};
	atomic_init(&call->references, 1);
	rpc_stream_hold(stream);
	*ret_state = call;
	rpc_stream_read(stream);
	return 0;
}

static void on_message(
	void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	struct client_call *call = state;
	struct ingest_desk *desk = call->parts->desk;
	struct client_result *result = &call->result;
	struct profile_list profiles;

	(void)stream;
	if (call->taken)
		return;
	call->taken = true;
	ingest_desk_count(desk, INGEST_UPLOADS, 1);
	ingest_desk_count(desk, INGEST_BYTES, byte_count);
	result->now_ns = clock_read(&call->parts->clock).realtime_ns;
	ingest_desk_read_begin(desk, byte_count);
	call->read_error =
		call->protocol->read((struct ingest_text){(const char *)bytes, byte_count}, result);
	ingest_desk_read_end(desk, byte_count);
	ingest_desk_note_drops(desk, &result->drops);
	if (call->read_error < 0 && result->profiles.count == 0) {
		answer(call, call->read_error);
		return;
	}
	if (call->protocol->takes_part && call->read_error != -ENOMEM)
		call->read_error = 0;
	profiles = result->profiles;
	result->profiles = (struct profile_list){.profiles = NULL};
	atomic_fetch_add(&call->references, 1);
	ingest_desk_submit(desk, profiles.profiles, profiles.count, on_stored, call);
}

/* The answer comes from the store; without a message there is none to wait for. */
static void on_half_close(void *state, struct rpc_stream *stream)
{
	struct client_call *call = state;

	if (!call->taken)
		rpc_stream_finish(stream, -EINVAL, "the call has no message");
}

static void on_stop(void *state, struct rpc_stream *stream)
{
	struct client_call *call = state;

	if (!call->taken)
		rpc_stream_finish(stream, -ENOTCONN, "the server is stopping");
}

static void on_close(void *state, struct rpc_stream *stream)
{
	(void)stream;
	release(state);
}

/* ---- OpenTelemetry ---- */

static int read_export(struct ingest_text bytes, struct client_result *result)
{
	struct otlp_target target = {.profiles = &result->profiles,
		.drops = &result->drops,
		.fault = &result->fault,
		.now_ns = result->now_ns};
	int r = otlp_read(bytes, &target);

	result->rejected_count = target.rejected_count;
	return r;
}

static void answer_export(struct bytes_writer *writer, const struct client_result *result)
{
	otlp_write_response(writer, result->rejected_count, result->fault.text);
}

static const struct client_protocol export_protocol = {read_export, answer_export, true};

static int open_export(void *context, struct rpc_stream *stream, void **ret_state)
{
	return on_open(&export_protocol, context, stream, ret_state);
}

/* ---- Pyroscope ---- */

static int read_push(struct ingest_text bytes, struct client_result *result)
{
	const struct push_target target = {
		&result->profiles, &result->drops, &result->fault, result->now_ns};

	return push_read(bytes, &target);
}

static void answer_push(struct bytes_writer *writer, const struct client_result *result)
{
	(void)writer;
	(void)result;
}

static const struct client_protocol push_protocol = {read_push, answer_push, false};

static int open_push(void *context, struct rpc_stream *stream, void **ret_state)
{
	return on_open(&push_protocol, context, stream, ret_state);
}

static struct rpc_method method(struct service_parts *parts, const char *path,
	int (*open)(void *context, struct rpc_stream *stream, void **ret_state))
{
	return (struct rpc_method){
		.path = path,
		.context = parts,
		.on_open = open,
		.on_message = on_message,
		.on_half_close = on_half_close,
		.on_stop = on_stop,
		.on_close = on_close,
	};
}

struct rpc_method client_service_export_method(struct service_parts *parts)
{
	return method(parts, EXPORT_PATH, open_export);
}

struct rpc_method client_service_push_method(struct service_parts *parts)
{
	return method(parts, PUSH_PATH, open_push);
}
