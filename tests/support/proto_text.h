/* SPDX-License-Identifier: Apache-2.0 */
/* Proto text: protobuf messages by hand, for tests that need one that is exactly so.
 *
 * What it is   a few calls that append fields to a buffer of fixed size.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       a buffer that is full fails a check.
 */
#pragma once

#include <stdint.h>

#include "tests/support/check.h"

struct proto_text {
	size_t length;
	char bytes[4096];
};

static inline void proto_put(struct proto_text *text, const void *bytes, size_t length)
{
	CHECK(text->length + length <= sizeof(text->bytes));
	if (length > 0)
		memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

static inline void proto_put_varint(struct proto_text *text, uint64_t value)
{
	do {
		uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

		proto_put(text, &byte, 1);
		value >>= 7;
	} while (value > 0);
}

static inline void proto_number(struct proto_text *text, uint32_t field, uint64_t value)
{
	proto_put_varint(text, field << 3);
	proto_put_varint(text, value);
}

static inline void proto_span(
	struct proto_text *text, uint32_t field, const void *bytes, size_t length)
{
	proto_put_varint(text, field << 3 | 2);
	proto_put_varint(text, length);
	proto_put(text, bytes, length);
}

static inline void proto_string(struct proto_text *text, uint32_t field, const char *string)
{
	proto_span(text, field, string, strlen(string));
}

static inline void proto_inner(
	struct proto_text *text, uint32_t field, const struct proto_text *inner)
{
	proto_span(text, field, inner->bytes, inner->length);
}

/* A message of pairs {field, number}, ended by field 0. */
static inline void proto_numbers_of(
	struct proto_text *text, uint32_t field, const uint64_t (*pairs)[2])
{
	struct proto_text inner = {.length = 0};

	for (; (*pairs)[0] != 0; pairs++)
		proto_number(&inner, (uint32_t)(*pairs)[0], (*pairs)[1]);
	proto_inner(text, field, &inner);
}

#define PROTO_ROW(text, field, ...) \
	proto_numbers_of((text), (field), (const uint64_t[][2]){__VA_ARGS__, {0, 0}})
