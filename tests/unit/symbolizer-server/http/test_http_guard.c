/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/http_guard.h"

#include "tests/support/check.h"

static const char *const names[] = {"prof.example", "10.0.0.7"};
static const struct http_guard guard = {.names = names, .name_count = 2};

static enum http_guard_verdict judge(const char *method, const char *host, const char *origin)
{
	struct http_request request = {.method = method,
		.host = host,
		.host_count = host ? 1 : 0,
		.origin = origin,
		.local_address = "192.0.2.5"};

	return http_guard_judge(&guard, &request);
}

static void hosts_that_lead_here_pass(void)
{
	static const char *const hosts[] = {"localhost", "localhost:4040", "LOCALHOST.",
		"127.0.0.1", "127.0.0.1:80", "127.9.9.9:1", "[::1]:4040", "[::1]",
		"[::ffff:127.0.0.1]:1", "192.0.2.5:4040", "prof.example", "PROF.example.:8080",
		"10.0.0.7:1"};

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		if (judge("GET", hosts[i], NULL) != HTTP_GUARD_PASS)
			fprintf(stderr, "%s\n", hosts[i]);
		CHECK_EQ(judge("GET", hosts[i], NULL), HTTP_GUARD_PASS);
	}
}

static void foreign_hosts_are_refused(void)
{
	static const char *const hosts[] = {"evil.example", "127.0.0.1.evil.example",
		"localhost.evil", "192.0.2.6", "", ":4040", "127.0.0.1:4040x", "[::1", "[::1]x",
		"[]:1", "prof.example.evil", "0.0.0.0", "2130706433", "127.1", "a:b:c",
		"localhost:4040:1", "prof.example/"};

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		if (judge("GET", hosts[i], NULL) != HTTP_GUARD_FOREIGN_HOST)
			fprintf(stderr, "%s\n", hosts[i]);
		CHECK_EQ(judge("GET", hosts[i], NULL), HTTP_GUARD_FOREIGN_HOST);
	}
}

static void there_is_one_host(void)
{
	struct http_request request = {.method = "GET", .host = "localhost", .host_count = 2};

	CHECK_EQ(http_guard_judge(&guard, &request), HTTP_GUARD_NO_HOST);
	request = (struct http_request){.method = "GET"};
	CHECK_EQ(http_guard_judge(&guard, &request), HTTP_GUARD_NO_HOST);
	request.http_1_0 = true;
	CHECK_EQ(http_guard_judge(&guard, &request), HTTP_GUARD_PASS);
}

static void pages_of_other_origins_may_change_nothing(void)
{
	CHECK_EQ(judge("GET", "localhost:1", "http://evil"), HTTP_GUARD_PASS);
	CHECK_EQ(judge("HEAD", "localhost:1", "http://evil"), HTTP_GUARD_PASS);
	CHECK_EQ(judge("POST", "localhost:1", NULL), HTTP_GUARD_PASS);
	CHECK_EQ(judge("POST", "localhost:1", "http://localhost:1"), HTTP_GUARD_PASS);
	CHECK_EQ(judge("PUT", "Localhost:1", "https://localhost:1"), HTTP_GUARD_PASS);
	CHECK_EQ(judge("POST", "localhost:1", "http://evil"), HTTP_GUARD_FOREIGN_ORIGIN);
	CHECK_EQ(judge("POST", "localhost:1", "http://localhost:2"), HTTP_GUARD_FOREIGN_ORIGIN);
	CHECK_EQ(judge("DELETE", "localhost:1", "null"), HTTP_GUARD_FOREIGN_ORIGIN);
	CHECK_EQ(judge("BREW", "localhost:1", ""), HTTP_GUARD_FOREIGN_ORIGIN);
	CHECK_EQ(judge("POST", "evil", "http://evil"), HTTP_GUARD_FOREIGN_HOST);
}

int main(void)
{
	RUN(hosts_that_lead_here_pass);
	RUN(foreign_hosts_are_refused);
	RUN(there_is_one_host);
	RUN(pages_of_other_origins_may_change_nothing);
	return 0;
}
