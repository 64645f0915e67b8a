/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

#include "tests/support/check.h"

static struct peer peer_of(const char *text, uint16_t port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct peer peer;

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		CHECK_EQ(peer_read((const struct sockaddr *)&in, &peer), 0);
	else {
		CHECK_EQ(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
		CHECK_EQ(peer_read((const struct sockaddr *)&in6, &peer), 0);
	}
	return peer;
}

static void check_text(const char *address, uint16_t port, const char *expected)
{
	struct peer peer = peer_of(address, port);
	char text[PEER_TEXT_MAX];

	peer_format(&peer, text);
	CHECK_STR(text, expected);
}

static void addresses_are_written_as_people_do(void)
{
	check_text("127.0.0.1", 40112, "ipv4:127.0.0.1:40112");
	check_text("::1", 1, "ipv6:[::1]:1");
	check_text("::ffff:10.1.2.3", 65535, "ipv4:10.1.2.3:65535");
	check_text("2001:db8:1111:2222:3333:4444:5555:6666", 65535,
		"ipv6:[2001:db8:1111:2222:3333:4444:5555:6666]:65535");
}

static void loopback_is_this_machine_alone(void)
{
	static const struct {
		const char *address;
		bool expected;
	} cases[] = {{"127.0.0.1", true}, {"127.255.0.9", true}, {"::1", true},
		{"::ffff:127.0.0.1", true}, {"10.0.0.1", false}, {"::2", false},
		{"::ffff:10.0.0.1", false}, {"fe80::1", false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct peer peer = peer_of(cases[i].address, 1);

		CHECK(peer_is_loopback(&peer) == cases[i].expected);
	}
}

static bool same(const char *one, const char *other)
{
	struct peer a = peer_of(one, 1), b = peer_of(other, 2);

	return peer_is_same_host(&a, &b);
}

static void a_host_is_an_address_or_a_network_of_ipv6(void)
{
	CHECK(same("10.0.0.1", "10.0.0.1"));
	CHECK(same("10.0.0.1", "::ffff:10.0.0.1"));
	CHECK(!same("10.0.0.1", "10.0.0.2"));
	CHECK(same("2001:db8::1", "2001:db8::ffff:1"));
	CHECK(!same("2001:db8::1", "2001:db8:0:1::1"));
	CHECK(!same("::", "0.0.0.0"));
}

static void other_families_are_refused(void)
{
	struct sockaddr_storage address = {.ss_family = AF_UNIX};
	struct peer peer = {.port = 7};

	CHECK_EQ(peer_read((const struct sockaddr *)&address, &peer), -EAFNOSUPPORT);
	CHECK_EQ(peer.port, 7);
}

int main(void)
{
	RUN(addresses_are_written_as_people_do);
	RUN(loopback_is_this_machine_alone);
	RUN(a_host_is_an_address_or_a_network_of_ipv6);
	RUN(other_families_are_refused);
	return 0;
}
