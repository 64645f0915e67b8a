/* SPDX-License-Identifier: Apache-2.0 */
/* JFR values: numbers and texts as a flight recording writes them.
 *
 * What it is   numbers of one to nine bytes, seven bits each, the lowest first; the ninth byte has
 *              eight. Texts in one of six ways.
 * Ownership    borrows the bytes.
 * Threads      one owner.
 * Errors       those of bytes_reader: after a fault every number is 0 and every text empty.
 */
#pragma once

#include <stdint.h>

#include "store/base/arena.h"
#include "store/base/bytes.h"
#include "symbolizer-server/ingest/ingest_batch.h"

/* What texts may have together that are written anew as UTF-8. Names of a large program have some MiB,
 * and recorders write UTF-8. */
#define JFR_TEXT_BYTES_MAX ((size_t)64 << 20)

enum jfr_text_form {
	JFR_TEXT_NULL = 0,
	JFR_TEXT_EMPTY = 1,
	JFR_TEXT_CONSTANT = 2, /* the number of a constant */
	JFR_TEXT_UTF8 = 3,
	JFR_TEXT_CHARS = 4, /* UTF-16 units, a number each */
	JFR_TEXT_LATIN1 = 5,
};

/* A text as it stands. */
struct jfr_text {
	enum jfr_text_form form;
	uint64_t constant;
	struct ingest_text bytes;
};

/* What jfr_number does beyond its first byte. */
uint64_t jfr_long_number(struct bytes_reader *reader);

static inline uint64_t jfr_number(struct bytes_reader *reader)
{
	if (reader->at < reader->end && *reader->at < 0x80)
		return *reader->at++;
	return jfr_long_number(reader);
}

/* Skips COUNT numbers. */
void jfr_skip_numbers(struct bytes_reader *reader, uint64_t count);

struct jfr_text jfr_text_read(struct bytes_reader *reader);
/* TEXT as UTF-8: where it stands, or written into ARENA. A constant is the empty text. -ENOMEM;
 * -E2BIG: ARENA is full. */
int jfr_text_utf8(const struct jfr_text *text, struct arena *arena, struct ingest_text *ret_text);
