/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_steps.h"

#include <string.h>

#include "tests/support/check.h"

static bool is_failure(const char *text)
{
	struct debuginfod_steps steps;

	debuginfod_steps_read(text, strlen(text), &steps);
	return debuginfod_steps_are_failure(&steps);
}

static void a_server_that_does_not_have_it_is_no_failure(void)
{
	CHECK(!is_failure("url 0 http://a/buildid/01/debuginfo\n"
			  "header HTTP/1.1 404 Not Found\r\nheader Server: x 503\r\nheader \r\n"
			  "server response HTTP response code said error\n"));
	CHECK(!is_failure("header HTTP/2 403 \r\n"));
	CHECK(!is_failure("server response Couldn't read a file:// file\n"));
}

static void a_server_that_fails_or_is_too_busy_could_not_tell(void)
{
	CHECK(is_failure("header HTTP/1.1 500 Internal Server Error\r\n"
			 "server response HTTP response code said error\n"));
	CHECK(is_failure("header HTTP/2 503 \r\n"));
	CHECK(is_failure("header HTTP/1.1 429 Too Many Requests\r\n"));
	CHECK(is_failure("header HTTP/1.1 408 Request Timeout\r\n"));
}

static void an_answer_that_breaks_off_is_a_failure(void)
{
	CHECK(is_failure("header HTTP/1.1 200 OK\r\ncommitted to url 0\n"
			 "server response Transferred a partial file\n"));
	CHECK(is_failure("server response Server returned nothing (no headers, no data)\n"));
}

static void a_round_of_redirects_is_a_failure_and_a_few_are_none(void)
{
	static const char line[] = "header HTTP/1.1 302 Found\r\n";
	char text[sizeof(line) * (DEBUGINFOD_REDIRECTS_MAX + 2)] = "";

	for (int i = 0; i < DEBUGINFOD_REDIRECTS_MAX; i++)
		strcat(text, line);
	CHECK(!is_failure(text));
	strcat(text, line);
	CHECK(is_failure(text));
}

static void of_several_servers_one_that_can_tell_is_enough(void)
{
	CHECK(!is_failure("header HTTP/1.1 502 Bad Gateway\r\nheader HTTP/1.1 404 Not Found\r\n"));
}

static void other_words_say_nothing(void)
{
	CHECK(!is_failure(""));
	CHECK(!is_failure("header HTTP/\nheader HTTP/1.1\nheader HTTP/1.1 \nheader HTTP/1.1 5"));
	CHECK(!is_failure("header HTTP/1.1 5x0\nHTTP/1.1 500\nheader X: HTTP/1.1 500\n"));
	CHECK(!is_failure("not found No such file or directory (err=-2)"));
}

int main(void)
{
	RUN(a_server_that_does_not_have_it_is_no_failure);
	RUN(a_server_that_fails_or_is_too_busy_could_not_tell);
	RUN(an_answer_that_breaks_off_is_a_failure);
	RUN(a_round_of_redirects_is_a_failure_and_a_few_are_none);
	RUN(of_several_servers_one_that_can_tell_is_enough);
	RUN(other_words_say_nothing);
	return 0;
}
