/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <curl/curl.h>

#include "store/base/bytes.h"

/* Somebody who does not even take the connection. */
#define CONNECT_SECONDS_MAX 10L
/* Whoever neither takes nor sends for so long is gone. */
#define SILENCE_SECONDS_MAX 60L
/* A query over a long range of a large fleet. */
#define ANSWER_SECONDS_MAX 300L
#define BODY_BYTES_MAX ((size_t)1 << 30)

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
	struct bytes_writer *body = context;

	bytes_write_span(body, bytes, size * count);
	return bytes_writer_fault(body) == 0 ? size * count : 0;
}

static void write_text(struct bytes_writer *writer, const char *text)
{
	bytes_write_span(writer, text, strlen(text));
}

/* SERVER's path, PATH and the parameters, ended by a NUL. */
static int write_url(CURL *curl, const struct fetch_request *request, struct bytes_writer *url)
{
	size_t length = strlen(request->server);
	const char *separator = "?";

	while (length > 0 && request->server[length - 1] == '/')
		length--;
	bytes_write_span(url, request->server, length);
	write_text(url, request->path);
	for (size_t i = 0; i < FETCH_PARAM_COUNT_MAX; i++) {
		const struct fetch_param *param = &request->params[i];
		char *value;

		if (!param->name || !param->value)
			continue;
		value = curl_easy_escape(curl, param->value, 0);
		if (!value)
			return -ENOMEM;
		write_text(url, separator);
		write_text(url, param->name);
		write_text(url, "=");
		write_text(url, value);
		curl_free(value);
		separator = "&";
	}
	bytes_write_u8(url, 0);
	return bytes_writer_fault(url);
}

/* A proxy for the world outside is of no use for this machine. */
static bool is_this_machine(const char *server)
{
	static const char *const begins[] = {
		"http://127.", "http://localhost", "http://[::1]", "127.", "localhost", "[::1]"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (strncmp(server, begins[i], strlen(begins[i])) == 0)
			return true;
	}
	return false;
}

static CURLcode set_options(
	CURL *curl, const char *server, const char *url, struct bytes_writer *body)
{
	CURLcode code = curl_easy_setopt(curl, CURLOPT_URL, url);

	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_WRITEDATA, body);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS_MAX);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_TIMEOUT, ANSWER_SECONDS_MAX);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_USERAGENT, "cairn/" CAIRN_VERSION);
	if (code == CURLE_OK && is_this_machine(server))
		code = curl_easy_setopt(curl, CURLOPT_PROXY, "");
	return code;
}

static int explain_silence(const struct fetch_request *request, CURLcode code, char *ret_error)
{
	switch ((int)code) {
	case CURLE_OUT_OF_MEMORY:
		return -ENOMEM;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		snprintf(ret_error, FETCH_ERROR_BYTES_MAX,
			"%s is no address of a server: write http://HOST:PORT", request->server);
		return -EIO;
	case CURLE_OPERATION_TIMEDOUT:
		snprintf(ret_error, FETCH_ERROR_BYTES_MAX,
			"%s gave no answer in time: ask for a shorter range, or try again later",
			request->server);
		return -EIO;
	default:
		snprintf(ret_error, FETCH_ERROR_BYTES_MAX,
			"no answer from %s (%s): is cairn-server running there? Another address is "
			"given by --server URL or CAIRN_SERVER",
			request->server, curl_easy_strerror(code));
		return -EIO;
	}
}

/* The server's own words if it gave some. BODY ends with a NUL. */
static int explain_refusal(
	const struct fetch_request *request, long status, const char *body, char *ret_error)
{
	cJSON *json = cJSON_Parse(body);
	const char *message =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "message"));

	if (message)
		snprintf(ret_error, FETCH_ERROR_BYTES_MAX, "%s", message);
	else {
		snprintf(ret_error, FETCH_ERROR_BYTES_MAX,
			"%s answered with status %ld, which is not how cairn-server answers: is "
			"something else at this address?",
			request->server, status);
	}
	cJSON_Delete(json);
	return -EIO;
}

struct posting {
	const void *bytes;
	size_t byte_count;
};

static CURLcode set_posting(CURL *curl, const struct posting *posting)
{
	CURLcode code = curl_easy_setopt(curl, CURLOPT_POST, 1L);

	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_POSTFIELDS, posting->bytes);
	if (code == CURLE_OK)
		code = curl_easy_setopt(
			curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)posting->byte_count);
	return code;
}

/* POSTING: NULL for a plain question. */
static int get(CURL *curl, const struct fetch_request *request, const struct posting *posting,
	struct bytes_writer *url, struct bytes_writer *body, char *ret_error)
{
	int r = write_url(curl, request, url);
	CURLcode code;
	long status = 0;

	if (r < 0)
		return r;
	code = set_options(curl, request->server, (const char *)url->bytes, body);
	if (code == CURLE_OK && posting)
		code = set_posting(curl, posting);
	if (code == CURLE_OK)
		code = curl_easy_perform(curl);
	if (code != CURLE_OK)
		return explain_silence(request, code, ret_error);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	bytes_write_u8(body, 0);
	if (bytes_writer_fault(body) < 0)
		return bytes_writer_fault(body);
	if (status != 200)
		return explain_refusal(request, status, (const char *)body->bytes, ret_error);
	return 0;
}

static int ask(const struct fetch_request *request, const struct posting *posting, char **ret_body,
	size_t *ret_byte_count, char *ret_error)
{
	struct bytes_writer body, url;
	CURL *curl = curl_easy_init();
	int r;

	if (!curl)
		return -ENOMEM;
	bytes_writer_init(&body, BODY_BYTES_MAX);
	bytes_writer_init(&url, BODY_BYTES_MAX);
	r = get(curl, request, posting, &url, &body, ret_error);
	curl_easy_cleanup(curl);
	bytes_writer_done(&url);
	if (r < 0) {
		bytes_writer_done(&body);
		return r;
	}
	*ret_body = (char *)bytes_writer_take(&body, ret_byte_count);
	*ret_byte_count -= 1;
	return 0;
}

int fetch_get(const struct fetch_request *request, char **ret_body, size_t *ret_byte_count,
	char *ret_error)
{
	return ask(request, NULL, ret_body, ret_byte_count, ret_error);
}

int fetch_post(const struct fetch_request *request, const void *bytes, size_t byte_count,
	char **ret_body, size_t *ret_byte_count, char *ret_error)
{
	/* Without a body libcurl would read standard input. */
	const struct posting posting = {byte_count > 0 ? bytes : "", byte_count};

	return ask(request, &posting, ret_body, ret_byte_count, ret_error);
}

/* ---- Sending ---- */

struct sending {
	const struct fetch_file *file;
	uint64_t at;
};

static size_t on_send(char *ret_bytes, size_t size, size_t count, void *context)
{
	struct sending *sending = context;
	ssize_t got = pread(sending->file->fd, ret_bytes, size * count, (off_t)sending->at);

	if (got < 0)
		return CURL_READFUNC_ABORT;
	sending->at += (uint64_t)got;
	return (size_t)got;
}

static CURLcode set_body(CURL *curl, struct sending *sending)
{
	const struct fetch_file *file = sending->file;
	CURLcode code = curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);

	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_READFUNCTION, on_send);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_READDATA, sending);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE,
			(curl_off_t)(file->byte_count - file->offset));
	/* However long it takes, as long as it moves. */
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_TIMEOUT, 0L);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, SILENCE_SECONDS_MAX);
	return code;
}

static CURLcode set_range(CURL *curl, const struct fetch_file *file, struct curl_slist **ret_list)
{
	char line[128];
	struct curl_slist *list;

	snprintf(line, sizeof(line), "Content-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64,
		file->offset, file->byte_count - 1, file->byte_count);
	list = curl_slist_append(NULL, line);
	if (!list)
		return CURLE_OUT_OF_MEMORY;
	*ret_list = list;
	return curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
}

/* Whether the server may have kept what it got before. */
static bool broke(CURLcode code)
{
	return code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
		code == CURLE_OPERATION_TIMEDOUT;
}

static int put(CURL *curl, const struct fetch_request *request, const char *url,
	const struct fetch_file *file, char *ret_error)
{
	struct sending sending = {.file = file, .at = file->offset};
	struct curl_slist *headers = NULL;
	struct bytes_writer body;
	long status = 0;
	CURLcode code;
	int r = 0;

	bytes_writer_init(&body, BODY_BYTES_MAX);
	code = set_options(curl, request->server, url, &body);
	if (code == CURLE_OK)
		code = set_body(curl, &sending);
	if (code == CURLE_OK)
		code = set_range(curl, file, &headers);
	if (code == CURLE_OK)
		code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	bytes_write_u8(&body, 0);
	/* A refusal may come before the whole file was sent. */
	if (bytes_writer_fault(&body) < 0)
		r = bytes_writer_fault(&body);
	else if (status >= 400)
		r = explain_refusal(request, status, (const char *)body.bytes, ret_error);
	else if (code != CURLE_OK)
		r = explain_silence(request, code, ret_error);
	if (r == -EIO && status < 400 && broke(code))
		r = -EPIPE;
	curl_slist_free_all(headers);
	bytes_writer_done(&body);
	return r;
}

int fetch_put(const struct fetch_request *request, const struct fetch_file *file, char *ret_error)
{
	struct bytes_writer url;
	CURL *curl = curl_easy_init();
	int r;

	if (!curl)
		return -ENOMEM;
	bytes_writer_init(&url, BODY_BYTES_MAX);
	r = write_url(curl, request, &url);
	if (r == 0)
		r = put(curl, request, (const char *)url.bytes, file, ret_error);
	curl_easy_cleanup(curl);
	bytes_writer_done(&url);
	return r;
}
