/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_client.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/whole_io.h"

#define USER_AGENT "cairn-server/" CAIRN_VERSION
/* A page that says "not found" is read, so that the connection can be kept; a longer one is not. */
#define PAGE_BYTES_MAX ((size_t)64 << 10)
#define ENCODED_BYTES_MAX ((size_t)64 << 10)

enum status {
	STATUS_OK = 200,
	STATUS_UNAUTHORIZED = 401,
	STATUS_PROXY_UNAUTHORIZED = 407,
	STATUS_REQUEST_TIMEOUT = 408,
	STATUS_TOO_MANY_REQUESTS = 429,
};

struct debuginfod_client {
	CURL *curl;
	/* Of the question under way. */
	const struct debuginfod_request *request;
	uint64_t byte_count; /* of the file */
	uint64_t page_bytes; /* of what came in place of one */
	int error; /* why we broke it off; 0: we did not */
};

/* Fails where the rest of the answer is of no use. */
static int take_file(struct debuginfod_client *client, const char *bytes, size_t byte_count)
{
	const struct debuginfod_request *request = client->request;
	int r;

	if (byte_count > request->bytes_max - client->byte_count)
		return -EFBIG;
	for (size_t i = 0; i < byte_count && client->byte_count + i < SELFMAG; i++) {
		if (request->elf && bytes[i] != ELFMAG[client->byte_count + i])
			return -EBADMSG;
	}
	client->byte_count += byte_count;
	r = whole_write(request->to_fd, bytes, byte_count);
	return r == 0 || r == -ENOSPC ? r : -EIO;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
	struct debuginfod_client *client = context;
	size_t byte_count = size * count;
	long status = 0;

	curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == STATUS_OK) {
		client->error = take_file(client, bytes, byte_count);
		return client->error == 0 ? byte_count : 0;
	}
	client->page_bytes += byte_count;
	return client->page_bytes <= PAGE_BYTES_MAX ? byte_count : 0;
}

/* Called at least once a second. */
static int on_progress(
	void *context, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
	struct debuginfod_client *client = context;
	const atomic_bool *stop = client->request->stop;

	(void)down_all;
	(void)down;
	(void)up_all;
	(void)up;
	if (!stop || !atomic_load(stop))
		return 0;
	client->error = -ECANCELED;
	return 1;
}

/* What holds for every question. */
static CURLcode set_up(struct debuginfod_client *client)
{
	CURL *curl = client->curl;
	CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);

	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_WRITEDATA, client);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_XFERINFODATA, client);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	/* Other threads want no signal for a name that is not found in time. */
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_MAXREDIRS, DEBUGINFOD_REDIRECTS_MAX);
	/* A path of a source file is what a compiler wrote, `/./` and all. */
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_USERAGENT, USER_AGENT);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	return code;
}

int debuginfod_client_new(struct debuginfod_client **ret_client)
{
	struct debuginfod_client *client = calloc(1, sizeof(*client));

	if (!client)
		return -ENOMEM;
	client->curl = curl_easy_init();
	if (!client->curl || set_up(client) != CURLE_OK) {
		debuginfod_client_free(client);
		return -ENOMEM;
	}
	*ret_client = client;
	return 0;
}

void debuginfod_client_free(struct debuginfod_client *client)
{
	if (!client)
		return;
	curl_easy_cleanup(client->curl);
	free(client);
}

static CURLcode set_question(CURL *curl, const struct debuginfod_request *request, const char *url)
{
	CURLcode code = curl_easy_setopt(curl, CURLOPT_URL, url);

	if (code == CURLE_OK)
		code = curl_easy_setopt(
			curl, CURLOPT_CONNECTTIMEOUT, (long)request->silence_seconds);
	if (code == CURLE_OK)
		code = curl_easy_setopt(
			curl, CURLOPT_LOW_SPEED_TIME, (long)request->silence_seconds);
	if (code == CURLE_OK)
		code = curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)request->time_ms_max);
	if (code == CURLE_OK)
		code = curl_easy_setopt(
			curl, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)request->bytes_max);
	return code;
}

/* Why there is no whole answer. */
static int error_of_code(CURL *curl, CURLcode code)
{
	long number = 0;

	switch ((int)code) {
	case CURLE_OUT_OF_MEMORY:
	case CURLE_FAILED_INIT:
		return -ENOMEM;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return -EHOSTUNREACH;
	case CURLE_COULDNT_CONNECT:
		curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &number);
		return number > 0 ? -(int)number : -ECONNREFUSED;
	case CURLE_OPERATION_TIMEDOUT:
		return -ETIMEDOUT;
	case CURLE_FILESIZE_EXCEEDED:
		return -EFBIG;
	case CURLE_TOO_MANY_REDIRECTS:
		return -ELOOP;
	case CURLE_UNSUPPORTED_PROTOCOL:
		/* Or what came back is no HTTP at all. */
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &number);
		return number >= 300 && number < 400 ? -EPROTONOSUPPORT : -EREMOTEIO;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_CACERT_BADFILE:
		return -EKEYREJECTED;
	default:
		return -EREMOTEIO;
	}
}

/* Servers of files answer "forbidden" to what is not there; what they may fail at is told apart. */
static int error_of_status(long status)
{
	if (status == STATUS_OK)
		return 0;
	if (status == STATUS_UNAUTHORIZED || status == STATUS_PROXY_UNAUTHORIZED)
		return -EACCES;
	if (status < 400 || status >= 500 || status == STATUS_REQUEST_TIMEOUT ||
		status == STATUS_TOO_MANY_REQUESTS)
		return -EREMOTEIO;
	return -ENOENT;
}

static int outcome(struct debuginfod_client *client, CURLcode code)
{
	long status = 0;
	int r;

	if (client->error < 0)
		return client->error;
	curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
	/* A page that was too long to be read through: its status is known. */
	if (code == CURLE_WRITE_ERROR && client->page_bytes > PAGE_BYTES_MAX)
		code = CURLE_OK;
	if (code != CURLE_OK)
		return error_of_code(client->curl, code);
	r = error_of_status(status);
	if (r == 0 && client->request->elf && client->byte_count < SELFMAG)
		return -EBADMSG;
	return r;
}

static uint32_t wait_seconds(CURL *curl)
{
	curl_off_t seconds = 0;

	if (curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds) != CURLE_OK || seconds <= 0)
		return 0;
	return seconds < DEBUGINFOD_WAIT_SECONDS_MAX ? (uint32_t)seconds
						     : DEBUGINFOD_WAIT_SECONDS_MAX;
}

int debuginfod_client_get(struct debuginfod_client *client,
	const struct debuginfod_request *request, struct debuginfod_answer *ret_answer)
{
	SCOPED_FREE char *url = NULL;
	size_t length = strlen(request->url);
	CURLcode code;
	int r;

	*ret_answer = (struct debuginfod_answer){.byte_count = 0};
	while (length > 0 && request->url[length - 1] == '/')
		length--;
	if (asprintf(&url, "%.*s%s", (int)length, request->url, request->path) < 0)
		return -ENOMEM;
	client->request = request;
	client->byte_count = client->page_bytes = 0;
	client->error = 0;
	code = set_question(client->curl, request, url);
	if (code == CURLE_OK)
		code = curl_easy_perform(client->curl);
	r = outcome(client, code);
	client->request = NULL;
	ret_answer->byte_count = client->byte_count;
	if (r < 0 && r != -ECANCELED)
		ret_answer->wait_seconds = wait_seconds(client->curl);
	return r;
}

bool debuginfod_error_is_theirs(int error)
{
	return error < 0 && error != -ENOENT && error != -ECANCELED && error != -ENOMEM &&
		error != -ENOSPC && error != -EIO;
}

static int check_scheme(CURLU *url)
{
	char *scheme = NULL;
	bool is_http;

	if (curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK)
		return -EINVAL;
	is_http = strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0;
	curl_free(scheme);
	return is_http ? 0 : -EINVAL;
}

int debuginfod_url_shown(const char *url, char **ret_text)
{
	static const CURLUPart hidden[] = {
		CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT};
	CURLU *parts = curl_url();
	char *text = NULL;
	int r;

	if (!parts)
		return -ENOMEM;
	/* As curl takes it: without a scheme it is HTTP. */
	r = curl_url_set(parts, CURLUPART_URL, url, CURLU_GUESS_SCHEME) == CURLUE_OK
		? check_scheme(parts)
		: -EINVAL;
	for (size_t i = 0; r == 0 && i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (curl_url_set(parts, hidden[i], NULL, 0) != CURLUE_OK)
			r = -EINVAL;
	if (r == 0 && curl_url_get(parts, CURLUPART_URL, &text, 0) != CURLUE_OK)
		r = -ENOMEM;
	curl_url_cleanup(parts);
	if (r == 0) {
		*ret_text = strdup(text);
		r = *ret_text ? 0 : -ENOMEM;
	}
	curl_free(text);
	return r;
}

int debuginfod_path_encoded(const char *text, char **ret_text)
{
	static const char digits[] = "0123456789ABCDEF";
	struct bytes_writer writer;
	size_t byte_count;
	int r;

	bytes_writer_init(&writer, ENCODED_BYTES_MAX);
	for (; *text; text++) {
		uint8_t byte = (uint8_t)*text;

		if (isalnum(byte) || strchr("-_.~/", byte)) {
			bytes_write_u8(&writer, byte);
			continue;
		}
		bytes_write_u8(&writer, '%');
		bytes_write_u8(&writer, (uint8_t)digits[byte >> 4]);
		bytes_write_u8(&writer, (uint8_t)digits[byte & 15]);
	}
	bytes_write_u8(&writer, '\0');
	r = bytes_writer_fault(&writer);
	if (r < 0) {
		bytes_writer_done(&writer);
		return r;
	}
	*ret_text = (char *)bytes_writer_take(&writer, &byte_count);
	return 0;
}
