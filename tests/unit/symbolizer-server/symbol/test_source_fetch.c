/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/source_fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbolizer-server/symbol/debuginfod_servers.h"
#include "tests/support/check.h"
#include "tests/support/fixed_http.h"

static const struct build_id id = {.bytes = {0xab, 0x01}, .byte_count = 2};

static struct fixed_http first, second;
static struct debuginfod_servers *servers;

static void a_text_is_had_by_build_and_path(void)
{
	char *text = NULL;
	size_t byte_count = 0;

	fixed_http_answer(&first, FIXED_HTTP_OK, "x", 1000);
	CHECK_EQ(source_fetch(servers, &id, "/src/./a b.c", &text, &byte_count), 0);
	CHECK_EQ(byte_count, 1000);
	CHECK(text[0] == 'x' && text[999] == 'x');
	free(text);
	CHECK(fixed_http_was_asked(&first, "GET /buildid/ab01/source/src/./a%20b.c HTTP/1.1"));
	CHECK_EQ(fixed_http_count(&second), 0);
}

static void what_one_does_not_have_another_may(void)
{
	char *text = NULL;
	size_t byte_count = 0;

	fixed_http_answer(&first, FIXED_HTTP_NOT_FOUND, NULL, 0);
	fixed_http_answer(&second, FIXED_HTTP_OK, "yz", 2);
	CHECK_EQ(source_fetch(servers, &id, "/src/b.c", &text, &byte_count), 0);
	CHECK_EQ(byte_count, 2);
	free(text);
	fixed_http_answer(&first, FIXED_HTTP_FAILS, NULL, 0);
	CHECK_EQ(source_fetch(servers, &id, "/src/b.c", &text, &byte_count), 0);
	free(text);
}

static void what_is_not_there_or_too_long_is_told_apart(void)
{
	char *text = NULL;
	size_t byte_count;

	fixed_http_answer(&first, FIXED_HTTP_NOT_FOUND, NULL, 0);
	fixed_http_answer(&second, FIXED_HTTP_NOT_FOUND, NULL, 0);
	CHECK_EQ(source_fetch(servers, &id, "/src/b.c", &text, &byte_count), -ENOENT);
	/* A server that fails does not say that it has it not. */
	fixed_http_answer(&first, FIXED_HTTP_FAILS, NULL, 0);
	CHECK_EQ(source_fetch(servers, &id, "/src/b.c", &text, &byte_count), -EREMOTEIO);
	fixed_http_answer(&first, FIXED_HTTP_OK, "x", 5000000);
	CHECK_EQ(source_fetch(servers, &id, "/src/c.c", &text, &byte_count), -EFBIG);
	CHECK(!text);
}

static void an_empty_text_is_a_text(void)
{
	char *text = NULL;
	size_t byte_count = 1;

	fixed_http_answer(&first, FIXED_HTTP_OK, NULL, 0);
	CHECK_EQ(source_fetch(servers, &id, "/src/empty.c", &text, &byte_count), 0);
	CHECK_EQ(byte_count, 0);
	free(text);
}

int main(void)
{
	char urls[160];

	fixed_http_start(&first);
	fixed_http_start(&second);
	snprintf(urls, sizeof(urls), "%s %s", first.url, second.url);
	CHECK_EQ(debuginfod_servers_new(urls, clock_system(), &servers), 0);
	RUN(a_text_is_had_by_build_and_path);
	RUN(what_one_does_not_have_another_may);
	RUN(what_is_not_there_or_too_long_is_told_apart);
	RUN(an_empty_text_is_a_text);
	debuginfod_servers_free(servers);
	fixed_http_stop(&first);
	fixed_http_stop(&second);
	return 0;
}
