/* SPDX-License-Identifier: Apache-2.0 */
/* JSON writer: a value after the other, straight into bytes.
 *
 * What it is   commas and quotes are its business, the right nesting is the caller's. Texts may
 *              hold any bytes: what is no UTF-8 becomes U+FFFD.
 * Ownership    borrows the bytes writer.
 * Threads      one owner.
 * Errors       those of the bytes writer, sticky; ask it once at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"

struct json_writer {
	struct bytes_writer *out;
	bool comma; /* one must stand before the next value of this object or array */
};

void json_writer_init(struct json_writer *json, struct bytes_writer *out);
void json_begin_object(struct json_writer *json);
void json_end_object(struct json_writer *json);
void json_begin_array(struct json_writer *json);
void json_end_array(struct json_writer *json);
/* The name of the value that comes next; a plain word that needs no escapes. Gives JSON, so that
 * the value can follow in the same line. */
struct json_writer *json_key(struct json_writer *json, const char *name);

void json_text(struct json_writer *json, const char *text, size_t length);
void json_string(struct json_writer *json, const char *text);
void json_unsigned(struct json_writer *json, uint64_t value);
void json_signed(struct json_writer *json, int64_t value);
/* With at most six decimals; what is no number becomes null. */
void json_decimal(struct json_writer *json, double value);
void json_boolean(struct json_writer *json, bool value);
void json_null(struct json_writer *json);
