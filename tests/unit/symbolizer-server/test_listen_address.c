/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/listen_address.h"

#include <errno.h>
#include <unistd.h>

#include "tests/support/check.h"

static void addresses_are_read_and_written(void)
{
	static const struct {
		const char *text;
		const char *written;
		bool loopback;
	} cases[] = {
		{"127.0.0.1:4040", "127.0.0.1:4040", true},
		{"localhost:0", "127.0.0.1:0", true},
		{"[::1]:65535", "[::1]:65535", true},
		{"127.1.2.3:1", "127.1.2.3:1", true},
		{"[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]:1", true},
		{"0.0.0.0:80", "0.0.0.0:80", false},
		{"[::]:80", "[::]:80", false},
		{"10.1.2.3:80", "10.1.2.3:80", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[LISTEN_ADDRESS_TEXT_MAX];
		struct listen_address address;

		CHECK_EQ(listen_address_parse(cases[i].text, &address), 0);
		listen_address_format(&address, text);
		CHECK_STR(text, cases[i].written);
		CHECK_EQ(listen_address_is_loopback(&address), cases[i].loopback);
	}
}

static void what_is_no_address_is_refused(void)
{
	static const char *const texts[] = {"", ":", ":80", "nonsense", "127.0.0.1",
		"127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:8o", "::1:80",
		"[::1]80", "[::1:80", "[]:80", "web.example:80", "127.0.0.1:80 ", "256.0.0.1:1"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct listen_address address;

		if (listen_address_parse(texts[i], &address) == 0)
			fprintf(stderr, "%s was read\n", texts[i]);
		CHECK_EQ(listen_address_parse(texts[i], &address), -EINVAL);
	}
}

static void a_port_is_had_once(void)
{
	struct listen_address address, bound;
	int fd, other;

	CHECK_EQ(listen_address_parse("127.0.0.1:0", &address), 0);
	CHECK_EQ(listen_address_open(&address, &fd, &bound), 0);
	CHECK_EQ(listen_address_open(&bound, &other, &address), -EADDRINUSE);
	close(fd);
}

int main(void)
{
	RUN(addresses_are_read_and_written);
	RUN(what_is_no_address_is_refused);
	RUN(a_port_is_had_once);
	return 0;
}
