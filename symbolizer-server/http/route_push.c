/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads of Pyroscope's newer clients: `push.v1.PusherService/Push` by Connect. */
#include <errno.h>

#include "symbolizer-server/http/connect.h"
#include "symbolizer-server/http/route.h"
#include "symbolizer-server/http/upload_intake.h"
#include "symbolizer-server/ingest/push_read.h"

static int read_push(
	const struct http_request *request, struct ingest_text packed, struct upload_target *target)
{
	const struct push_target push = {
		.profiles = target->profiles,
		.drops = target->drops,
		.fault = target->fault,
		.now_ns = target->now_ns,
	};
	enum connect_codec codec = connect_codec_of(request);
	struct bytes_writer writer;
	struct ingest_text body;
	int r;

	if (codec == CONNECT_UNKNOWN) {
		return ingest_refuse(target->fault, -EPROTOTYPE,
			"Content-Type: %.60s is not taken; application/proto and application/json "
			"are",
			request->content_type ? request->content_type : "");
	}
	r = connect_unpack(request, packed, &writer, &body, target->fault);
	if (r == 0)
		r = codec == CONNECT_JSON ? push_read_json(body, &push) : push_read(body, &push);
	bytes_writer_done(&writer);
	return r;
}

static void answer_push(const struct http_request *request, const struct upload_outcome *outcome,
	struct http_answer *answer)
{
	if (outcome->error < 0) {
		connect_answer_error(outcome->error, outcome->fault, answer);
		return;
	}
	connect_answer_begin(request, answer);
	if (connect_codec_of(request) == CONNECT_JSON)
		bytes_write_span(&answer->body, "{}", 2);
}

static const struct upload_protocol protocol = {.read = read_push, .answer = answer_push};

static void *open_push(void *site, const struct http_request *request, struct http_answer *answer)
{
	return upload_intake_open(&protocol, site, request, answer);
}

const struct http_receiver route_push_receiver = {
	.open = open_push,
	.write = upload_intake_write,
	.finish = upload_intake_finish,
	.close = upload_intake_close,
};
