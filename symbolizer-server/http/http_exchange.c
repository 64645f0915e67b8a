/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/http_exchange.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "store/base/deflate.h"
#include "store/base/peer.h"
#include "store/log/log.h"
#include "symbolizer-server/http/accept.h"

/* Smaller answers do not get shorter in packets. */
#define GZIP_BYTES_MIN 1024

static bool exchange_is_gone(const struct http_request *request)
{
	const struct http_exchange *exchange = (const struct http_exchange *)(const void *)request;
	struct pollfd poll_fd = {.fd = exchange->fd, .events = POLLRDHUP};

	if (atomic_load(exchange->stopping))
		return true;
	return poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static enum MHD_Result add_param(
	void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct http_request *request = context;

	(void)kind;
	if (request->param_count == HTTP_PARAM_COUNT_MAX) {
		request->too_many_params = true;
		return MHD_NO;
	}
	request->params[request->param_count++] = (struct http_param){name, value ? value : ""};
	return MHD_YES;
}

static enum MHD_Result count_host(
	void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct http_request *request = context;

	(void)kind;
	(void)value;
	request->host_count += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
	return MHD_YES;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static void read_local_address(struct http_exchange *exchange)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	const void *bytes = NULL;

	if (getsockname(exchange->fd, (struct sockaddr *)&address, &length) < 0)
		return;
	if (address.ss_family == AF_INET)
		bytes = &((const struct sockaddr_in *)(const void *)&address)->sin_addr;
	else if (address.ss_family == AF_INET6)
		bytes = &((const struct sockaddr_in6 *)(const void *)&address)->sin6_addr;
	if (bytes &&
		inet_ntop(address.ss_family, bytes, exchange->local_address,
			sizeof(exchange->local_address)))
		exchange->request.local_address = exchange->local_address;
}

static void read_peer(struct http_exchange *exchange)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	struct peer peer;

	exchange->request.from_this_machine =
		getpeername(exchange->fd, (struct sockaddr *)&address, &length) == 0 &&
		peer_read((const struct sockaddr *)&address, &peer) == 0 && peer_is_loopback(&peer);
}

static uint64_t content_length(struct MHD_Connection *connection)
{
	const char *text = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);

	/* The library has refused what is no number. */
	return text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

int http_exchange_fd(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

struct http_exchange *http_exchange_new(struct MHD_Connection *connection, const char *path,
	const char *method, const char *version)
{
	struct http_exchange *exchange = calloc(1, sizeof(*exchange));

	if (!exchange)
		return NULL;
	exchange->connection = connection;
	exchange->fd = http_exchange_fd(connection);
	exchange->request = (struct http_request){
		.method = method,
		.path = path,
		.http_1_0 = strcmp(version, MHD_HTTP_VERSION_1_0) == 0,
		.host = header(connection, MHD_HTTP_HEADER_HOST),
		.origin = header(connection, MHD_HTTP_HEADER_ORIGIN),
		.accept = header(connection, MHD_HTTP_HEADER_ACCEPT),
		.accept_encoding = header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING),
		.if_none_match = header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH),
		.content_range = header(connection, MHD_HTTP_HEADER_CONTENT_RANGE),
		.content_type = header(connection, MHD_HTTP_HEADER_CONTENT_TYPE),
		.content_encoding = header(connection, MHD_HTTP_HEADER_CONTENT_ENCODING),
		.content_length = content_length(connection),
		.is_gone = exchange_is_gone,
	};
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_param, &exchange->request);
	MHD_get_connection_values(connection, MHD_HEADER_KIND, count_host, &exchange->request);
	read_local_address(exchange);
	read_peer(exchange);
	http_answer_init(&exchange->answer);
	return exchange;
}

void http_exchange_free(struct http_exchange *exchange)
{
	if (!exchange)
		return;
	intake_done(&exchange->intake);
	http_answer_done(&exchange->answer);
	free(exchange);
}

/* An answer that cannot be made smaller goes out as it is. */
static void compress(struct http_exchange *exchange)
{
	struct http_answer *answer = &exchange->answer;
	struct bytes_writer small;

	if (answer->fixed_body || answer->has_file || answer->gzipped ||
		answer->body.byte_count < GZIP_BYTES_MIN)
		return;
	answer->varies = true;
	if (!accept_allows_gzip(exchange->request.accept_encoding))
		return;
	bytes_writer_init(&small, answer->body.byte_count);
	if (deflate_write_gzip(&small, answer->body.bytes, answer->body.byte_count) < 0) {
		bytes_writer_done(&small);
		return;
	}
	bytes_writer_done(&answer->body);
	answer->body = small;
	answer->gzipped = true;
}

void http_exchange_finish(struct http_exchange *exchange)
{
	http_answer_check(&exchange->answer);
	compress(exchange);
	exchange->answered = true;
}

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
	if (value && MHD_add_response_header(response, name, value) != MHD_YES)
		log_warning(0, "ignoring that header %s could not be added to an answer", name);
}

static void add_headers(struct MHD_Response *response, const struct http_answer *answer)
{
	add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->content_type);
	add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
		answer->cache_control ? answer->cache_control : "no-store");
	add_header(response, MHD_HTTP_HEADER_ETAG, answer->etag);
	if (answer->allow[0])
		add_header(response, MHD_HTTP_HEADER_ALLOW, answer->allow);
	if (answer->retry_after_seconds) {
		char seconds[16];

		snprintf(seconds, sizeof(seconds), "%" PRIu32, answer->retry_after_seconds);
		add_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
	}
	if (answer->partial[0])
		add_header(response, "Cairn-Partial", answer->partial);
	if (answer->gzipped)
		add_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (answer->varies)
		add_header(response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	/* Names of functions come from anywhere: nothing here is ever run or shown elsewhere. */
	add_header(response, "Content-Security-Policy",
		"default-src 'self'; object-src 'none'; frame-ancestors 'self'; "
		"base-uri 'none'; form-action 'self'");
	add_header(response, "X-Content-Type-Options", "nosniff");
	add_header(response, "Referrer-Policy", "same-origin");
	add_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}

static struct MHD_Response *make_response(struct http_answer *answer, size_t *ret_byte_count)
{
	struct MHD_Response *response;
	size_t byte_count = answer->fixed_byte_count;

	if (answer->has_file) {
		response = MHD_create_response_from_fd64(answer->file_byte_count, answer->file_fd);
		/* It closes the descriptor with the answer. */
		answer->has_file = !response;
		*ret_byte_count = answer->file_byte_count;
		return response;
	}

	/* The library does not write to what stays with us. */
	if (answer->fixed_body) {
		*ret_byte_count = byte_count;
		return MHD_create_response_from_buffer(
			byte_count, (void *)(uintptr_t)answer->fixed_body, MHD_RESPMEM_PERSISTENT);
	}

	uint8_t *bytes = bytes_writer_take(&answer->body, &byte_count);

	response = MHD_create_response_from_buffer(byte_count, bytes, MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(bytes);
	*ret_byte_count = byte_count;
	return response;
}

struct MHD_Response *http_exchange_response(struct http_exchange *exchange, size_t *ret_byte_count)
{
	struct MHD_Response *response = make_response(&exchange->answer, ret_byte_count);

	if (response)
		add_headers(response, &exchange->answer);
	return response;
}

/* Decodes %XX in place, but leaves %00 as it stands: a NUL would hide what follows it. */
size_t http_exchange_unescape(void *context, struct MHD_Connection *connection, char *text)
{
	char *from = text, *to = text;

	(void)context;
	(void)connection;
	while (*from) {
		unsigned value;
		char digits[3] = "";

		if (from[0] == '%' && from[1] && from[2])
			memcpy(digits, from + 1, 2);
		if (strspn(digits, "0123456789abcdefABCDEF") == 2 &&
			(value = (unsigned)strtoul(digits, NULL, 16)) != 0) {
			*to++ = (char)value;
			from += 3;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return (size_t)(to - text);
}
