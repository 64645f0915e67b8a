/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf fields: a message read in place, field by field.
 *
 * What it is   a cursor over the bytes of a message. Profiles of other systems are read with it and
 *              not with generated code: they are large, most of them is packed numbers, and nothing
 *              of them is to be held twice.
 * Ownership    borrows the bytes.
 * Threads      one owner each.
 * Errors       sticky, as those of bytes_reader: proto_fault tells them once at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_field {
	uint32_t number;
	enum proto_wire wire;
	uint64_t value; /* of a varint or fixed number */
	const uint8_t *bytes; /* of PROTO_BYTES */
	size_t byte_count;
};

struct proto_message {
	struct bytes_reader reader;
};

void proto_message_init(struct proto_message *message, const void *bytes, size_t byte_count);
/* The next field; false: there is none, or the message is damaged. */
bool proto_next(struct proto_message *message, struct proto_field *ret_field);
/* 0, or -EBADMSG. */
int proto_fault(const struct proto_message *message);

/* The numbers of a repeated field, packed or one at a time: FIELD holds one or many. */
struct proto_numbers {
	struct bytes_reader reader;
	enum proto_wire wire; /* of one */
	uint64_t single;
	bool has_single;
};

/* WIRE is how one number is written where they are packed. */
void proto_numbers_init(
	struct proto_numbers *numbers, const struct proto_field *field, enum proto_wire wire);
bool proto_number_next(struct proto_numbers *numbers, uint64_t *ret_number);
/* 0, or -EBADMSG. */
int proto_numbers_fault(const struct proto_numbers *numbers);
