/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/otlp_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/grow.h"

static int add_row(struct otlp_rows *rows, uint32_t *capacity, const struct proto_field *field)
{
	int r = grow_array(&rows->rows, capacity, rows->count, OTLP_ROW_COUNT_MAX);

	if (r == 0) {
		rows->rows[rows->count++] = (struct ingest_text){
			field->byte_count > 0 ? (const char *)field->bytes : "", field->byte_count};
	}
	return r;
}

int otlp_dictionary_init(
	struct otlp_dictionary *dictionary, struct ingest_text bytes, struct ingest_fault *fault)
{
	uint32_t capacities[OTLP_TABLE_COUNT] = {0};
	struct proto_message message;
	struct proto_field field;
	int r = 0;

	*dictionary = (struct otlp_dictionary){0};
	proto_message_init(&message, bytes.text, bytes.length);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number > 0 && field.number < OTLP_TABLE_COUNT &&
			field.wire == PROTO_BYTES) {
			r = add_row(&dictionary->tables[field.number], &capacities[field.number],
				&field);
		}
	}
	if (r == -E2BIG) {
		r = ingest_refuse(fault, r, "the dictionary has more than %u rows in one table",
			OTLP_ROW_COUNT_MAX);
	}
	if (r == 0 && proto_fault(&message) < 0)
		r = ingest_refuse(fault, -EBADMSG, "the dictionary of the request is damaged");
	if (r < 0)
		otlp_dictionary_done(dictionary);
	return r;
}

void otlp_dictionary_done(struct otlp_dictionary *dictionary)
{
	for (uint32_t i = 0; i < OTLP_TABLE_COUNT; i++)
		free(dictionary->tables[i].rows);
	*dictionary = (struct otlp_dictionary){0};
}

struct ingest_text otlp_row(
	const struct otlp_dictionary *dictionary, enum otlp_table table, uint64_t row)
{
	const struct otlp_rows *rows = &dictionary->tables[table];

	return row > 0 && row < rows->count ? rows->rows[row] : (struct ingest_text){"", 0};
}

struct ingest_text otlp_string(const struct otlp_dictionary *dictionary, uint64_t string)
{
	return otlp_row(dictionary, OTLP_STRING, string);
}

bool otlp_is(struct ingest_text text, const char *word)
{
	return text.length == strlen(word) && memcmp(text.text, word, text.length) == 0;
}

static void take_number(struct otlp_attribute *attribute, int64_t number)
{
	attribute->is_number = true;
	attribute->number = number;
	attribute->text.text = attribute->digits;
	attribute->text.length =
		(size_t)snprintf(attribute->digits, sizeof(attribute->digits), "%" PRId64, number);
}

/* AnyValue: a text by value or by number, a whole number, or yes and no. */
static bool read_value(const struct otlp_dictionary *dictionary, const struct proto_field *from,
	struct otlp_attribute *attribute)
{
	struct proto_message message;
	struct proto_field field;
	bool known = false;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		known = true;
		if (field.number == 1 && field.wire == PROTO_BYTES) {
			attribute->text =
				(struct ingest_text){(const char *)field.bytes, field.byte_count};
		} else if (field.number == 2) {
			attribute->text = field.value ? (struct ingest_text){"true", 4}
						      : (struct ingest_text){"false", 5};
		} else if (field.number == 3) {
			take_number(attribute, (int64_t)field.value);
		} else if (field.number == 8) {
			attribute->text = otlp_string(dictionary, field.value);
		} else {
			known = false;
		}
	}
	return known && proto_fault(&message) == 0;
}

bool otlp_attribute_read(const struct otlp_dictionary *dictionary, struct ingest_text bytes,
	struct otlp_attribute *ret_attribute)
{
	struct proto_message message;
	struct proto_field field;
	bool known = false;

	*ret_attribute = (struct otlp_attribute){.key = {"", 0}, .text = {"", 0}};
	proto_message_init(&message, bytes.text, bytes.length);
	while (proto_next(&message, &field)) {
		if (field.number == 1 && field.wire == PROTO_BYTES) {
			ret_attribute->key =
				(struct ingest_text){(const char *)field.bytes, field.byte_count};
		} else if (field.number == 2) {
			known = read_value(dictionary, &field, ret_attribute);
		} else if (field.number == 3) {
			ret_attribute->key = otlp_string(dictionary, field.value);
		}
	}
	return known && ret_attribute->key.length > 0 && proto_fault(&message) == 0;
}

bool otlp_attribute_at(const struct otlp_dictionary *dictionary, uint64_t row,
	struct otlp_attribute *ret_attribute)
{
	struct ingest_text bytes = otlp_row(dictionary, OTLP_ATTRIBUTE, row);
	struct proto_message message;
	struct proto_field field;
	bool known = false;

	*ret_attribute = (struct otlp_attribute){.key = {"", 0}, .text = {"", 0}};
	proto_message_init(&message, bytes.text, bytes.length);
	while (proto_next(&message, &field)) {
		if (field.number == 1) {
			ret_attribute->key = otlp_string(dictionary, field.value);
		} else if (field.number == 2) {
			known = read_value(dictionary, &field, ret_attribute);
		}
	}
	return known && ret_attribute->key.length > 0 && proto_fault(&message) == 0;
}
