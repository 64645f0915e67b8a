/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/connect.h"

#include <errno.h>

#include "store/base/deflate.h"
#include "tests/support/check.h"

static enum connect_codec codec_of(const char *type)
{
	const struct http_request request = {.content_type = type};

	return connect_codec_of(&request);
}

static void the_content_type_is_the_codec(void)
{
	CHECK_EQ(codec_of("application/proto"), CONNECT_PROTO);
	CHECK_EQ(codec_of("application/json; charset=utf-8"), CONNECT_JSON);
	CHECK_EQ(codec_of("application/jsonx"), CONNECT_UNKNOWN);
	CHECK_EQ(codec_of(NULL), CONNECT_UNKNOWN);
}

static void bodies_are_unpacked_unless_empty(void)
{
	struct http_request request = {.content_encoding = "gzip"};
	struct bytes_writer packed, writer;
	struct ingest_fault fault;
	struct ingest_text body;

	CHECK_EQ(connect_unpack(&request, (struct ingest_text){"", 0}, &writer, &body, &fault), 0);
	CHECK_EQ(body.length, 0);
	bytes_writer_init(&packed, 1000);
	CHECK_EQ(deflate_write_gzip(&packed, "abc", 3), 0);
	CHECK_EQ(connect_unpack(&request,
			 (struct ingest_text){(const char *)packed.bytes, packed.byte_count},
			 &writer, &body, &fault),
		0);
	CHECK_EQ(body.length, 3);
	bytes_writer_done(&writer);
	bytes_writer_done(&packed);
	request.content_encoding = "br";
	CHECK_EQ(connect_unpack(&request, (struct ingest_text){"x", 1}, &writer, &body, &fault),
		-EINVAL);
}

static void check_error(int error, int status, const char *body)
{
	struct http_answer answer;

	http_answer_init(&answer);
	connect_answer_error(error, "why", &answer);
	bytes_write_u8(&answer.body, 0);
	CHECK_EQ(answer.status, status);
	CHECK_STR(answer.content_type, "application/json");
	CHECK_STR((const char *)answer.body.bytes, body);
	http_answer_done(&answer);
}

static void errors_have_codes_and_statuses(void)
{
	check_error(-EINVAL, 400, "{\"code\":\"invalid_argument\",\"message\":\"why\"}\n");
	check_error(-EFBIG, 413, "{\"code\":\"resource_exhausted\",\"message\":\"why\"}\n");
	check_error(-ENOSPC, 503, "{\"code\":\"unavailable\",\"message\":\"why\"}\n");
	check_error(-EPROTOTYPE, 415, "{\"code\":\"unknown\",\"message\":\"why\"}\n");
}

static void an_answer_speaks_the_codec_of_its_request(void)
{
	struct http_request request = {.content_type = "application/proto"};
	struct http_answer answer;

	http_answer_init(&answer);
	connect_answer_begin(&request, &answer);
	CHECK_STR(answer.content_type, "application/proto");
	request.content_type = "application/json";
	connect_answer_begin(&request, &answer);
	CHECK_STR(answer.content_type, "application/json");
	http_answer_done(&answer);
}

int main(void)
{
	RUN(the_content_type_is_the_codec);
	RUN(bodies_are_unpacked_unless_empty);
	RUN(errors_have_codes_and_statuses);
	RUN(an_answer_speaks_the_codec_of_its_request);
	return 0;
}
