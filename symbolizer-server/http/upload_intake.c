/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/upload_intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/bytes.h"
#include "store/base/fault.h"
#include "symbolizer-server/ingest/ingest_desk.h"
#include "symbolizer-server/ingest/ingest_report.h"
#include "symbolizer-server/ingest/ingest_upload.h"

/* By then some of what is held has been read. */
#define RETRY_AFTER_SECONDS 1

struct upload {
	const struct upload_protocol *protocol;
	struct site *site;
	const struct http_request *request;
	struct bytes_writer body;
	uint64_t held; /* of what all bodies may hold together */
	bool has_key; /* it is told what becomes of it: */
	struct hash128 key;
	struct bytes_writer report; /* without bytes: nobody asked */
	int read_error; /* what is stored is not all of it */
	uint64_t rejected_count;
	struct ingest_fault fault;
	struct http_answer *answer;
	struct http_later later;
};

void *upload_intake_open(const struct upload_protocol *protocol, struct site *site,
	const struct http_request *request, struct http_answer *answer)
{
	struct upload *upload = calloc(1, sizeof(*upload));

	if (!upload) {
		protocol->answer(request,
			&(struct upload_outcome){
				-ENOMEM, "out of memory; try again later", 0, NULL},
			answer);
		return NULL;
	}
	upload->protocol = protocol;
	upload->site = site;
	upload->request = request;
	bytes_writer_init(&upload->body, INGEST_BODY_BYTES_MAX);
	bytes_writer_init(&upload->report, INGEST_REPORT_BYTES_MAX);
	return upload;
}

/* One upload has one fate. */
static void settle(struct upload *upload, int error, struct http_answer *answer)
{
	bool refused = error == -EINVAL || error == -EBADMSG || error == -E2BIG ||
		error == -EFBIG || error == -ESTALE || error == -EPROTOTYPE;

	if (upload->has_key)
		ingest_desk_end(upload->site->desk, &upload->key, error == 0);
	ingest_desk_count(upload->site->desk,
		error == 0	  ? INGEST_UPLOADS_STORED
			: refused ? INGEST_UPLOADS_REFUSED
				  : INGEST_UPLOADS_FAILED,
		1);
	if (error == -ESTALE) {
		snprintf(upload->fault.text, sizeof(upload->fault.text),
			"all of it is older than what this server keeps");
	} else if (error == -EDQUOT) {
		snprintf(upload->fault.text, sizeof(upload->fault.text),
			"too many uploads at once: their bodies fill what there is for them "
			"(--ingest-bytes); try again later");
	} else if (error == -EALREADY) {
		snprintf(upload->fault.text, sizeof(upload->fault.text),
			"the same upload is still being stored; try again later");
	} else if (!refused && error < 0) {
		snprintf(upload->fault.text, sizeof(upload->fault.text),
			"it could not be stored: %s; try again later", fault_text(error));
	}
	upload->protocol->answer(upload->request,
		&(struct upload_outcome){error, upload->fault.text, upload->rejected_count,
			upload->report.byte_count > 0 ? &upload->report : NULL},
		answer);
	if (upload_status(error) == 503)
		answer->retry_after_seconds = RETRY_AFTER_SECONDS;
}

bool upload_intake_write(
	void *context, const void *bytes, size_t byte_count, struct http_answer *answer)
{
	struct upload *upload = context;
	int r;

	if (!ingest_desk_hold(upload->site->desk, upload->held, byte_count)) {
		settle(upload, -EDQUOT, answer);
		return false;
	}
	upload->held += byte_count;
	bytes_write_span(&upload->body, bytes, byte_count);
	r = bytes_writer_fault(&upload->body);
	if (r == -EFBIG) {
		snprintf(upload->fault.text, sizeof(upload->fault.text),
			"the body is larger than %zu bytes", INGEST_BODY_BYTES_MAX);
	}
	if (r < 0)
		settle(upload, r, answer);
	return r == 0;
}

static void drop_body(struct upload *upload)
{
	bytes_writer_done(&upload->body);
	ingest_desk_let_go(upload->site->desk, upload->held);
	upload->held = 0;
}

/* On the store's thread, or at once. */
static void on_stored(void *context, int result)
{
	struct upload *upload = context;

	if (result == 0)
		result = upload->read_error;
	settle(upload, result, upload->answer);
	upload->later.done(upload->later.exchange);
}

/* Whether the upload is to be stored; what has come before is answered. */
static bool is_new(struct upload *upload, uint64_t now_ns, struct http_answer *answer)
{
	struct ingest_text body = {(const char *)upload->body.bytes, upload->body.byte_count};
	enum repeat_state state;

	if (!upload->protocol->identify ||
		!upload->protocol->identify(upload->request, body, &upload->key))
		return true;
	state = ingest_desk_begin(upload->site->desk, &upload->key, now_ns);
	upload->has_key = state == REPEAT_NEW;
	if (state != REPEAT_NEW)
		settle(upload, state == REPEAT_STORED ? 0 : -EALREADY, answer);
	return state == REPEAT_NEW;
}

bool upload_intake_finish(void *context, const struct http_later *later, struct http_answer *answer)
{
	struct upload *upload = context;
	struct ingest_desk *desk = upload->site->desk;
	struct profile_list profiles = {.profiles = NULL};
	struct ingest_drops drops = {0};
	const struct clock_reading now = clock_read(&upload->site->clock);
	struct upload_target target = {.now_ns = now.realtime_ns,
		.profiles = &profiles,
		.drops = &drops,
		.fault = &upload->fault};

	ingest_desk_count(desk, INGEST_UPLOADS, 1);
	ingest_desk_count(desk, INGEST_BYTES, upload->body.byte_count);
	if (!is_new(upload, now.monotonic_ns, answer))
		return true;
	ingest_desk_read_begin(desk, upload->held);
	upload->read_error = upload->protocol->read(upload->request,
		(struct ingest_text){(const char *)upload->body.bytes, upload->body.byte_count},
		&target);
	upload->rejected_count = target.rejected_count;
	ingest_desk_note_drops(desk, &drops);
	ingest_desk_read_end(desk, upload->held);
	/* The profiles hold copies of all that was in it. */
	drop_body(upload);
	if (upload->read_error < 0 && profiles.count == 0) {
		profile_list_done(&profiles);
		settle(upload, upload->read_error, answer);
		return true;
	}
	if (upload->protocol->wants_report && upload->protocol->wants_report(upload->request))
		ingest_report_write(&upload->report, &profiles, &drops);
	upload->answer = answer;
	upload->later = *later;
	ingest_desk_submit(desk, profiles.profiles, profiles.count, on_stored, upload);
	return false;
}

void upload_intake_close(void *context)
{
	struct upload *upload = context;

	drop_body(upload);
	bytes_writer_done(&upload->report);
	free(upload);
}

int upload_status(int error)
{
	switch (error) {
	case 0:
		return 200;
	case -EINVAL:
		return 400;
	case -EBADMSG:
	case -ESTALE:
		return 422;
	case -E2BIG:
	case -EFBIG:
		return 413;
	default:
		return 503;
	}
}
