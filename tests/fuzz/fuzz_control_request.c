/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes on the control socket get an answer as soon as the head is whole, and the same one
 * whatever follows; TCP never allows what the socket refuses. An address that is read is a loopback
 * one and prints to the same. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "collector/control_request.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

#define ADDRESS_BYTES_MAX 128

static bool is_status(int status)
{
	return status == 0 || status == 200 || status == 400 || status == 403 || status == 404 ||
		status == 405 || status == 431;
}

static void check_request(const char *request, size_t byte_count, bool is_tcp)
{
	int whole = control_judge_request(request, byte_count, is_tcp);
	const char *end = memmem(request, byte_count, "\r\n\r\n", 4);
	size_t head = end ? (size_t)(end - request) + 4 : byte_count;

	must(is_status(whole));
	must(end || whole == 0 || whole == 431);
	must(control_judge_request(request, head, is_tcp) == whole);
	if (end)
		must(control_judge_request(request, head - 1, is_tcp) == 0 ||
			head > CONTROL_REQUEST_BYTES_MAX);
}

static void check_address(const char *text)
{
	struct sockaddr_in v4 = {0}, v4_again = {0};
	struct sockaddr_in6 v6 = {0}, v6_again = {0};
	char host[INET6_ADDRSTRLEN], printed[ADDRESS_BYTES_MAX];

	if (control_parse_address(text, &v4, &v6) < 0)
		return;
	if (v4.sin_family == AF_INET) {
		must(ntohl(v4.sin_addr.s_addr) >> 24 == 127);
		must(inet_ntop(AF_INET, &v4.sin_addr, host, sizeof(host)));
		(void)snprintf(printed, sizeof(printed), "%s:%u", host, ntohs(v4.sin_port));
	} else {
		must(v6.sin6_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr));
		must(inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof(host)));
		(void)snprintf(printed, sizeof(printed), "[%s]:%u", host, ntohs(v6.sin6_port));
	}
	must(control_parse_address(printed, &v4_again, &v6_again) == 0);
	must(memcmp(&v4, &v4_again, sizeof(v4)) == 0 && memcmp(&v6, &v6_again, sizeof(v6)) == 0);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	const char *request = (const char *)bytes;
	char text[ADDRESS_BYTES_MAX];

	check_request(request, byte_count, false);
	check_request(request, byte_count, true);
	if (control_judge_request(request, byte_count, true) == 200)
		must(control_judge_request(request, byte_count, false) == 200);
	if (byte_count >= sizeof(text))
		return;
	memcpy(text, bytes, byte_count);
	text[byte_count] = '\0';
	check_address(text);
}
