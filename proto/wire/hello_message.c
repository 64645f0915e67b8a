/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/hello_message.h"

#include "proto/wire/message.h"

void hello_message_fill(const struct wire_hello *hello, Cairn__V1__Hello *ret_message)
{
	cairn__v1__hello__init(ret_message);
	ret_message->version = hello->version;
	ret_message->features = hello->features;
	ret_message->instance = message_bytes(hello->instance, WIRE_INSTANCE_BYTES);
	ret_message->program = message_text(hello->program);
	ret_message->host = message_text(hello->host);
}

int hello_message_read(const Cairn__V1__Hello *message, struct wire_hello *ret_hello)
{
	struct wire_hello hello = {
		.version = message->version,
		.features = message->features,
		.program = message->program,
		.host = message->host,
	};
	int r = message_read_instance(&message->instance, hello.instance);

	if (r == 0)
		r = message_check_text(hello.program);
	if (r == 0)
		r = message_check_text(hello.host);
	if (r < 0)
		return r;
	*ret_hello = hello;
	return 0;
}
