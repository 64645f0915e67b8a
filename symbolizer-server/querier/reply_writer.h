/* SPDX-License-Identifier: Apache-2.0 */
/* Reply writer: one answer, as protobuf or as protobuf's JSON.
 *
 * What it is   the same calls write both encodings, so that they cannot tell different things. As in
 *              proto3, what is zero or empty is left out. In JSON 64-bit numbers are texts.
 * Ownership    borrows the bytes writer.
 * Threads      one owner.
 * Errors       those of the bytes writer, sticky.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"
#include "store/base/json_writer.h"

/* Messages in messages; the deepest answer has four. */
#define REPLY_DEPTH_MAX 8

enum reply_codec { REPLY_PROTO, REPLY_JSON };

struct reply_field {
	uint32_t number;
	const char *name;
};

struct reply_writer {
	enum reply_codec codec;
	struct bytes_writer *out;
	struct json_writer json;
	struct {
		size_t start; /* of a nested message's bytes */
		bool in_list;
	} levels[REPLY_DEPTH_MAX];
	uint32_t depth;
};

/* Begins the answer itself. */
void reply_init(struct reply_writer *writer, enum reply_codec codec, struct bytes_writer *out);
void reply_finish(struct reply_writer *writer);

/* A nested message; within a list, an element of it. */
void reply_begin(struct reply_writer *writer, struct reply_field field);
void reply_end(struct reply_writer *writer);
/* A list of texts or messages, which are written with the same field. A list without elements is
 * not to be begun. */
void reply_begin_list(struct reply_writer *writer, struct reply_field field);
void reply_end_list(struct reply_writer *writer);

void reply_text(
	struct reply_writer *writer, struct reply_field field, const char *text, size_t length);
void reply_string(struct reply_writer *writer, struct reply_field field, const char *text);
void reply_number(struct reply_writer *writer, struct reply_field field, int64_t value);
/* A number that is always eight bytes in protobuf. */
void reply_fixed(struct reply_writer *writer, struct reply_field field, uint64_t value);
void reply_double(struct reply_writer *writer, struct reply_field field, double value);
void reply_boolean(struct reply_writer *writer, struct reply_field field, bool value);
void reply_numbers(
	struct reply_writer *writer, struct reply_field field, const int64_t *values, size_t count);
