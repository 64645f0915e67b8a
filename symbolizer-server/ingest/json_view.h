/* SPDX-License-Identifier: Apache-2.0 */
/* JSON view: a JSON text read where it lies.
 *
 * What it is   recordings are mostly long lists of numbers; as a tree each of them would cost thirty
 *              times its text. So the text is checked once, as a whole, and then walked: a value is
 *              the piece of text that it is.
 * Ownership    borrows the text; a string with escapes is written into the caller's scratch.
 * Threads      any.
 * Errors       of the check alone; what was checked can be walked without any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"
#include "symbolizer-server/ingest/ingest_batch.h"

/* Values in values. Recordings need six; one that is a tree of calls is not read. */
#define JSON_DEPTH_MAX 64u
/* Of a number; the longest that any program writes has 24. */
#define JSON_NUMBER_BYTES_MAX 63u

enum json_kind {
	JSON_NONE, /* not there */
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_WORD, /* true, false, null */
};

/* A value, without blanks around it. */
struct json_view {
	const char *text; /* NULL: not there */
	size_t length;
};

/* Members of an object or elements of an array, one after the other. */
struct json_walk {
	const char *at;
	const char *end;
	bool is_object;
};

/* The one value that TEXT is. -EBADMSG, with the reason in FAULT. */
int json_view_check(
	struct ingest_text text, struct json_view *ret_value, struct ingest_fault *fault);

enum json_kind json_view_kind(struct json_view value);
/* Of anything but an object or an array there is nothing to walk. */
void json_view_walk(struct json_walk *walk, struct json_view value);
/* RET_KEY, which may be NULL, is the string before an object's value. */
bool json_view_next(struct json_walk *walk, struct json_view *ret_key, struct json_view *ret_value);
/* Elements or members. */
uint64_t json_view_count(struct json_view value);
/* The member of that name, spelled without escapes; the first of equal ones. */
struct json_view json_view_member(struct json_view object, const char *name);
/* Whether VALUE is the string TEXT. */
bool json_view_is(struct json_view value, const char *text);
/* A string's text; empty if VALUE is none. With escapes it is written into SCRATCH, anew each time,
 * whose fault tells of memory; borrowed until then. */
struct ingest_text json_view_text(struct json_view value, struct bytes_writer *scratch);
bool json_view_number(struct json_view value, double *ret_number);
/* A whole number that is not negative. */
bool json_view_index(struct json_view value, uint64_t *ret_index);
