/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/otlp_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/clock.h"
#include "symbolizer-server/ingest/otlp_frames.h"
#include "symbolizer-server/ingest/otlp_table.h"
#include "symbolizer-server/ingest/otlp_type.h"

/* A profile that does not say how long it took is that of a collector's usual interval. */
#define DURATION_NS_DEFAULT (10 * NS_PER_S)

static const char unknown_service[] = "unknown_service";

struct resource {
	struct otlp_attribute attributes[LABEL_COUNT_MAX];
	uint32_t count;
};

struct request {
	struct otlp_dictionary dictionary;
	struct otlp_target *target;
	struct resource *resource; /* of the profiles at hand */
	int first; /* error of the first profile that could not be read */
};

/* What one profile is read with. */
struct reading {
	const struct request *request;
	struct ingest_batch batch;
	struct otlp_frames frames;
	struct sample_table *table;
	int64_t weight; /* of one sample, in the type's unit; values are taken times this */
	struct thread process; /* what the resource says of it */
};

static int refuse_old(struct ingest_fault *fault)
{
	return ingest_refuse(fault, -EINVAL,
		"OTLP profiles before 1.10 are not supported: their fields have other numbers; "
		"update the sender");
}

/* ---- Resource ---- */

static void read_resource(const struct otlp_dictionary *dictionary, struct ingest_text bytes,
	struct resource *resource)
{
	struct proto_message message;
	struct proto_field field;

	resource->count = 0;
	proto_message_init(&message, bytes.text, bytes.length);
	while (proto_next(&message, &field)) {
		struct ingest_text pair = {(const char *)field.bytes, field.byte_count};

		if (field.number == 1 && field.wire == PROTO_BYTES &&
			resource->count < LABEL_COUNT_MAX &&
			otlp_attribute_read(
				dictionary, pair, &resource->attributes[resource->count]))
			resource->count++;
	}
}

/* The text of an attribute; a number's lies in the attribute itself. */
static struct ingest_text text_of(const struct otlp_attribute *attribute)
{
	return attribute->is_number
		? (struct ingest_text){attribute->digits, attribute->text.length}
		: attribute->text;
}

static const struct otlp_attribute *find(const struct resource *resource, const char *key)
{
	for (uint32_t i = 0; i < resource->count; i++) {
		if (otlp_is(resource->attributes[i].key, key))
			return &resource->attributes[i];
	}
	return NULL;
}

static int add_label(struct ingest_batch *batch, const char *key, struct ingest_text value)
{
	return ingest_batch_label(batch, (struct ingest_label){{key, strlen(key)}, value});
}

/* Labels that other sources of profiles have under names of their own. */
static int add_known_labels(const struct resource *resource, struct ingest_batch *batch)
{
	const struct otlp_attribute *service = find(resource, "service.name");
	const struct otlp_attribute *program = find(resource, "process.executable.name");
	const struct otlp_attribute *host = find(resource, "host.name");
	struct ingest_text name = {unknown_service, sizeof(unknown_service) - 1};
	int r;

	if (service && service->text.length > 0)
		name = text_of(service);
	else if (program && program->text.length > 0)
		name = text_of(program);
	r = add_label(batch, "service_name", name);
	if (r == 0 && program)
		r = add_label(batch, "process", text_of(program));
	if (r == 0 && host)
		r = add_label(batch, "host", text_of(host));
	return r;
}

static int add_resource(struct reading *reading)
{
	const struct resource *resource = reading->request->resource;
	int r = add_known_labels(resource, &reading->batch);

	for (uint32_t i = 0; r == 0 && i < resource->count; i++) {
		const struct otlp_attribute *attribute = &resource->attributes[i];

		if (otlp_is(attribute->key, "process.pid") && attribute->is_number)
			reading->process.pid = (uint32_t)attribute->number;
		else if (!otlp_is(attribute->key, "service.name"))
			r = ingest_batch_label(&reading->batch,
				(struct ingest_label){attribute->key, text_of(attribute)});
	}
	return r;
}

/* ---- Samples ---- */

struct sample {
	uint64_t stack;
	uint64_t time_count;
	uint64_t value_count;
	int64_t value; /* sum */
	uint32_t cpu;
	struct thread thread;
	struct ingest_label labels[LABEL_COUNT_MAX];
	struct otlp_attribute attributes[LABEL_COUNT_MAX]; /* what the labels point into */
	uint32_t label_count;
};

static int take_attribute(struct reading *reading, uint64_t row, struct sample *sample)
{
	struct otlp_attribute *attribute = &sample->attributes[sample->label_count];

	if (sample->label_count == LABEL_COUNT_MAX ||
		!otlp_attribute_at(&reading->request->dictionary, row, attribute)) {
		reading->batch.drops.labels_dropped += row != 0;
		return 0;
	}
	if (otlp_is(attribute->key, "thread.name"))
		return ingest_batch_text(&reading->batch, attribute->text, &sample->thread.name);
	if (otlp_is(attribute->key, "thread.id"))
		sample->thread.tid = (uint32_t)attribute->number;
	else if (otlp_is(attribute->key, "process.pid"))
		sample->thread.pid = (uint32_t)attribute->number;
	else if (otlp_is(attribute->key, "cpu.logical_number"))
		sample->cpu = (uint32_t)attribute->number;
	else
		sample->labels[sample->label_count++] =
			(struct ingest_label){attribute->key, text_of(attribute)};
	return 0;
}

static int take_attributes(
	struct reading *reading, const struct proto_field *field, struct sample *sample)
{
	struct proto_numbers numbers;
	uint64_t row;
	int r = 0;

	proto_numbers_init(&numbers, field, PROTO_VARINT);
	while (r == 0 && proto_number_next(&numbers, &row))
		r = take_attribute(reading, row, sample);
	return r == 0 ? proto_numbers_fault(&numbers) : r;
}

static int take_values(const struct proto_field *field, struct sample *sample)
{
	struct proto_numbers numbers;
	uint64_t value;

	proto_numbers_init(&numbers, field, PROTO_VARINT);
	while (proto_number_next(&numbers, &value)) {
		sample->value_count++;
		if (__builtin_add_overflow(sample->value, (int64_t)value, &sample->value))
			return -EOVERFLOW;
	}
	return proto_numbers_fault(&numbers);
}

static int count_times(const struct proto_field *field, struct sample *sample)
{
	struct proto_numbers numbers;
	uint64_t time_ns;

	proto_numbers_init(&numbers, field, PROTO_FIXED64);
	while (proto_number_next(&numbers, &time_ns))
		sample->time_count++;
	return proto_numbers_fault(&numbers);
}

/* Without values each time is one; with one value and no time it is that many. */
static int add_sample(struct reading *reading, struct sample *sample)
{
	uint64_t count = sample->time_count > 0 ? sample->time_count : 1;
	struct sample_row row = {.cpu = sample->cpu};
	int r;

	if (sample->value_count == 0)
		sample->value = (int64_t)sample->time_count;
	if (reading->weight > 1 && sample->value > 0)
		count = (uint64_t)sample->value;
	if (__builtin_mul_overflow(sample->value, reading->weight, &row.value))
		return -EOVERFLOW;
	row.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	r = otlp_frames_stack(&reading->frames, sample->stack, &row.stack);
	if (r == 0)
		r = ingest_batch_series(&reading->batch, sample->labels, sample->label_count,
			&sample->thread, &row.thread);
	return r < 0 ? r : ingest_batch_row(&reading->batch, reading->table, &row);
}

static int read_sample(
	struct reading *reading, const struct proto_field *from, struct sample *sample)
{
	struct ingest_fault *fault = reading->request->target->fault;
	struct proto_message message;
	struct proto_field field;
	int r = 0;

	sample->stack = sample->time_count = sample->value_count = 0;
	sample->value = 0;
	sample->cpu = SAMPLE_CPU_UNKNOWN;
	sample->thread = reading->process;
	sample->label_count = 0;
	proto_message_init(&message, from->bytes, from->byte_count);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number == 3 && field.wire == PROTO_BYTES)
			return refuse_old(fault);
		if (field.number == 1)
			sample->stack = field.value;
		else if (field.number == 2)
			r = take_attributes(reading, &field, sample);
		else if (field.number == 4)
			r = take_values(&field, sample);
		else if (field.number == 5)
			r = count_times(&field, sample);
	}
	if (r == -EBADMSG || (r == 0 && proto_fault(&message) < 0))
		return ingest_refuse(fault, -EBADMSG, "a sample of the request is damaged");
	return r < 0 ? r : add_sample(reading, sample);
}

/* ---- Profiles ---- */

static int read_samples(struct reading *reading, struct ingest_text bytes)
{
	struct sample *sample = malloc(sizeof(*sample));
	struct proto_message message;
	struct proto_field field;
	int r = sample ? 0 : -ENOMEM;

	proto_message_init(&message, bytes.text, bytes.length);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number == 2)
			r = read_sample(reading, &field, sample);
	}
	free(sample);
	return r;
}

static int fill_batch(
	struct reading *reading, struct ingest_text bytes, const struct otlp_type *type)
{
	int r = add_resource(reading);

	if (r == 0)
		r = ingest_batch_type(&reading->batch, type->text, type->period, &reading->table);
	reading->weight = type->weight;
	if (r == 0)
		r = otlp_frames_init(
			&reading->frames, &reading->request->dictionary, &reading->batch);
	if (r == 0) {
		r = read_samples(reading, bytes);
		otlp_frames_done(&reading->frames);
	}
	return r;
}

static int read_profile(struct request *request, struct ingest_text bytes)
{
	struct otlp_target *target = request->target;
	struct reading reading = {.request = request};
	struct otlp_head head;
	struct otlp_type type;
	int r = otlp_head_read(bytes, &head);

	if (r == -EINVAL)
		return refuse_old(target->fault);
	if (r < 0)
		return ingest_refuse(
			target->fault, -EBADMSG, "a profile of the request is damaged");
	otlp_type_of(&request->dictionary, &head, &type);
	if (head.time_ns == 0)
		head.time_ns = target->now_ns - DURATION_NS_DEFAULT;
	if (head.duration_ns == 0)
		head.duration_ns = DURATION_NS_DEFAULT;
	r = ingest_batch_init(&reading.batch, head.time_ns, head.time_ns + head.duration_ns);
	if (r < 0)
		return r;
	r = fill_batch(&reading, bytes, &type);
	return ingest_batch_finish(
		&reading.batch, r, target->profiles, target->drops, target->fault);
}

/* One that cannot be read costs itself alone, unless it is for lack of memory. */
static int take_profile(struct request *request, struct ingest_text bytes)
{
	struct ingest_fault *all = request->target->fault, fault = {""};
	int r;

	request->target->fault = &fault;
	r = read_profile(request, bytes);
	request->target->fault = all;
	if (r == 0 || r == -ENOMEM)
		return r;
	request->target->rejected_count++;
	if (request->first == 0) {
		request->first = r;
		*all = fault;
	}
	return 0;
}

typedef int (*part_fn)(struct request *request, struct ingest_text bytes);

/* Calls TAKE for each field NUMBER of a message. */
static int each(struct request *request, struct ingest_text bytes, uint32_t number, part_fn take)
{
	struct proto_message message;
	struct proto_field field;
	int r = 0;

	proto_message_init(&message, bytes.text, bytes.length);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number == number && field.wire == PROTO_BYTES)
			r = take(request,
				(struct ingest_text){(const char *)field.bytes, field.byte_count});
	}
	if (r == 0 && proto_fault(&message) < 0)
		return ingest_refuse(request->target->fault, -EBADMSG,
			"the body is no ExportProfilesServiceRequest, or cut off");
	return r;
}

static int take_scope(struct request *request, struct ingest_text bytes)
{
	return each(request, bytes, 2, take_profile);
}

static int keep_resource(struct request *request, struct ingest_text bytes)
{
	read_resource(&request->dictionary, bytes, request->resource);
	return 0;
}

static int take_resource(struct request *request, struct ingest_text bytes)
{
	int r;

	request->resource->count = 0;
	r = each(request, bytes, 1, keep_resource);
	return r < 0 ? r : each(request, bytes, 2, take_scope);
}

/* The dictionary may be anywhere; of several the last counts. */
static int open_dictionary(struct request *request, struct ingest_text bytes)
{
	otlp_dictionary_done(&request->dictionary);
	return otlp_dictionary_init(&request->dictionary, bytes, request->target->fault);
}

int otlp_read(struct ingest_text bytes, struct otlp_target *target)
{
	struct request request = {.target = target, .resource = malloc(sizeof(*request.resource))};
	int r = request.resource ? 0 : -ENOMEM;

	if (r == 0)
		r = each(&request, bytes, 2, open_dictionary);
	if (r == 0)
		r = each(&request, bytes, 1, take_resource);
	otlp_dictionary_done(&request.dictionary);
	free(request.resource);
	return r == 0 ? request.first : r;
}

/* ExportProfilesServiceResponse {partial_success = 1 {int64 rejected = 1; string message = 2}}. */
void otlp_write_response(struct bytes_writer *writer, uint64_t rejected_count, const char *fault)
{
	size_t length = strlen(fault);
	struct bytes_writer inner;

	if (rejected_count == 0)
		return;
	bytes_writer_init(&inner, INGEST_FAULT_BYTES + 64);
	bytes_write_u8(&inner, 1 << 3);
	bytes_write_varint(&inner, rejected_count);
	bytes_write_u8(&inner, 2 << 3 | 2);
	bytes_write_varint(&inner, length);
	bytes_write_span(&inner, fault, length);
	bytes_write_u8(writer, 1 << 3 | 2);
	bytes_write_varint(writer, inner.byte_count);
	bytes_write_span(writer, inner.bytes, inner.byte_count);
	bytes_writer_done(&inner);
}
