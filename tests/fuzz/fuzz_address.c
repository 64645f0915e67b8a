/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as an address: one to listen on prints to a text that parses to the same and is loopback
 * or not in both; one of a server that stands for this machine alone is an address at all. */
#include <string.h>

#include "proto/rpc/rpc_address.h"
#include "store/base/must.h"
#include "symbolizer-server/listen_address.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_BYTES_MAX 512

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	char text[TEXT_BYTES_MAX], printed[LISTEN_ADDRESS_TEXT_MAX];
	struct listen_address address, again;

	if (byte_count >= sizeof(text))
		return;
	memcpy(text, bytes, byte_count);
	text[byte_count] = '\0';
	if (rpc_address_is_loopback(text))
		must(rpc_address_check(text) == 0);
	if (listen_address_parse(text, &address) < 0)
		return;
	must(address.length <= sizeof(address.address));
	listen_address_format(&address, printed);
	must(listen_address_parse(printed, &again) == 0);
	must(again.length == address.length);
	must(memcmp(&again.address, &address.address, address.length) == 0);
	must(listen_address_is_loopback(&again) == listen_address_is_loopback(&address));
}
