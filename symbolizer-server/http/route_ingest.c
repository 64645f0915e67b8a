/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads of Pyroscope's clients by its first API: `POST /ingest`. */
#include <string.h>

#include "symbolizer-server/http/route.h"
#include "symbolizer-server/http/upload_intake.h"
#include "symbolizer-server/ingest/ingest_upload.h"

static struct ingest_upload upload_of(const struct http_request *request, uint64_t now_ns)
{
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
		.now_ns = now_ns,
	};
}

static int read_ingest(
	const struct http_request *request, struct ingest_text body, struct upload_target *target)
{
	const struct ingest_upload upload = upload_of(request, target->now_ns);

	return ingest_upload_read(&upload, body, target->profiles, target->drops, target->fault);
}

/* Agents that send recordings send them again where they got no answer; each is of a time of its
 * own. Of other formats, two equal ones may be two processes that did the same. */
static bool identify_ingest(
	const struct http_request *request, struct ingest_text body, struct hash128 *ret_key)
{
	const struct ingest_upload upload = upload_of(request, 0);

	return ingest_upload_is_recording(&upload, body) &&
		ingest_upload_key(&upload, body, ret_key) == 0;
}

static void answer_ingest(const struct http_request *request, const struct upload_outcome *outcome,
	struct http_answer *answer)
{
	(void)request;
	/* Go's client takes 200 alone for success. */
	if (outcome->error == 0 && outcome->report) {
		bytes_write_span(http_answer_begin(answer, 200, "application/json"),
			outcome->report->bytes, outcome->report->byte_count);
	} else if (outcome->error == 0) {
		http_answer_begin(answer, 200, "text/plain");
	} else if (upload_status(outcome->error) == 422) {
		/* As the original server calls it. */
		http_answer_code(answer, 422, "unknown", outcome->fault);
	} else {
		http_answer_error(answer, upload_status(outcome->error), "%s", outcome->fault);
	}
}

static bool wants_report(const struct http_request *request)
{
	const char *report = http_request_param(request, "report");

	return report && strcmp(report, "yes") == 0;
}

static const struct upload_protocol protocol = {
	read_ingest, answer_ingest, identify_ingest, wants_report};

static void *open_ingest(void *site, const struct http_request *request, struct http_answer *answer)
{
	return upload_intake_open(&protocol, site, request, answer);
}

const struct http_receiver route_ingest_receiver = {
	.open = open_ingest,
	.write = upload_intake_write,
	.finish = upload_intake_finish,
	.close = upload_intake_close,
};
