/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wire/ingest_wire.h"

static void *give(void *context, size_t byte_count)
{
	return arena_alloc(context, byte_count);
}

static void keep(void *context, void *given)
{
	(void)context;
	(void)given;
}

ProtobufCAllocator message_arena(struct arena *arena)
{
	return (ProtobufCAllocator){.alloc = give, .free = keep, .allocator_data = arena};
}

int message_unpack(const ProtobufCMessageDescriptor *descriptor, const void *bytes,
	size_t byte_count, struct arena *arena, void *ret_message)
{
	ProtobufCAllocator allocator = message_arena(arena);
	void *message = protobuf_c_message_unpack(descriptor, &allocator, byte_count, bytes);

	/* The library does not tell the two apart. What lack of memory broke may be sent again. */
	if (!message)
		return arena->out_of_memory ? -ENOMEM : -EBADMSG;
	*(void **)ret_message = message;
	return 0;
}

int message_pack(const void *message, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	size_t byte_count = protobuf_c_message_get_packed_size(message);
	/* A message of defaults is empty, and malloc may give NULL for nothing. */
	uint8_t *bytes = malloc(byte_count > 0 ? byte_count : 1);

	if (!bytes)
		return -ENOMEM;
	protobuf_c_message_pack(message, bytes);
	*ret_bytes = bytes;
	*ret_byte_count = byte_count;
	return 0;
}

char *message_text(const char *text)
{
	union {
		const char *given;
		char *field;
	} cast = {.given = text ? text : ""};

	return cast.field;
}

ProtobufCBinaryData message_bytes(const void *bytes, size_t byte_count)
{
	union {
		const void *given;
		uint8_t *field;
	} cast = {.given = bytes};

	return (ProtobufCBinaryData){.len = byte_count, .data = cast.field};
}

int message_check_text(const char *text)
{
	return strnlen(text, WIRE_TEXT_BYTES_MAX + 1) > WIRE_TEXT_BYTES_MAX ? -EBADMSG : 0;
}

int message_read_name(const ProtobufCBinaryData *field, struct arena *arena, const char **ret_text)
{
	char *text;

	if (field->len > WIRE_TEXT_BYTES_MAX)
		return -EBADMSG;
	text = arena_copy_text(arena, field->data ? (const char *)field->data : "", field->len);
	if (!text)
		return -ENOMEM;
	*ret_text = text;
	return 0;
}

int message_read_instance(const ProtobufCBinaryData *field, uint8_t *ret_instance)
{
	if (field->len != WIRE_INSTANCE_BYTES)
		return -EBADMSG;
	memcpy(ret_instance, field->data, WIRE_INSTANCE_BYTES);
	return 0;
}

int message_read_build_id(uint32_t kind, const ProtobufCBinaryData *bytes, struct build_id *ret_id)
{
	if (kind > BUILD_ID_HTL ||
		build_id_make((enum build_id_kind)kind, bytes->data, bytes->len, ret_id) < 0)
		return -EBADMSG;
	return 0;
}
