/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/service/symbols_service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wire/symbols_wire.h"
#include "store/base/arena.h"
#include "store/base/cleanup.h"
#include "store/base/fault.h"
#include "symbolizer-server/symbol/symbolizer.h"

/* One chunk with what surrounds it; hellos are smaller. */
#define MESSAGE_ARENA_BYTES (WIRE_CHUNK_BYTES_MAX + ((size_t)64 << 10))

_Static_assert((int)SYMBOL_WHAT_EXECUTABLE == (int)WIRE_WHAT_EXECUTABLE &&
		(int)SYMBOL_WHAT_KERNEL_SYMBOLS == (int)WIRE_WHAT_KERNEL_SYMBOLS &&
		(int)SYMBOL_ENCODING_ZSTD == (int)WIRE_UPLOAD_ZSTD,
	"numbers on the wire and in the symbolizer");

/* ---- Want ---- */

struct want_stream {
	struct service_parts *parts;
	struct rpc_stream *stream;
	struct symbol_subscriber *subscriber; /* NULL before the hello */
};

static void on_want_wake(void *state, struct rpc_stream *stream)
{
	struct want_stream *want = state;
	struct symbol_want wanted;

	while (want->subscriber && symbolizer_take_want(want->subscriber, &wanted) == 0) {
		struct wire_want fields = {.id = wanted.id,
			.what = wanted.what,
			.name = wanted.name,
			.offset = wanted.offset};
		SCOPED_FREE uint8_t *bytes = NULL;
		size_t byte_count;
		int r = wire_want_encode(&fields, &bytes, &byte_count);

		if (r == 0)
			r = rpc_stream_send(stream, bytes, byte_count);
		if (r < 0) {
			/* Ending gives everything that was offered here to others. */
			rpc_stream_finish(stream, r, "a request could not be sent");
			return;
		}
		service_count(want->parts->counts, SERVICE_COUNTER_WANTS_SENT, 1);
	}
}

/* On a thread of the symbolizer. */
static void wake(void *context)
{
	struct want_stream *want = context;

	rpc_stream_wake(want->stream);
}

static void subscribe(struct want_stream *want, const struct wire_hello *hello)
{
	struct symbol_origin origin;
	int r;

	memcpy(origin.instance, hello->instance, sizeof(origin.instance));
	r = symbolizer_subscribe(want->parts->symbolizer, &origin, wake, want, &want->subscriber);
	if (r < 0) {
		rpc_stream_finish(want->stream, r, "nothing can be asked for now");
		return;
	}
	service_count(want->parts->counts, SERVICE_COUNTER_WANT_STREAMS, 1);
	on_want_wake(want, want->stream);
}

static void on_want_message(
	void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	struct want_stream *want = state;
	struct wire_hello hello;
	struct arena arena;

	arena_init(&arena, MESSAGE_ARENA_BYTES);
	if (want->subscriber || wire_want_request_decode(bytes, byte_count, &arena, &hello) < 0) {
		service_count(want->parts->counts, SERVICE_COUNTER_STREAMS_BROKEN, 1);
		rpc_stream_finish(stream, -EINVAL, "a message that is no WantRequest");
	} else if (service_accept_version(want->parts, stream, &hello)) {
		subscribe(want, &hello);
		rpc_stream_read(stream);
	}
	arena_done(&arena);
}

/* The one request was all that a collector has to say. */
static void on_want_half_close(void *state, struct rpc_stream *stream)
{
	struct want_stream *want = state;

	if (!want->subscriber)
		rpc_stream_finish(stream, -EINVAL, "no WantRequest");
}

static int on_want_open(void *context, struct rpc_stream *stream, void **ret_state)
{
	struct want_stream *want = calloc(1, sizeof(*want));

	if (!want)
		return -ENOMEM;
	want->parts = context;
	want->stream = stream;
	*ret_state = want;
	if (service_accept_uploads(want->parts, stream))
		rpc_stream_read(stream);
	return 0;
}

static void on_want_close(void *state, struct rpc_stream *stream)
{
	struct want_stream *want = state;

	(void)stream;
	symbolizer_unsubscribe(want->subscriber);
	free(want);
}

struct rpc_method symbols_service_want_method(struct service_parts *parts)
{
	return (struct rpc_method){
		.path = SYMBOLS_WANT_PATH,
		.context = parts,
		.on_open = on_want_open,
		.on_message = on_want_message,
		.on_half_close = on_want_half_close,
		.on_wake = on_want_wake,
		.on_close = on_want_close,
	};
}

/* ---- Upload ---- */

struct upload_stream {
	struct service_parts *parts;
	struct symbol_upload *upload; /* between header and end */
	uint64_t byte_count; /* of chunks, and of those of the stream that broke before */
	bool over; /* an answer was given */
};

static enum service_counter counter_of(int error)
{
	if (error == -ENOENT || error == -EEXIST || error == -EBUSY)
		return SERVICE_COUNTER_UPLOADS_UNWANTED;
	return SERVICE_COUNTER_UPLOADS_BROKEN;
}

static const char *reason_of(int error)
{
	if (error == -ENOENT)
		return "not asked for, or not of this collector any more";
	if (error == -EEXIST)
		return "what is there already is as good";
	if (error == -EBUSY)
		return "another upload of it is under way";
	if (error == -EFBIG)
		return "larger than announced or allowed";
	if (error == -ERANGE)
		return "what there was of it is gone, or was another file";
	return fault_text(error);
}

static void end_badly(
	struct upload_stream *upload, struct rpc_stream *stream, int error, const char *reason)
{
	symbolizer_upload_abort(upload->upload);
	upload->upload = NULL;
	upload->over = true;
	service_count(upload->parts->counts, counter_of(error), 1);
	rpc_stream_finish(stream, error == -EBUSY ? -EEXIST : error, reason);
}

static void reply(struct upload_stream *upload, struct rpc_stream *stream)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r = wire_upload_reply_encode(upload->byte_count, &bytes, &byte_count);

	if (r == 0)
		r = rpc_stream_send(stream, bytes, byte_count);
	upload->over = true;
	rpc_stream_finish(stream, r, NULL);
}

static void begin(struct upload_stream *upload, struct rpc_stream *stream,
	const struct wire_upload_header *header)
{
	struct symbol_origin origin;
	struct symbol_upload_request request = {
		.origin = &origin,
		.id = header->id,
		.what = (enum symbol_what)header->what,
		.encoding = (enum symbol_encoding)header->encoding,
		.byte_count = header->byte_count,
		.reduced = header->reduced,
		.offset = header->offset,
	};
	int r;

	if (upload->upload) {
		end_badly(upload, stream, -EINVAL, "a second header");
		return;
	}
	if (header->encoding > WIRE_UPLOAD_ZSTD) {
		end_badly(upload, stream, -EINVAL, "an encoding that this server does not know");
		return;
	}
	memcpy(origin.instance, header->instance, sizeof(origin.instance));
	r = symbolizer_upload_begin(upload->parts->symbolizer, &request, &upload->upload);
	if (r < 0)
		end_badly(upload, stream, r, reason_of(r));
	else
		upload->byte_count = header->offset;
}

static void append(struct upload_stream *upload, struct rpc_stream *stream,
	const struct wire_upload_chunk *chunk)
{
	int r = -EINVAL;

	if (upload->upload)
		r = symbolizer_upload_append(upload->upload, chunk->bytes, chunk->byte_count);
	if (r < 0) {
		end_badly(upload, stream, r,
			upload->upload ? reason_of(r) : "a chunk without a header");
		return;
	}
	upload->byte_count += chunk->byte_count;
	service_count(upload->parts->counts, SERVICE_COUNTER_UPLOAD_BYTES, chunk->byte_count);
}

static void end(struct upload_stream *upload, struct rpc_stream *stream, uint64_t byte_count)
{
	struct symbol_upload *ended = upload->upload;
	int r;

	if (!ended || byte_count != upload->byte_count) {
		end_badly(upload, stream, -EINVAL, "an end that does not fit what was sent");
		return;
	}
	upload->upload = NULL;
	r = symbolizer_upload_finish(ended);
	if (r < 0) {
		end_badly(upload, stream, r, reason_of(r));
		return;
	}
	service_count(upload->parts->counts, SERVICE_COUNTER_UPLOADS_TAKEN, 1);
	reply(upload, stream);
}

static void take_refusal(struct upload_stream *upload, struct rpc_stream *stream,
	const struct wire_upload_refusal *refusal)
{
	struct symbol_origin origin;

	if (upload->upload) {
		end_badly(upload, stream, -EINVAL, "a refusal behind a header");
		return;
	}
	memcpy(origin.instance, refusal->instance, sizeof(origin.instance));
	symbolizer_refuse(upload->parts->symbolizer, &origin, &refusal->id, refusal->reason);
	service_count(upload->parts->counts, SERVICE_COUNTER_UPLOADS_REFUSED, 1);
	reply(upload, stream);
}

static void on_upload_message(
	void *state, struct rpc_stream *stream, const uint8_t *bytes, size_t byte_count)
{
	struct upload_stream *upload = state;
	struct wire_upload fields;
	struct arena arena;

	if (upload->over)
		return;
	arena_init(&arena, MESSAGE_ARENA_BYTES);
	if (wire_upload_decode(bytes, byte_count, &arena, &fields) < 0)
		end_badly(upload, stream, -EINVAL, "a message that is no UploadRequest");
	else if (fields.kind == WIRE_UPLOAD_HEADER)
		begin(upload, stream, &fields.header);
	else if (fields.kind == WIRE_UPLOAD_CHUNK)
		append(upload, stream, &fields.chunk);
	else if (fields.kind == WIRE_UPLOAD_END)
		end(upload, stream, fields.end_byte_count);
	else if (fields.kind == WIRE_UPLOAD_REFUSAL)
		take_refusal(upload, stream, &fields.refusal);
	arena_done(&arena);
	rpc_stream_read(stream);
}

static void on_upload_half_close(void *state, struct rpc_stream *stream)
{
	struct upload_stream *upload = state;

	if (upload->over)
		return;
	/* One that was cancelled looks like this, too: it may go on. */
	symbolizer_upload_break(upload->upload);
	upload->upload = NULL;
	end_badly(upload, stream, -EINVAL, "a stream without an end");
}

static int on_upload_open(void *context, struct rpc_stream *stream, void **ret_state)
{
	struct upload_stream *upload = calloc(1, sizeof(*upload));

	if (!upload)
		return -ENOMEM;
	upload->parts = context;
	*ret_state = upload;
	upload->over = !service_accept_uploads(upload->parts, stream);
	rpc_stream_read(stream);
	return 0;
}

static void on_upload_close(void *state, struct rpc_stream *stream)
{
	struct upload_stream *upload = state;

	(void)stream;
	if (upload->upload)
		service_count(upload->parts->counts, SERVICE_COUNTER_UPLOADS_BROKEN, 1);
	symbolizer_upload_break(upload->upload);
	free(upload);
}

struct rpc_method symbols_service_upload_method(struct service_parts *parts)
{
	return (struct rpc_method){
		.path = SYMBOLS_UPLOAD_PATH,
		.context = parts,
		.on_open = on_upload_open,
		.on_message = on_upload_message,
		.on_half_close = on_upload_half_close,
		.on_close = on_upload_close,
	};
}
