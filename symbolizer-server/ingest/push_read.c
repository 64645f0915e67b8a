/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/push_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "symbolizer-server/ingest/base64.h"
#include "symbolizer-server/ingest/ingest_upload.h"
#include "symbolizer-server/ingest/pprof_read.h"
#include "symbolizer-server/ingest/proto_field.h"

/* Without one, the page and Grafana would have nothing to call it. */
static const char unknown_service[] = "unknown_service";

struct push_series {
	struct ingest_label labels[LABEL_COUNT_MAX];
	uint32_t label_count;
	uint32_t dropped_count;
};

static bool is_word(struct ingest_text text, const char *word)
{
	return text.length == strlen(word) && memcmp(text.text, word, text.length) == 0;
}

static const struct ingest_text *find_label(const struct push_series *series, const char *key)
{
	for (uint32_t i = series->label_count; i > 0; i--) {
		if (is_word(series->labels[i - 1].key, key))
			return &series->labels[i - 1].value;
	}
	return NULL;
}

static void add_label(struct push_series *series, struct ingest_label label)
{
	if (series->label_count == LABEL_COUNT_MAX) {
		series->dropped_count++;
	} else {
		series->labels[series->label_count++] = label;
	}
}

/* ---- One profile ---- */

static int add_labels(const struct push_series *series, struct ingest_batch *batch)
{
	const struct ingest_text *service = find_label(series, "service_name");
	const struct ingest_label unnamed = {
		{"service_name", 12}, {unknown_service, sizeof(unknown_service) - 1}};
	int r = service && service->length > 0 ? 0 : ingest_batch_label(batch, unnamed);

	for (uint32_t i = 0; r == 0 && i < series->label_count; i++) {
		/* The name is part of the type, and no label. */
		if (!is_word(series->labels[i].key, "__name__"))
			r = ingest_batch_label(batch, series->labels[i]);
	}
	batch->drops.labels_dropped += series->dropped_count;
	return r;
}

static int add_profile(const struct push_series *series, const struct pprof *pprof,
	const struct pprof_options *options, const struct push_target *target)
{
	struct ingest_batch batch;
	uint64_t start_ns, until_ns;
	int r;

	pprof_window(pprof, options, &start_ns, &until_ns);
	r = ingest_batch_init(&batch, start_ns, until_ns);
	if (r < 0)
		return r;
	r = add_labels(series, &batch);
	if (r == 0)
		r = pprof_add(pprof, options, &batch, target->fault);
	return ingest_batch_finish(&batch, r, target->profiles, target->drops, target->fault);
}

static int read_profile(const struct push_series *series, struct ingest_text packed,
	const struct push_target *target)
{
	const struct ingest_text *name = find_label(series, "__name__");
	struct pprof_options options = {
		.start_ns = target->now_ns, .until_ns = target->now_ns, .own_time_first = true};
	struct bytes_writer writer = {0};
	struct ingest_text body;
	struct pprof *pprof;
	int r = ingest_unpack(packed, &writer, &body, target->fault);

	if (name)
		options.name = *name;
	if (r == 0)
		r = pprof_open(body, &pprof, target->fault);
	if (r == 0) {
		r = add_profile(series, pprof, &options, target);
		pprof_free(pprof);
	}
	bytes_writer_done(&writer);
	return r;
}

/* Remembers the first failure, unless it is the server's own, which ends all. */
static bool goes_on(
	int result, struct ingest_fault *fault, const struct push_target *target, int *first)
{
	if (result < 0 && *first == 0) {
		*first = result;
		*target->fault = *fault;
	}
	return result != -ENOMEM;
}

/* ---- Protobuf ---- */

static int read_label(const struct proto_field *from, struct push_series *series)
{
	struct ingest_label label = {{"", 0}, {"", 0}};
	struct proto_message message;
	struct proto_field field;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		struct ingest_text text = {(const char *)field.bytes, field.byte_count};

		if (field.number == 1 && field.byte_count > 0) {
			label.key = text;
		} else if (field.number == 2 && field.byte_count > 0) {
			label.value = text;
		}
	}
	add_label(series, label);
	return proto_fault(&message);
}

/* RawSample: the profile, and an id that nobody needs. */
static int read_sample(const struct push_series *series, const struct proto_field *from,
	const struct push_target *target)
{
	struct ingest_text profile = {"", 0};
	struct proto_message message;
	struct proto_field field;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 1 && field.byte_count > 0)
			profile = (struct ingest_text){(const char *)field.bytes, field.byte_count};
	}
	if (proto_fault(&message) < 0)
		return ingest_refuse(target->fault, -EBADMSG, "a sample of the request is damaged");
	return read_profile(series, profile, target);
}

static int read_series(const struct proto_field *from, const struct push_target *target)
{
	struct ingest_fault fault = {""};
	struct push_target one = *target;
	struct push_series series;
	struct proto_message message;
	struct proto_field field;
	int first = 0, r = 0;

	series.label_count = series.dropped_count = 0;
	one.fault = &fault;
	/* Labels may stand behind the samples. */
	proto_message_init(&message, from->bytes, from->byte_count);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number == 1)
			r = read_label(&field, &series);
	}
	if (r < 0 || proto_fault(&message) < 0)
		return ingest_refuse(target->fault, -EBADMSG, "a series of the request is damaged");
	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 2 &&
			!goes_on(read_sample(&series, &field, &one), &fault, target, &first))
			break;
	}
	return first;
}

static int refuse_empty(const struct push_target *target)
{
	return ingest_refuse(target->fault, -EINVAL, "no profiles received");
}

int push_read(struct ingest_text bytes, const struct push_target *target)
{
	struct ingest_fault fault = {""};
	struct push_target one = *target;
	struct proto_message message;
	struct proto_field field;
	uint32_t count = 0;
	int first = 0;

	one.fault = &fault;
	proto_message_init(&message, bytes.text, bytes.length);
	while (proto_next(&message, &field)) {
		if (field.number != 1)
			continue;
		if (count++ == PUSH_SERIES_COUNT_MAX) {
			return ingest_refuse(target->fault, -E2BIG, "a request may have %u series",
				PUSH_SERIES_COUNT_MAX);
		}
		if (!goes_on(read_series(&field, &one), &fault, target, &first))
			break;
	}
	if (proto_fault(&message) < 0) {
		return ingest_refuse(
			target->fault, -EBADMSG, "the body is no push.v1.PushRequest, or cut off");
	}
	return count == 0 ? refuse_empty(target) : first;
}

/* ---- JSON ---- */

static struct ingest_text text_of(const cJSON *member)
{
	const char *text = cJSON_GetStringValue(member);

	return (struct ingest_text){text ? text : "", text ? strlen(text) : 0};
}

/* Protobuf's JSON takes a field by its own name, too. */
static const cJSON *find(const cJSON *object, const char *name, const char *own_name)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

	return member ? member : cJSON_GetObjectItemCaseSensitive(object, own_name);
}

static int read_json_sample(
	const struct push_series *series, const cJSON *sample, const struct push_target *target)
{
	struct ingest_text text = text_of(find(sample, "rawProfile", "raw_profile"));
	struct bytes_writer profile;
	int r;

	bytes_writer_init(&profile, INGEST_BODY_BYTES_MAX);
	r = base64_read(&profile, text.text, text.length);
	if (r == -EBADMSG)
		r = ingest_refuse(target->fault, r, "rawProfile is no base64");
	if (r == 0) {
		r = read_profile(series,
			(struct ingest_text){(const char *)profile.bytes, profile.byte_count},
			target);
	}
	bytes_writer_done(&profile);
	return r;
}

static int read_json_series(const cJSON *json, const struct push_target *target)
{
	struct ingest_fault fault = {""};
	struct push_target one = *target;
	struct push_series series;
	const cJSON *member;
	int first = 0;

	series.label_count = series.dropped_count = 0;
	one.fault = &fault;
	cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(json, "labels"))
	{
		add_label(&series,
			(struct ingest_label){text_of(find(member, "name", "name")),
				text_of(find(member, "value", "value"))});
	}
	cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(json, "samples"))
	{
		if (!goes_on(read_json_sample(&series, member, &one), &fault, target, &first))
			break;
	}
	return first;
}

int push_read_json(struct ingest_text text, const struct push_target *target)
{
	cJSON *json = cJSON_ParseWithLength(text.text, text.length);
	struct ingest_fault fault = {""};
	struct push_target one = *target;
	const cJSON *member;
	uint32_t count = 0;
	int first = 0;

	if (!cJSON_IsObject(json)) {
		cJSON_Delete(json);
		return ingest_refuse(
			target->fault, -EBADMSG, "the body is no JSON object {\"series\":[...]}");
	}
	one.fault = &fault;
	cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(json, "series"))
	{
		if (count++ == PUSH_SERIES_COUNT_MAX ||
			!goes_on(read_json_series(member, &one), &fault, target, &first))
			break;
	}
	cJSON_Delete(json);
	if (count > PUSH_SERIES_COUNT_MAX) {
		return ingest_refuse(target->fault, -E2BIG, "a request may have %u series",
			PUSH_SERIES_COUNT_MAX);
	}
	return count == 0 ? refuse_empty(target) : first;
}
