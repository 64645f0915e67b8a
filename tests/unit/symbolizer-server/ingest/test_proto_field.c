/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/proto_field.h"

#include <errno.h>

#include "tests/support/check.h"

static struct proto_message message;
static struct proto_field field;

#define OPEN(literal) proto_message_init(&message, literal, sizeof(literal) - 1)

static void fields_of_all_kinds_are_read(void)
{
	OPEN("\x08\x96\x01\x12\x03"
	     "abc\x19\1\0\0\0\0\0\0\0\x25\2\0\0\0");
	CHECK(proto_next(&message, &field));
	CHECK_EQ(field.number, 1);
	CHECK_EQ(field.value, 150);
	CHECK(proto_next(&message, &field));
	CHECK_EQ(field.wire, PROTO_BYTES);
	CHECK_EQ(field.byte_count, 3);
	CHECK(memcmp(field.bytes, "abc", 3) == 0);
	CHECK(proto_next(&message, &field));
	CHECK_EQ(field.number, 3);
	CHECK_EQ(field.value, 1);
	CHECK(proto_next(&message, &field));
	CHECK_EQ(field.wire, PROTO_FIXED32);
	CHECK_EQ(field.value, 2);
	CHECK(!proto_next(&message, &field));
	CHECK_EQ(proto_fault(&message), 0);
}

static void damage_ends_it(void)
{
	OPEN("\x12\x05"
	     "abc");
	CHECK(!proto_next(&message, &field));
	CHECK_EQ(proto_fault(&message), -EBADMSG);
	OPEN("\x03\x01");
	CHECK(!proto_next(&message, &field));
	CHECK_EQ(proto_fault(&message), -EBADMSG);
	OPEN("\x00\x01");
	CHECK(!proto_next(&message, &field));
	CHECK_EQ(proto_fault(&message), -EBADMSG);
	OPEN("\x0f");
	CHECK(!proto_next(&message, &field));
	CHECK_EQ(proto_fault(&message), -EBADMSG);
}

static void numbers_come_packed_or_alone(void)
{
	struct proto_numbers numbers;
	uint64_t number;

	OPEN("\x0a\x03\x01\x96\x01\x08\x07");
	CHECK(proto_next(&message, &field));
	proto_numbers_init(&numbers, &field, PROTO_VARINT);
	CHECK(proto_number_next(&numbers, &number));
	CHECK_EQ(number, 1);
	CHECK(proto_number_next(&numbers, &number));
	CHECK_EQ(number, 150);
	CHECK(!proto_number_next(&numbers, &number));
	CHECK_EQ(proto_numbers_fault(&numbers), 0);
	CHECK(proto_next(&message, &field));
	proto_numbers_init(&numbers, &field, PROTO_VARINT);
	CHECK(proto_number_next(&numbers, &number));
	CHECK_EQ(number, 7);
	CHECK(!proto_number_next(&numbers, &number));
}

static void numbers_of_another_kind_are_damage(void)
{
	struct proto_numbers numbers;
	uint64_t number;

	OPEN("\x08\x07");
	CHECK(proto_next(&message, &field));
	proto_numbers_init(&numbers, &field, PROTO_FIXED64);
	CHECK(!proto_number_next(&numbers, &number));
	CHECK_EQ(proto_numbers_fault(&numbers), -EBADMSG);
	OPEN("\x0a\x01\x96");
	CHECK(proto_next(&message, &field));
	proto_numbers_init(&numbers, &field, PROTO_VARINT);
	CHECK(!proto_number_next(&numbers, &number));
	CHECK_EQ(proto_numbers_fault(&numbers), -EBADMSG);
}

int main(void)
{
	RUN(fields_of_all_kinds_are_read);
	RUN(damage_ends_it);
	RUN(numbers_come_packed_or_alone);
	RUN(numbers_of_another_kind_are_damage);
	return 0;
}
