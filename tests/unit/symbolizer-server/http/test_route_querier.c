/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route.h"

#include "store/base/deflate.h"
#include "symbolizer-server/querier/querier_request.h"
#include "tests/support/querier_fixture.h"

#define CALL "/querier.v1.QuerierService/"

static struct http_request request_of(const char *path, const char *type)
{
	return (struct http_request){.method = "POST",
		.path = path,
		.content_type = type,
		.is_gone = site_fixture_waits};
}

static void answers(
	const struct http_request *request, const char *body, int status, const char *expected)
{
	char *answer = querier_ask_as(request, body, strlen(body), status, NULL);

	CHECK_STR(answer, expected);
	free(answer);
}

static void protobuf_is_answered_by_protobuf(void)
{
	struct http_request request = request_of("/" CALL "LabelValues", "application/proto");
	/* name = "service_name" */
	static const char body[] = "\x0a\x0cservice_name";
	size_t byte_count;
	char *answer = querier_ask_as(&request, body, sizeof(body) - 1, 200, &byte_count);

	CHECK_EQ(byte_count, 12);
	CHECK(memcmp(answer,
		      "\x0a\x04"
		      "bank\x0a\x04shop",
		      12) == 0);
	free(answer);
}

static void bodies_may_be_packed(void)
{
	struct http_request request = request_of(CALL "LabelValues", "application/json");
	struct bytes_writer packed;
	char *answer;

	request.content_encoding = "gzip";
	bytes_writer_init(&packed, 1000);
	CHECK_EQ(deflate_write_gzip(&packed, "{\"name\":\"host\"}", 15), 0);
	answer = querier_ask_as(&request, (const char *)packed.bytes, packed.byte_count, 200, NULL);
	CHECK_STR(answer, "{\"names\":[\"a\",\"b\"]}");
	free(answer);
	bytes_writer_done(&packed);
}

static void unknown_methods_types_and_bodies_are_refused(void)
{
	struct http_request request = request_of(CALL "SelectHeatmap", "application/json");

	answers(&request, "{}", 501,
		"{\"code\":\"unimplemented\",\"message\":\"SelectHeatmap is not answered "
		"here\"}\n");
	request = request_of(CALL "Series", "text/plain");
	answers(&request, "{}", 415,
		"{\"code\":\"unknown\",\"message\":\"Content-Type: application/proto or "
		"application/json must stand here\"}\n");
	request = request_of(CALL "Series", "application/json");
	answers(&request, "[]", 400,
		"{\"code\":\"invalid_argument\",\"message\":\"the body is no JSON object "
		"{...}\"}\n");
	request = request_of(CALL "Series", "application/proto");
	answers(&request, "\x0a\x7f", 400,
		"{\"code\":\"invalid_argument\",\"message\":\"the body is no such request in "
		"protobuf, or cut off\"}\n");
}

static void a_request_has_a_size(void)
{
	struct http_request request = request_of(CALL "Series", "application/json");
	size_t byte_count = QUERIER_REQUEST_BYTES_MAX + 1;
	char *body = calloc(1, byte_count), *answer;

	CHECK(body);
	answer = querier_ask_as(&request, body, byte_count, 413, NULL);
	CHECK_STR(answer,
		"{\"code\":\"resource_exhausted\",\"message\":\"a request may be as long as 1 "
		"MiB\"}\n");
	free(answer);
	free(body);
}

static void settings_of_the_app_are_empty(void)
{
	struct http_request request =
		request_of("/settings.v1.SettingsService/Get", "application/json");

	answers(&request, "{}", 200, "{}");
	request.path = "/settings.v1.SettingsService/Set";
	answers(&request, "{}", 501,
		"{\"code\":\"unimplemented\",\"message\":\"Set is not answered here\"}\n");
}

int main(void)
{
	work_dir();
	querier_fixture_init();
	RUN(protobuf_is_answered_by_protobuf);
	RUN(bodies_may_be_packed);
	RUN(unknown_methods_types_and_bodies_are_refused);
	RUN(a_request_has_a_size);
	RUN(settings_of_the_app_are_empty);
	querier_fixture_done();
	return 0;
}
