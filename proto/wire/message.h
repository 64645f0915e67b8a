/* SPDX-License-Identifier: Apache-2.0 */
/* Message: what all encoders and decoders of this folder need from protobuf-c.
 *
 * What it is   an allocator that unpacks into an arena, packing into malloc'ed bytes, and checks of
 *              fields that several messages share.
 * Ownership    unpacked messages live in the arena; they are never freed one by one. When the arena
 *              is full, unpacking fails: its limit is what a foreign message may cost.
 * Threads      no shared state.
 * Errors       0, or a negative errno; outputs are written on success only.
 */
#pragma once

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/arena.h"
#include "store/profile/build_id.h"

ProtobufCAllocator message_arena(struct arena *arena);
/* -EBADMSG: no such message, or one that is larger than the arena may become.  -ENOMEM. */
int message_unpack(const ProtobufCMessageDescriptor *descriptor, const void *bytes,
	size_t byte_count, struct arena *arena, void *ret_message);
int message_pack(const void *message, uint8_t **ret_bytes, size_t *ret_byte_count);

/* protobuf-c's fields are not const, although packing does not change them. */
char *message_text(const char *text);
ProtobufCBinaryData message_bytes(const void *bytes, size_t byte_count);

/* -EBADMSG: longer than WIRE_TEXT_BYTES_MAX. */
int message_check_text(const char *text);
/* A copy in the arena as a C string; a NUL inside ends it. -EBADMSG as above. */
int message_read_name(const ProtobufCBinaryData *field, struct arena *arena, const char **ret_text);
/* -EBADMSG: not WIRE_INSTANCE_BYTES long. */
int message_read_instance(const ProtobufCBinaryData *field, uint8_t *ret_instance);
/* -EBADMSG: no bytes, too many, or an unknown kind. */
int message_read_build_id(uint32_t kind, const ProtobufCBinaryData *bytes, struct build_id *ret_id);
