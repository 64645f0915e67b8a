/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/proto_field.h"

#include <errno.h>

/* Old groups: none of the messages that we read has any. */
#define WIRE_GROUP_START 3
#define WIRE_GROUP_END 4

void proto_message_init(struct proto_message *message, const void *bytes, size_t byte_count)
{
	bytes_reader_init(&message->reader, bytes, byte_count);
}

int proto_fault(const struct proto_message *message)
{
	return bytes_reader_fault(&message->reader);
}

static void read_value(struct bytes_reader *reader, struct proto_field *field)
{
	switch (field->wire) {
	case PROTO_VARINT:
		field->value = bytes_read_varint(reader);
		break;
	case PROTO_FIXED64:
		field->value = bytes_read_u64(reader);
		break;
	case PROTO_BYTES:
		field->byte_count = bytes_read_varint(reader);
		field->bytes = bytes_read_span(reader, field->byte_count);
		break;
	case PROTO_FIXED32:
		field->value = bytes_read_u32(reader);
		break;
	}
}

bool proto_next(struct proto_message *message, struct proto_field *ret_field)
{
	struct bytes_reader *reader = &message->reader;
	struct proto_field field = {0};
	uint64_t tag;

	if (bytes_left(reader) == 0)
		return false;
	tag = bytes_read_varint(reader);
	field.number = (uint32_t)(tag >> 3);
	field.wire = (enum proto_wire)(tag & 7);
	if (tag >> 3 == 0 || tag >> 32 != 0 || (tag & 7) == WIRE_GROUP_START ||
		(tag & 7) == WIRE_GROUP_END || (tag & 7) > PROTO_FIXED32)
		bytes_reader_refuse(reader);
	else
		read_value(reader, &field);
	if (bytes_reader_fault(reader) < 0)
		return false;
	*ret_field = field;
	return true;
}

void proto_numbers_init(
	struct proto_numbers *numbers, const struct proto_field *field, enum proto_wire wire)
{
	*numbers = (struct proto_numbers){.wire = wire};
	if (field->wire == PROTO_BYTES) {
		bytes_reader_init(&numbers->reader, field->bytes, field->byte_count);
		return;
	}
	bytes_reader_init(&numbers->reader, NULL, 0);
	numbers->has_single = field->wire == wire;
	numbers->single = field->value;
	if (!numbers->has_single)
		bytes_reader_refuse(&numbers->reader);
}

bool proto_number_next(struct proto_numbers *numbers, uint64_t *ret_number)
{
	struct bytes_reader *reader = &numbers->reader;

	if (numbers->has_single) {
		numbers->has_single = false;
		*ret_number = numbers->single;
		return true;
	}
	if (bytes_left(reader) == 0)
		return false;
	*ret_number =
		numbers->wire == PROTO_FIXED64 ? bytes_read_u64(reader) : bytes_read_varint(reader);
	return bytes_reader_fault(reader) == 0;
}

int proto_numbers_fault(const struct proto_numbers *numbers)
{
	return bytes_reader_fault(&numbers->reader);
}
