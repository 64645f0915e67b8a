/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: the text of the status, written member by member.
 *
 * What it is   objects, arrays, texts and numbers in sequence, with commas where they belong. Bytes
 *              that are no UTF-8 come out as U+FFFD: names of processes may hold anything.
 * Ownership    owns its text until json_done.
 * Threads      one owner.
 * Errors       sticky, as in store/base/bytes.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"

struct json {
	struct bytes_writer text;
	bool needs_comma;
};

void json_init(struct json *json, size_t bytes_max);
void json_done(struct json *json);
/* OPENING is '{' or '['. KEY: NULL inside of an array and at the top. */
void json_open(struct json *json, const char *key, char opening);
/* CLOSING is '}' or ']'. */
void json_close(struct json *json, char closing);
void json_text(struct json *json, const char *key, const char *value);
void json_number(struct json *json, const char *key, uint64_t value);
void json_flag(struct json *json, const char *key, bool value);
