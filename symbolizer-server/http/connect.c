/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/connect.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "store/base/json_writer.h"
#include "symbolizer-server/ingest/ingest_upload.h"

static bool is_type(const char *content_type, const char *name)
{
	size_t length = strlen(name);

	/* Parameters may follow: `; charset=utf-8`. */
	return strncasecmp(content_type, name, length) == 0 &&
		(content_type[length] == '\0' || content_type[length] == ';' ||
			content_type[length] == ' ');
}

enum connect_codec connect_codec_of(const struct http_request *request)
{
	const char *type = request->content_type ? request->content_type : "";

	if (is_type(type, "application/proto") || is_type(type, "application/x-protobuf"))
		return CONNECT_PROTO;
	return is_type(type, "application/json") ? CONNECT_JSON : CONNECT_UNKNOWN;
}

int connect_unpack(const struct http_request *request, struct ingest_text body,
	struct bytes_writer *writer, struct ingest_text *ret_body, struct ingest_fault *fault)
{
	const char *encoding = request->content_encoding;

	bytes_writer_init(writer, 0);
	*ret_body = body;
	/* An empty message is not compressed, whatever its header says. */
	if (!encoding || body.length == 0 || strcasecmp(encoding, "identity") == 0)
		return 0;
	if (strcasecmp(encoding, "gzip") != 0)
		return ingest_refuse(fault, -EINVAL,
			"Content-Encoding: %.40s is not taken; gzip or none is", encoding);
	return ingest_unpack(body, writer, ret_body, fault);
}

struct bytes_writer *connect_answer_begin(
	const struct http_request *request, struct http_answer *answer)
{
	return http_answer_begin(answer, 200,
		connect_codec_of(request) == CONNECT_JSON ? "application/json"
							  : "application/proto");
}

/* Connect's own table of codes and statuses; what cannot be read is an argument like another. */
static const struct {
	int error;
	const char *code;
	int status;
} errors[] = {
	{-EINVAL, "invalid_argument", 400},
	{-EBADMSG, "invalid_argument", 400},
	{-ESTALE, "invalid_argument", 400},
	{-E2BIG, "resource_exhausted", 413},
	{-EFBIG, "resource_exhausted", 413},
	{-EOVERFLOW, "out_of_range", 400},
	{-EPROTOTYPE, "unknown", 415},
	{-ENOSYS, "unimplemented", 501},
	{-ECANCELED, "canceled", 499},
	{0, "unavailable", 503},
};

void connect_answer_error(int error, const char *fault, struct http_answer *answer)
{
	struct json_writer json;
	size_t i = 0;

	while (errors[i].error != error && errors[i].error != 0)
		i++;
	json_writer_init(&json, http_answer_begin(answer, errors[i].status, "application/json"));
	json_begin_object(&json);
	json_string(json_key(&json, "code"), errors[i].code);
	json_string(json_key(&json, "message"), fault);
	json_end_object(&json);
	bytes_write_u8(&answer->body, '\n');
}
