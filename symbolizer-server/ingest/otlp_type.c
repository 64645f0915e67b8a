/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/otlp_type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Of a part of a type. */
#define PART_BYTES_MAX 200

static void read_value_type(const struct proto_field *from, struct otlp_value_type *type)
{
	struct proto_message message;
	struct proto_field field;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 1)
			type->type = field.value;
		else if (field.number == 2)
			type->unit = field.value;
	}
}

int otlp_head_read(struct ingest_text profile, struct otlp_head *ret_head)
{
	struct otlp_head head = {.period = 0};
	struct proto_message message;
	struct proto_field field;

	proto_message_init(&message, profile.text, profile.length);
	while (proto_next(&message, &field)) {
		/* Indices of locations stood here once. */
		if (field.number == 3 && field.wire != PROTO_FIXED64)
			return -EINVAL;
		if (field.number == 1)
			read_value_type(&field, &head.sample_type);
		else if (field.number == 3)
			head.time_ns = field.value;
		else if (field.number == 4)
			head.duration_ns = field.value;
		else if (field.number == 5)
			read_value_type(&field, &head.period_type);
		else if (field.number == 6)
			head.period = (int64_t)field.value;
	}
	/* A time that no window can have is none. */
	if (head.time_ns > INT64_MAX / 2 || head.duration_ns > INT64_MAX / 2)
		head.time_ns = head.duration_ns = 0;
	*ret_head = head;
	return proto_fault(&message);
}

static bool is_time(struct ingest_text unit)
{
	return otlp_is(unit, "nanoseconds") || otlp_is(unit, "ns");
}

static bool is_cpu(struct ingest_text type)
{
	return otlp_is(type, "cpu") || otlp_is(type, "itimer") || otlp_is(type, "ctimer") ||
		otlp_is(type, "on_cpu");
}

/* The parts are joined by colons, so that none may hold one. */
static size_t write_part(char *text, size_t at, struct ingest_text part, char behind)
{
	size_t length = part.length < PART_BYTES_MAX ? part.length : PART_BYTES_MAX;

	for (size_t i = 0; i < length; i++)
		text[at++] =
			(char)(part.text[i] == ':' || part.text[i] == '\0' ? '_' : part.text[i]);
	text[at++] = behind;
	return at;
}

void otlp_type_of(const struct otlp_dictionary *dictionary, const struct otlp_head *head,
	struct otlp_type *ret_type)
{
	struct ingest_text type = otlp_string(dictionary, head->sample_type.type);
	struct ingest_text unit = otlp_string(dictionary, head->sample_type.unit);
	struct ingest_text period_type = otlp_string(dictionary, head->period_type.type);
	struct ingest_text period_unit = otlp_string(dictionary, head->period_type.unit);
	bool samples = otlp_is(type, "samples") && otlp_is(unit, "count");
	bool timed = head->period > 0 && is_cpu(period_type) && is_time(period_unit);
	size_t at;

	*ret_type = (struct otlp_type){.weight = 1};
	if ((samples && timed) || (is_cpu(type) && is_time(unit))) {
		snprintf(ret_type->text, sizeof(ret_type->text), "%s", PROFILE_TYPE_ON_CPU);
		ret_type->period = timed ? head->period : 0;
		ret_type->weight = samples ? head->period : 1;
		return;
	}
	at = write_part(ret_type->text, 0, type.length > 0 ? type : period_type, ':');
	at = write_part(ret_type->text, at, type, ':');
	at = write_part(ret_type->text, at,
		is_time(unit) ? (struct ingest_text){"nanoseconds", 11} : unit, ':');
	at = write_part(ret_type->text, at, period_type, ':');
	write_part(ret_type->text, at, period_unit, '\0');
}
