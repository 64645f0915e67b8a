/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP tables: the dictionary of an OpenTelemetry profiles request.
 *
 * What it is   rows of seven tables as spans of the message, read when they are needed; row 0 of
 *              each stands for nothing. And attributes, which come by value or by number.
 * Ownership    owns its arrays, borrows the message.
 * Threads      one owner.
 * Errors       those of ingest_fault.h; a row that is not there is an empty one.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/ingest/proto_field.h"

/* Of each table; a request of 64 MiB holds about a million of each. */
#define OTLP_ROW_COUNT_MAX (16u << 20)
/* Holds any 64-bit number with a sign, and a NUL. */
#define OTLP_NUMBER_BYTES 24

/* Numbers of fields of ProfilesDictionary. */
enum otlp_table {
	OTLP_MAPPING = 1,
	OTLP_LOCATION = 2,
	OTLP_FUNCTION = 3,
	OTLP_LINK = 4,
	OTLP_STRING = 5,
	OTLP_ATTRIBUTE = 6,
	OTLP_STACK = 7,
	OTLP_TABLE_COUNT
};

struct otlp_rows {
	struct ingest_text *rows;
	uint32_t count;
};

struct otlp_dictionary {
	struct otlp_rows tables[OTLP_TABLE_COUNT];
};

struct otlp_attribute {
	struct ingest_text key;
	struct ingest_text text; /* the value, or a number's digits */
	bool is_number;
	int64_t number;
	char digits[OTLP_NUMBER_BYTES]; /* where text points for a number */
};

/* BYTES are the message ProfilesDictionary; empty: there is none. */
int otlp_dictionary_init(
	struct otlp_dictionary *dictionary, struct ingest_text bytes, struct ingest_fault *fault);
void otlp_dictionary_done(struct otlp_dictionary *dictionary);
struct ingest_text otlp_row(
	const struct otlp_dictionary *dictionary, enum otlp_table table, uint64_t row);
struct ingest_text otlp_string(const struct otlp_dictionary *dictionary, uint64_t string);

/* A KeyValue of a resource. False: it has no key, or a value that is neither text nor number. */
bool otlp_attribute_read(const struct otlp_dictionary *dictionary, struct ingest_text bytes,
	struct otlp_attribute *ret_attribute);
/* Row ROW of the table of attributes, likewise. */
bool otlp_attribute_at(const struct otlp_dictionary *dictionary, uint64_t row,
	struct otlp_attribute *ret_attribute);
bool otlp_is(struct ingest_text text, const char *word);
