/* SPDX-License-Identifier: Apache-2.0 */
/* `querier.v1.QuerierService` by Connect: Grafana's data source and Profiles Drilldown ask this way. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/fault.h"
#include "store/log/log.h"
#include "symbolizer-server/http/connect.h"
#include "symbolizer-server/http/querier_call.h"
#include "symbolizer-server/http/route.h"

typedef int (*answer_fn)(const struct querier_call *call, struct reply_writer *writer);

static const answer_fn methods[QUERIER_METHOD_COUNT] = {
	[QUERIER_ProfileTypes] = querier_types,
	[QUERIER_LabelValues] = querier_label_values,
	[QUERIER_LabelNames] = querier_label_names,
	[QUERIER_Series] = querier_series,
	[QUERIER_SelectMergeStacktraces] = querier_tree,
	[QUERIER_SelectMergeSpanProfile] = querier_span_tree,
	[QUERIER_SelectMergeProfile] = querier_profile,
	[QUERIER_SelectSeries] = querier_values,
	[QUERIER_Diff] = querier_diff,
	[QUERIER_GetProfileStats] = querier_stats,
};

/* A request while its body comes in. */
struct asking {
	struct site *site;
	const struct http_request *request;
	struct bytes_writer body;
};

static void *open_asking(void *site, const struct http_request *request, struct http_answer *answer)
{
	struct asking *asking;

	if (connect_codec_of(request) == CONNECT_UNKNOWN) {
		connect_answer_error(-EPROTOTYPE,
			"Content-Type: application/proto or application/json must stand here",
			answer);
		return NULL;
	}
	asking = calloc(1, sizeof(*asking));
	if (!asking) {
		connect_answer_error(-ENOMEM, "out of memory: try again later", answer);
		return NULL;
	}
	asking->site = site;
	asking->request = request;
	bytes_writer_init(&asking->body, QUERIER_REQUEST_BYTES_MAX);
	return asking;
}

static bool write_asking(
	void *context, const void *bytes, size_t byte_count, struct http_answer *answer)
{
	struct asking *asking = context;
	int r;

	bytes_write_span(&asking->body, bytes, byte_count);
	r = bytes_writer_fault(&asking->body);
	if (r < 0) {
		connect_answer_error(r,
			r == -EFBIG ? "a request may be as long as 1 MiB"
				    : "out of memory: try again later",
			answer);
	}
	return r == 0;
}

/* The last part of the path. */
static const char *method_name(const struct http_request *request)
{
	return strrchr(request->path, '/') + 1;
}

static int run_method(const struct asking *asking, answer_fn method,
	const struct querier_request *asked, struct ingest_fault *fault, struct http_answer *answer)
{
	const struct querier_call call = {.site = asking->site,
		.http = asking->request,
		.asked = asked,
		.answer = answer,
		.fault = fault};
	struct reply_writer writer;
	int r;

	reply_init(&writer,
		connect_codec_of(asking->request) == CONNECT_JSON ? REPLY_JSON : REPLY_PROTO,
		connect_answer_begin(asking->request, answer));
	r = method(&call, &writer);
	if (r == 0) {
		reply_finish(&writer);
		r = bytes_writer_fault(&answer->body);
	}
	return r;
}

static int answer_method(const struct asking *asking, enum querier_method method,
	struct ingest_fault *fault, struct http_answer *answer)
{
	bool json = connect_codec_of(asking->request) == CONNECT_JSON;
	struct querier_request asked;
	struct bytes_writer unpacked;
	struct ingest_text body;
	int r;

	r = connect_unpack(asking->request,
		(struct ingest_text){(const char *)asking->body.bytes, asking->body.byte_count},
		&unpacked, &body, fault);
	if (r == 0 && body.length > QUERIER_REQUEST_BYTES_MAX)
		r = ingest_refuse(fault, -EFBIG, "a request may be as long as 1 MiB");
	if (r == 0)
		r = querier_request_init(
			&asked, method, json ? REPLY_JSON : REPLY_PROTO, body, fault);
	bytes_writer_done(&unpacked);
	if (r < 0)
		return r;
	r = run_method(asking, methods[method], &asked, fault, answer);
	querier_request_done(&asked);
	return r;
}

/* What Grafana's app keeps for its user is kept by nobody here; it must get an answer all the same. */
static bool answer_settings(const struct http_request *request, struct http_answer *answer)
{
	if (!strstr(request->path, "/settings.v1.") || strcmp(method_name(request), "Get") != 0)
		return false;
	connect_answer_begin(request, answer);
	if (connect_codec_of(request) == CONNECT_JSON)
		bytes_write_span(&answer->body, "{}", 2);
	return true;
}

static void answer_fault(int error, struct ingest_fault *fault, struct http_answer *answer)
{
	int status;

	/* What went wrong in a method that says nothing itself. */
	if (!fault->text[0]) {
		const char *text = profile_query_fault(error, &status);

		if (status == 500)
			log_error(error, "answering a query");
		snprintf(fault->text, sizeof(fault->text), "%s", text);
	}
	connect_answer_error(error, fault->text, answer);
}

static bool finish_asking(void *context, const struct http_later *later, struct http_answer *answer)
{
	const struct asking *asking = context;
	const char *name = method_name(asking->request);
	enum querier_method method = querier_method_of(name);
	struct ingest_fault fault = {""};
	int r;

	(void)later;
	if (answer_settings(asking->request, answer))
		return true;
	if (strstr(asking->request->path, "/querier.v1.") == NULL ||
		method == QUERIER_METHOD_COUNT || !methods[method])
		r = ingest_refuse(&fault, -ENOSYS, "%.100s is not answered here", name);
	else
		r = answer_method(asking, method, &fault, answer);
	if (r < 0)
		answer_fault(r, &fault, answer);
	return true;
}

static void close_asking(void *context)
{
	struct asking *asking = context;

	bytes_writer_done(&asking->body);
	free(asking);
}

const struct http_receiver route_querier_receiver = {
	.open = open_asking,
	.write = write_asking,
	.finish = finish_asking,
	.close = close_asking,
};
