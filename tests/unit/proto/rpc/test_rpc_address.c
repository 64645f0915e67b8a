/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/rpc/rpc_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/check.h"

static void addresses_that_people_write_are_taken(void)
{
	CHECK_EQ(rpc_address_check("127.0.0.1:4041"), 0);
	CHECK_EQ(rpc_address_check("localhost:0"), 0);
	CHECK_EQ(rpc_address_check("[::1]:65535"), 0);
	CHECK_EQ(rpc_address_check("server.example.net:80"), 0);
}

static void addresses_that_mean_nothing_are_refused(void)
{
	static const char *const bad[] = {"", ":", "127.0.0.1", "127.0.0.1:", ":4041", "a:b",
		"a:-1", "a:65536", "a:123456", "a: 80", "a:80 ", "::1:80", "[]:80", "a:0x50"};
	char text[400];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(rpc_address_check(bad[i]), -EINVAL);
	memset(text, 'a', sizeof(text));
	memcpy(text + sizeof(text) - 4, ":80", 4);
	CHECK_EQ(rpc_address_check(text), -EINVAL);
}

static void loopback_is_told_from_the_world(void)
{
	CHECK(rpc_address_is_loopback("127.0.0.1:1"));
	CHECK(rpc_address_is_loopback("127.3.2.1:1"));
	CHECK(rpc_address_is_loopback("[::1]:1"));
	CHECK(rpc_address_is_loopback("localhost:1"));
	CHECK(!rpc_address_is_loopback("128.0.0.1:1"));
	CHECK(!rpc_address_is_loopback("localhost.example.net:1"));
	CHECK(!rpc_address_is_loopback("[::2]:1"));
	CHECK(!rpc_address_is_loopback("nonsense"));
}

static void a_port_is_taken_or_the_reason_told(void)
{
	struct sockaddr_in taken = {.sin_family = AF_INET};
	socklen_t size = sizeof(taken);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char address[32];
	uint16_t port = 0;
	int got = -1;

	taken.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(fd >= 0);
	CHECK_EQ(bind(fd, (struct sockaddr *)&taken, sizeof(taken)), 0);
	CHECK_EQ(listen(fd, 1), 0);
	CHECK_EQ(getsockname(fd, (struct sockaddr *)&taken, &size), 0);
	snprintf(address, sizeof(address), "127.0.0.1:%u", ntohs(taken.sin_port));
	CHECK_EQ(rpc_address_listen(address, &got, &port), -EADDRINUSE);
	close(fd);
	CHECK_EQ(rpc_address_listen("192.0.2.1:0", &got, &port), -EADDRNOTAVAIL);
	CHECK_EQ(rpc_address_listen("nonsense", &got, &port), -EINVAL);
	CHECK(got == -1 && port == 0);
	CHECK_EQ(rpc_address_listen(address, &got, &port), 0);
	CHECK_EQ(port, ntohs(taken.sin_port));
	close(got);
}

int main(void)
{
	RUN(addresses_that_people_write_are_taken);
	RUN(addresses_that_mean_nothing_are_refused);
	RUN(loopback_is_told_from_the_world);
	RUN(a_port_is_taken_or_the_reason_told);
	return 0;
}
