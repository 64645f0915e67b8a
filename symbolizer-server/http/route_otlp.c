/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of OpenTelemetry: `POST /v1development/profiles`. */
#include <errno.h>
#include <string.h>

#include "symbolizer-server/http/connect.h"
#include "symbolizer-server/http/route.h"
#include "symbolizer-server/http/upload_intake.h"
#include "symbolizer-server/ingest/otlp_read.h"

/* Numbers of gRPC, which a google.rpc.Status has. */
#define RPC_INVALID_ARGUMENT 3
#define RPC_RESOURCE_EXHAUSTED 8
#define RPC_UNAVAILABLE 14

static int read_otlp(
	const struct http_request *request, struct ingest_text packed, struct upload_target *target)
{
	struct otlp_target otlp = {
		.profiles = target->profiles,
		.drops = target->drops,
		.fault = target->fault,
		.now_ns = target->now_ns,
	};
	struct bytes_writer writer;
	struct ingest_text body;
	int r;

	if (connect_codec_of(request) != CONNECT_PROTO) {
		return ingest_refuse(target->fault, -EPROTOTYPE,
			"Content-Type: %.60s is not taken; application/x-protobuf is",
			request->content_type ? request->content_type : "");
	}
	r = connect_unpack(request, packed, &writer, &body, target->fault);
	if (r == 0)
		r = otlp_read(body, &otlp);
	target->rejected_count = otlp.rejected_count;
	/* OTLP has words for what is stored in part. */
	if (r < 0 && r != -ENOMEM && target->profiles->count > 0)
		r = 0;
	bytes_writer_done(&writer);
	return r;
}

/* A google.rpc.Status: {int32 code = 1; string message = 2}. */
static void write_status(struct bytes_writer *writer, int error, const char *fault)
{
	size_t length = strlen(fault);
	uint8_t code = error == -E2BIG || error == -EFBIG ? RPC_RESOURCE_EXHAUSTED
		: upload_status(error) == 503		  ? RPC_UNAVAILABLE
							  : RPC_INVALID_ARGUMENT;

	bytes_write_u8(writer, 1 << 3);
	bytes_write_u8(writer, code);
	bytes_write_u8(writer, 2 << 3 | 2);
	bytes_write_varint(writer, length);
	bytes_write_span(writer, fault, length);
}

static void answer_otlp(const struct http_request *request, const struct upload_outcome *outcome,
	struct http_answer *answer)
{
	int status = outcome->error == -EPROTOTYPE ? 415 : upload_status(outcome->error);

	(void)request;
	/* OTLP's senders know 400 for what they are not to send again. */
	if (status == 422)
		status = 400;
	http_answer_begin(answer, status, "application/x-protobuf");
	if (outcome->error < 0) {
		write_status(&answer->body, outcome->error, outcome->fault);
	} else {
		otlp_write_response(&answer->body, outcome->rejected_count, outcome->fault);
	}
}

static const struct upload_protocol protocol = {.read = read_otlp, .answer = answer_otlp};

static void *open_otlp(void *site, const struct http_request *request, struct http_answer *answer)
{
	return upload_intake_open(&protocol, site, request, answer);
}

const struct http_receiver route_otlp_receiver = {
	.open = open_otlp,
	.write = upload_intake_write,
	.finish = upload_intake_finish,
	.close = upload_intake_close,
};
