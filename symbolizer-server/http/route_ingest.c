/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads of Pyroscope's clients by its first API: `POST /ingest`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/fault.h"
#include "symbolizer-server/http/route.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/ingest/ingest_desk.h"
#include "symbolizer-server/ingest/ingest_upload.h"

/* One body on its way in, and until its answer. */
struct receiving {
	struct site *site;
	const struct http_request *request;
	struct bytes_writer body;
	struct http_answer *answer;
	struct http_later later;
};

static void answer_fault(struct http_answer *answer, int error, const struct ingest_fault *fault)
{
	int status = error == -EINVAL ? 400 : error == -EBADMSG ? 422 : 413;

	http_answer_error(answer, status, "%s", fault->text);
}

static void *receiving_open(
	void *context, const struct http_request *request, struct http_answer *answer)
{
	struct receiving *receiving = calloc(1, sizeof(*receiving));

	if (!receiving) {
		http_answer_error(answer, 503, "out of memory; try again later");
		return NULL;
	}
	receiving->site = context;
	receiving->request = request;
	bytes_writer_init(&receiving->body, INGEST_BODY_BYTES_MAX);
	return receiving;
}

static bool receiving_write(
	void *upload, const void *bytes, size_t byte_count, struct http_answer *answer)
{
	struct receiving *receiving = upload;
	int r;

	bytes_write_span(&receiving->body, bytes, byte_count);
	r = bytes_writer_fault(&receiving->body);
	if (r == -EFBIG) {
		ingest_desk_count(receiving->site->desk, INGEST_UPLOADS_REFUSED, 1);
		http_answer_error(
			answer, 413, "the body is larger than %zu bytes", INGEST_BODY_BYTES_MAX);
	} else if (r < 0) {
		http_answer_error(answer, 503, "out of memory; try again later");
	}
	return r == 0;
}

/* On the store's thread. */
static void on_stored(void *context, int result)
{
	struct receiving *receiving = context;
	struct http_answer *answer = receiving->answer;
	struct ingest_desk *desk = receiving->site->desk;

	ingest_desk_count(desk,
		result == 0					? INGEST_UPLOADS_STORED
			: result == -ESTALE || result == -EFBIG ? INGEST_UPLOADS_REFUSED
								: INGEST_UPLOADS_FAILED,
		1);
	if (result == 0)
		http_answer_begin(answer, 200, "text/plain");
	else if (result == -ESTALE)
		http_answer_error(answer, 422, "all of it is older than what this server keeps");
	else if (result == -EFBIG)
		http_answer_error(answer, 413, "larger than the store can hold");
	else
		http_answer_error(answer, 503, "it could not be stored: %s; try again later",
			fault_text(result));
	receiving->later.done(receiving->later.exchange);
}

static struct ingest_upload parameters_of(const struct receiving *receiving)
{
	const struct http_request *request = receiving->request;

	return (struct ingest_upload){
		.name = http_request_param(request, "name"),
		.from = http_request_param(request, "from"),
		.until = http_request_param(request, "until"),
		.sample_rate = http_request_param(request, "sampleRate"),
		.spy_name = http_request_param(request, "spyName"),
		.units = http_request_param(request, "units"),
		.format = http_request_param(request, "format"),
		.content_type = request->content_type,
		.content_encoding = request->content_encoding,
		.now_ns = clock_read(&receiving->site->clock).realtime_ns,
	};
}

static bool receiving_finish(
	void *upload, const struct http_later *later, struct http_answer *answer)
{
	struct receiving *receiving = upload;
	struct ingest_desk *desk = receiving->site->desk;
	struct ingest_upload parameters = parameters_of(receiving);
	struct ingest_drops drops = {0};
	struct ingest_fault fault = {""};
	struct profile **profiles;
	uint32_t count;
	int r;

	ingest_desk_count(desk, INGEST_UPLOADS, 1);
	ingest_desk_count(desk, INGEST_BYTES, receiving->body.byte_count);
	r = ingest_upload_read(&parameters,
		(struct ingest_text){
			(const char *)receiving->body.bytes, receiving->body.byte_count},
		&drops, &profiles, &count, &fault);
	ingest_desk_note_drops(desk, &drops);
	if (r == -ENOMEM) {
		ingest_desk_count(desk, INGEST_UPLOADS_FAILED, 1);
		http_answer_error(answer, 503, "out of memory; try again later");
		return true;
	}
	if (r < 0) {
		ingest_desk_count(desk, INGEST_UPLOADS_REFUSED, 1);
		answer_fault(answer, r, &fault);
		return true;
	}
	receiving->answer = answer;
	receiving->later = *later;
	ingest_desk_submit(desk, profiles, count, on_stored, receiving);
	return false;
}

static void receiving_close(void *upload)
{
	struct receiving *receiving = upload;

	bytes_writer_done(&receiving->body);
	free(receiving);
}

const struct http_receiver route_ingest_receiver = {
	.open = receiving_open,
	.write = receiving_write,
	.finish = receiving_finish,
	.close = receiving_close,
};
