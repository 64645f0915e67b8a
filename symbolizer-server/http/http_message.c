/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/http_message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/base/json_writer.h"

/* Longer sentences are cut: a person reads them. */
#define MESSAGE_BYTES_MAX 1024

const char *http_request_param(const struct http_request *request, const char *name)
{
	for (uint32_t i = 0; i < request->param_count; i++) {
		if (strcmp(request->params[i].name, name) == 0)
			return request->params[i].value;
	}
	return NULL;
}

bool http_request_is_gone(const struct http_request *request)
{
	return request->is_gone && request->is_gone(request);
}

void http_answer_init(struct http_answer *answer)
{
	*answer = (struct http_answer){.status = 500, .content_type = "text/plain"};
	bytes_writer_init(&answer->body, HTTP_BODY_BYTES_MAX);
}

static void drop_file(struct http_answer *answer)
{
	if (answer->has_file)
		close(answer->file_fd);
	answer->has_file = false;
}

void http_answer_done(struct http_answer *answer)
{
	drop_file(answer);
	bytes_writer_done(&answer->body);
	*answer = (struct http_answer){0};
}

struct bytes_writer *http_answer_begin(
	struct http_answer *answer, int status, const char *content_type)
{
	drop_file(answer);
	bytes_writer_reset(&answer->body);
	answer->status = status;
	answer->content_type = content_type;
	answer->fixed_body = NULL;
	answer->fixed_byte_count = 0;
	answer->gzipped = false;
	answer->retry_after_seconds = 0;
	return &answer->body;
}

void http_answer_file(
	struct http_answer *answer, const char *content_type, int fd, uint64_t byte_count)
{
	http_answer_begin(answer, 200, content_type);
	answer->has_file = true;
	answer->file_fd = fd;
	answer->file_byte_count = byte_count;
}

const char *http_error_code(int status)
{
	static const struct {
		int status;
		const char *code;
	} codes[] = {
		{400, "invalid_argument"},
		{403, "permission_denied"},
		{404, "not_found"},
		{405, "method_not_allowed"},
		{406, "not_acceptable"},
		{409, "aborted"},
		{413, "too_large"},
		{422, "resource_exhausted"},
		{503, "unavailable"},
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (codes[i].status == status)
			return codes[i].code;
	}
	return "internal";
}

void http_answer_error(struct http_answer *answer, int status, const char *format, ...)
{
	char message[MESSAGE_BYTES_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	http_answer_code(answer, status, http_error_code(status), message);
}

void http_answer_code(struct http_answer *answer, int status, const char *code, const char *message)
{
	struct json_writer json;

	json_writer_init(&json, http_answer_begin(answer, status, "application/json"));
	json_begin_object(&json);
	json_key(&json, "code");
	json_string(&json, code);
	json_key(&json, "message");
	json_string(&json, message);
	json_end_object(&json);
	bytes_write_u8(&answer->body, '\n');
	answer->etag = NULL;
	answer->cache_control = NULL;
}

void http_answer_check(struct http_answer *answer)
{
	static const char no_memory[] =
		"{\"code\":\"unavailable\",\"message\":\"out of memory; try again later\"}\n";
	int fault = bytes_writer_fault(&answer->body);

	if (fault == -EFBIG) {
		http_answer_error(answer, 422,
			"the answer is larger than %zu MiB: ask for less (a shorter range, a "
			"narrower query, a smaller max_nodes or limit)",
			HTTP_BODY_BYTES_MAX >> 20);
	}
	if (bytes_writer_fault(&answer->body) == 0)
		return;
	http_answer_begin(answer, 503, "application/json");
	answer->fixed_body = no_memory;
	answer->fixed_byte_count = sizeof(no_memory) - 1;
}
