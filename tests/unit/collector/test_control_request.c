/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/control_request.h"

#include <arpa/inet.h>
#include <errno.h>

#include "tests/support/check.h"

static int judge(const char *request, bool is_tcp)
{
	return control_judge_request(request, strlen(request), is_tcp);
}

static void only_the_status_can_be_asked_for(void)
{
	CHECK_EQ(judge("GET /status HTTP/1.1\r\nHost: x\r\n\r\n", false), 200);
	CHECK_EQ(judge("GET /status?a=b HTTP/1.0\r\n\r\n", false), 200);
	CHECK_EQ(judge("GET / HTTP/1.1\r\n\r\n", false), 404);
	CHECK_EQ(judge("GET /statusx HTTP/1.1\r\n\r\n", false), 404);
	CHECK_EQ(judge("POST /status HTTP/1.1\r\n\r\n", false), 405);
	CHECK_EQ(judge("hello\r\n\r\n", false), 400);
	CHECK_EQ(judge("\r\n\r\n", false), 400);
}

static void a_head_is_waited_for_until_it_is_too_long(void)
{
	static char long_head[CONTROL_REQUEST_BYTES_MAX];

	CHECK_EQ(judge("GET /status HTTP/1.1\r\nHost: x\r\n", false), 0);
	CHECK_EQ(judge("", false), 0);
	memset(long_head, 'x', sizeof(long_head));
	CHECK_EQ(control_judge_request(long_head, sizeof(long_head) - 1, false), 0);
	CHECK_EQ(control_judge_request(long_head, sizeof(long_head), false), 431);
}

static void a_page_cannot_reach_it_by_another_name(void)
{
	CHECK_EQ(judge("GET /status HTTP/1.1\r\nHost: 127.0.0.1:9999\r\n\r\n", true), 200);
	CHECK_EQ(judge("GET /status HTTP/1.1\r\nA: b\r\nhost:LOCALHOST\r\n\r\n", true), 200);
	CHECK_EQ(judge("GET /status HTTP/1.1\r\nHost: [::1]:9\r\n\r\n", true), 200);
	CHECK_EQ(judge("GET /status HTTP/1.1\r\nHost: evil.example\r\n\r\n", true), 403);
	CHECK_EQ(judge("GET /status HTTP/1.1\r\nHost: localhost.evil\r\n\r\n", true), 403);
	CHECK_EQ(judge("GET /status HTTP/1.1\r\n\r\n", true), 403);
	CHECK_EQ(judge("GET /status HTTP/1.1\r\nX: Host: localhost\r\n\r\n", true), 403);
}

static void answers_are_whole(void)
{
	struct bytes_writer answer;

	bytes_writer_init(&answer, 1 << 16);
	control_write_answer(&answer, 200, "{}", 2);
	bytes_write_u8(&answer, '\0');
	CHECK(strstr((const char *)answer.bytes, "HTTP/1.1 200 OK\r\n"));
	CHECK(strstr((const char *)answer.bytes, "Content-Length: 2\r\n"));
	CHECK(strstr((const char *)answer.bytes, "\r\n\r\n{}"));
	bytes_writer_reset(&answer);
	control_write_refusal(&answer, 404);
	bytes_write_u8(&answer, '\0');
	CHECK(strstr((const char *)answer.bytes, "404 Not Found"));
	CHECK(strstr((const char *)answer.bytes, "\"code\":\"not_found\""));
	bytes_writer_done(&answer);
}

static int parse(const char *text, sa_family_t *ret_family, uint16_t *ret_port)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} place = {.any = {0}};
	int r = control_parse_address(text, &place.v4, &place.v6);

	*ret_family = place.any.sa_family;
	*ret_port = ntohs(*ret_family == AF_INET ? place.v4.sin_port : place.v6.sin6_port);
	return r;
}

static void addresses_must_be_loopback(void)
{
	static const char *const wrong[] = {"", "9999", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
		"127.0.0.1:70000", "127.0.0.1:-1", "localhost:1", "::1:1", "[::1:1", "[]:1"};
	sa_family_t family;
	uint16_t port;

	CHECK_EQ(parse("127.0.0.1:9999", &family, &port), 0);
	CHECK_EQ(family, AF_INET);
	CHECK_EQ(port, 9999);
	CHECK_EQ(parse("[::1]:0", &family, &port), 0);
	CHECK_EQ(family, AF_INET6);
	CHECK_EQ(parse("0.0.0.0:1", &family, &port), -EPERM);
	CHECK_EQ(parse("192.0.2.1:1", &family, &port), -EPERM);
	CHECK_EQ(parse("[::]:1", &family, &port), -EPERM);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQ(parse(wrong[i], &family, &port), -EINVAL);
}

int main(void)
{
	RUN(only_the_status_can_be_asked_for);
	RUN(a_head_is_waited_for_until_it_is_too_long);
	RUN(a_page_cannot_reach_it_by_another_name);
	RUN(answers_are_whole);
	RUN(addresses_must_be_loopback);
	return 0;
}
