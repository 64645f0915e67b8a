/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   metadata -> layouts      checkpoints -> pools      settings -> periods
 *
 *   event -> stack (made once)                -> stack
 *         -> context, thread (made once)      -> series
 *         -> weight x period                  -> a row in each type of its kind
 *
 * A chunk is walked three times, since constants and settings may stand behind the samples that they
 * belong to: walking passes over an event by its size.
 */
#include "symbolizer-server/ingest/jfr_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/clock.h"
#include "store/base/hash.h"
#include "store/profile/grow.h"
#include "symbolizer-server/ingest/jfr_kind.h"
#include "symbolizer-server/ingest/jfr_stack.h"
#include "symbolizer-server/ingest/jfr_value.h"

#define SHAPE_COUNT (JFR_POOL_COUNT + JFR_KIND_COUNT + 1)
/* What a clock showed in 1970 is no time. */
#define TIME_NS_MIN (UINT64_C(365) * 24 * 3600 * NS_PER_S)
/* Pairs of thread and context; agents enter a context a request. */
#define SERIES_COUNT_MAX (4u << 20)
/* Of a body that is something else, so many bytes are shown. */
#define SHOWN_BYTES 8

struct series_row {
	uint64_t thread;
	uint64_t context;
	uint32_t series;
};

/* One chunk being added. */
struct adding {
	struct jfr *jfr;
	struct ingest_batch *batch;
	struct ingest_fault *fault;
	struct jfr_metadata metadata;
	struct jfr_layouts layouts;
	struct jfr_pools pools;
	struct jfr_stacks stacks;
	struct jfr_shape shapes[SHAPE_COUNT];
	uint32_t classes[JFR_KIND_COUNT]; /* JFR_CLASS_NONE: no such events */
	uint64_t types[JFR_KIND_COUNT]; /* of events; those without are last */
	struct sample_table *tables[JFR_KIND_COUNT][JFR_KIND_TYPE_COUNT];
	struct series_row *series;
	uint32_t series_count;
	uint32_t series_capacity;
	struct index_map series_rows;
	uint64_t state; /* the last one that was looked at ... */
	bool state_is_sleeping; /* ... and whether that is sleeping */
	bool knows_state;
};

/* ---- Chunks ---- */

static int refuse_other(struct ingest_text bytes, struct ingest_fault *fault)
{
	static const struct {
		const char *begin;
		const char *name;
	} known[] = {{"\x1f\x8b", "gzip within gzip"}, {"\x04\x22\x4d\x18", "LZ4"},
		{"\x28\xb5\x2f\xfd", "zstd"}, {"PK\x03\x04", "a ZIP file"},
		{"\x7f"
		 "ELF",
			"ELF"},
		{"<", "HTML or XML"}, {"{", "JSON"}, {"[", "JSON"}};
	const char *name = "something else";
	bool is_text = true;
	char shown[3 * SHOWN_BYTES + 1] = "";
	size_t count = bytes.length < SHOWN_BYTES ? bytes.length : SHOWN_BYTES;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].begin);

		if (bytes.length >= length && memcmp(bytes.text, known[i].begin, length) == 0)
			name = known[i].name;
	}
	for (size_t i = 0; i < count; i++) {
		snprintf(shown + 3 * i, 4, " %02x", (uint8_t)bytes.text[i]);
		is_text &= isprint((unsigned char)bytes.text[i]) != 0;
	}
	if (is_text && strcmp(name, "something else") == 0)
		name = "text";
	return ingest_refuse(fault, -EBADMSG,
		"format=jfr: a flight recording begins with FLR; this looks like %s, its first "
		"bytes are%s",
		name, shown);
}

int jfr_init(struct jfr *jfr, const struct jfr_options *options, struct ingest_text bytes,
	struct ingest_fault *fault)
{
	*jfr = (struct jfr){.options = options, .rest = bytes};
	return bytes.length == 0 || jfr_is(bytes) ? 0 : refuse_other(bytes, fault);
}

int jfr_next(struct jfr *jfr, struct ingest_fault *fault)
{
	return jfr_chunk_next(&jfr->rest, &jfr->chunk, fault);
}

void jfr_window(const struct jfr *jfr, uint64_t *ret_start_ns, uint64_t *ret_until_ns)
{
	const struct jfr_chunk *chunk = &jfr->chunk;

	*ret_start_ns = jfr->options->now_ns;
	*ret_until_ns = jfr->options->now_ns;
	if (chunk->start_ns < TIME_NS_MIN || chunk->start_ns > INT64_MAX)
		return;
	*ret_start_ns = chunk->start_ns;
	*ret_until_ns = chunk->start_ns;
	if (chunk->duration_ns < INT64_MAX - chunk->start_ns)
		*ret_until_ns += chunk->duration_ns;
}

/* ---- Settings ---- */

static uint64_t cpu_period(const struct jfr *jfr)
{
	uint32_t rate = jfr->options->sample_rate;

	if (rate > 0)
		return rate < NS_PER_S ? NS_PER_S / rate : 1;
	return jfr->settings.cpu_period_ns > 0 ? jfr->settings.cpu_period_ns
					       : JFR_PERIOD_NS_DEFAULT;
}

static uint64_t wall_period(const struct jfr *jfr)
{
	return jfr->settings.wall_period_ns > 0 ? jfr->settings.wall_period_ns : cpu_period(jfr);
}

static uint32_t find_class(const struct jfr_metadata *metadata, const char *name)
{
	for (uint32_t i = 0; i < metadata->class_count; i++) {
		if (jfr_text_is(metadata->classes[i].name, name))
			return i;
	}
	return JFR_CLASS_NONE;
}

static int damaged(struct adding *adding, uint32_t class_index)
{
	struct ingest_text name = adding->metadata.classes[class_index].name;

	return jfr_refuse(adding->fault, -EBADMSG, &adding->jfr->chunk,
		"an event %.*s is damaged: its fields do not fit", (int)name.length, name.text);
}

static int note_setting(struct adding *adding, uint32_t class_index, struct bytes_reader *fields)
{
	struct jfr_slot slots[JFR_SLOT_COUNT];
	uint64_t execution = adding->types[JFR_KIND_EXECUTION];
	struct ingest_text name, value;
	int r;

	jfr_layout_read(&adding->layouts, class_index, fields, slots);
	if (bytes_reader_fault(fields) < 0)
		return damaged(adding, class_index);
	r = jfr_pool_text(&adding->pools, JFR_POOL_TEXT, &slots[JFR_SETTING_NAME], &name);
	if (r == 1)
		r = jfr_pool_text(&adding->pools, JFR_POOL_TEXT, &slots[JFR_SETTING_VALUE], &value);
	if (r == 1) {
		jfr_settings_note(&adding->jfr->settings, name, value,
			slots[JFR_SETTING_OF].number == execution);
	}
	return r < 0 ? r : 0;
}

static int read_settings(struct adding *adding)
{
	uint32_t class_index =
		find_class(&adding->metadata, jfr_kind_shapes[JFR_KIND_COUNT].class_name);
	struct bytes_reader events;
	struct jfr_event event;
	int r;

	if (class_index == JFR_CLASS_NONE)
		return 0;
	r = jfr_layout_make(&adding->layouts, class_index, adding->fault);
	jfr_events_init(&events, &adding->jfr->chunk);
	while (r == 0 && jfr_event_next(&events, &event) == 1) {
		if (event.type == adding->metadata.classes[class_index].id)
			r = note_setting(adding, class_index, &event.fields);
	}
	return r;
}

/* ---- Kinds ---- */

/* A kind of events that this chunk may have. */
static int open_kind(struct adding *adding, uint32_t kind)
{
	const struct jfr_shape *shape = &jfr_kind_shapes[kind];
	uint32_t class_index = find_class(&adding->metadata, shape->class_name);
	int r;

	adding->classes[kind] = class_index;
	adding->types[kind] = UINT64_MAX;
	if (class_index == JFR_CLASS_NONE)
		return 0;
	adding->types[kind] = adding->metadata.classes[class_index].id;
	r = jfr_layout_make(&adding->layouts, class_index, adding->fault);
	if (r < 0)
		return r;
	if (jfr_kinds[kind].is_weighed &&
		!jfr_layout_has_number(&adding->layouts, class_index, JFR_EVENT_WEIGHT)) {
		return jfr_refuse(adding->fault, -EBADMSG, &adding->jfr->chunk,
			"metadata: %s has no number %s, without which it weighs nothing",
			shape->class_name, shape->fields[JFR_EVENT_WEIGHT]);
	}
	return 0;
}

static int open_kinds(struct adding *adding)
{
	int r = 0;

	for (uint32_t kind = 0; r == 0 && kind < JFR_KIND_COUNT; kind++)
		r = open_kind(adding, kind);
	return r;
}

/* ---- Series ---- */

/* 1: a thread; 0: the recording does not know it. */
static int read_thread(struct adding *adding, uint64_t number, struct thread *ret_thread)
{
	struct jfr_slot slots[JFR_SLOT_COUNT];
	struct ingest_text name = {"", 0};
	uint64_t id;
	int r;

	if (!jfr_pool_find(&adding->pools, JFR_POOL_THREAD, number, slots))
		return 0;
	r = jfr_pool_text(&adding->pools, JFR_POOL_TEXT, &slots[JFR_THREAD_JAVA_NAME], &name);
	if (r == 0 || (r == 1 && name.length == 0))
		r = jfr_pool_text(&adding->pools, JFR_POOL_TEXT, &slots[JFR_THREAD_OS_NAME], &name);
	if (r < 0)
		return r;
	id = slots[JFR_THREAD_OS_ID].number;
	*ret_thread = (struct thread){.tid = id <= UINT32_MAX ? (uint32_t)id : 0};
	r = ingest_batch_text(adding->batch, name, &ret_thread->name);
	return r < 0 ? r : 1;
}

static int make_series(struct adding *adding, struct series_row *row)
{
	struct ingest_label labels[LABEL_COUNT_MAX];
	uint32_t label_count = jfr_context_labels(
		adding->jfr->options->contexts, row->context, &adding->batch->drops, labels);
	struct thread thread;
	int r = row->thread == 0 ? 0 : read_thread(adding, row->thread, &thread);

	if (r < 0)
		return r;
	if (r == 0 && row->thread != 0)
		adding->batch->drops.broken++;
	return ingest_batch_series(
		adding->batch, labels, label_count, r == 1 ? &thread : NULL, &row->series);
}

static bool has_series(const void *context, uint32_t index, const void *key)
{
	const struct series_row *rows = context, *asked = key;

	return rows[index].thread == asked->thread && rows[index].context == asked->context;
}

static int get_series(struct adding *adding, const struct jfr_slot *slots, uint32_t *ret_series)
{
	struct series_row row = {
		slots[JFR_EVENT_THREAD].number, slots[JFR_EVENT_CONTEXT].number, 0};
	uint64_t hash = hash_pair(row.thread, row.context);
	uint32_t known =
		index_map_find(&adding->series_rows, hash, has_series, adding->series, &row);
	int r;

	if (known != INDEX_MAP_NONE) {
		*ret_series = adding->series[known].series;
		return 0;
	}
	r = make_series(adding, &row);
	if (r == 0)
		r = grow_array(&adding->series, &adding->series_capacity, adding->series_count,
			SERIES_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&adding->series_rows, hash, adding->series_count);
	if (r < 0)
		return r;
	adding->series[adding->series_count++] = row;
	*ret_series = row.series;
	return 0;
}

/* ---- Samples ---- */

/* What an event counts for. */
struct weight {
	uint64_t count;
	int64_t value;
};

static int multiply(uint64_t count, uint64_t period, struct weight *ret_weight)
{
	if (count > INT64_MAX / period)
		return -EOVERFLOW;
	*ret_weight = (struct weight){count, (int64_t)(count * period)};
	return 0;
}

static int read_ticks(const struct jfr_chunk *chunk, int64_t ticks, struct weight *ret_weight)
{
	__extension__ const __int128 ns =
		(__int128)ticks * (int64_t)NS_PER_S / (__int128)chunk->ticks_per_second;

	if (ns > INT64_MAX || ns < INT64_MIN)
		return -EOVERFLOW;
	*ret_weight = (struct weight){1, (int64_t)ns};
	return 0;
}

static int weigh(
	const struct jfr *jfr, enum jfr_measure measure, uint64_t field, struct weight *ret_weight)
{
	*ret_weight = (struct weight){1, 1};
	switch (measure) {
	case JFR_MEASURE_NONE:
	case JFR_MEASURE_ONE:
		break;
	case JFR_MEASURE_WEIGHT:
		ret_weight->value = (int64_t)field;
		break;
	case JFR_MEASURE_TICKS:
		return read_ticks(&jfr->chunk, (int64_t)field, ret_weight);
	case JFR_MEASURE_CPU:
		return multiply(1, cpu_period(jfr), ret_weight);
	case JFR_MEASURE_WALL:
		return multiply(field, wall_period(jfr), ret_weight);
	}
	return 0;
}

static int64_t period_of(const struct jfr *jfr, enum jfr_measure measure)
{
	if (measure == JFR_MEASURE_CPU)
		return (int64_t)cpu_period(jfr);
	return measure == JFR_MEASURE_WALL ? (int64_t)wall_period(jfr) : 0;
}

/* A sample at its place in one type of its kind. */
struct placed {
	uint32_t kind;
	uint32_t stack;
	uint32_t series;
	uint64_t field; /* of its weight */
};

static int add_to_type(struct adding *adding, const struct placed *placed, uint32_t index)
{
	const struct jfr_kind_type *type = &jfr_kinds[placed->kind].types[index];
	struct sample_table **table = &adding->tables[placed->kind][index];
	struct weight weight;
	int r = weigh(adding->jfr, type->measure, placed->field, &weight);

	if (r == 0 && !*table)
		r = ingest_batch_type(
			adding->batch, type->type, period_of(adding->jfr, type->measure), table);
	if (r < 0)
		return r;
	return ingest_batch_sample(
		adding->batch, *table, placed->stack, placed->series, weight.count, weight.value);
}

static int is_sleeping(struct adding *adding, const struct jfr_slot *state, bool *ret_is_sleeping)
{
	struct ingest_text name;
	int r;

	if (!adding->knows_state || adding->state != state->number || state->at) {
		r = jfr_pool_text(&adding->pools, JFR_POOL_STATE, state, &name);
		if (r < 0)
			return r;
		adding->state_is_sleeping = r == 1 && jfr_text_is(name, "STATE_SLEEPING");
		adding->state = state->number;
		adding->knows_state = true;
	}
	*ret_is_sleeping = adding->state_is_sleeping;
	return 0;
}

/* A sample of a thread that sleeps is none of CPU time, and one by the wall clock may be both. */
static int add_execution(struct adding *adding, struct placed *placed, const struct jfr_slot *state)
{
	bool by_wall = adding->jfr->settings.samples_are_wall, sleeps;
	int r = is_sleeping(adding, state, &sleeps);

	if (r == 0 && sleeps && !by_wall)
		adding->batch->drops.sleeping++;
	if (r == 0 && !sleeps)
		r = add_to_type(adding, placed, 0);
	if (r < 0 || !by_wall)
		return r;
	placed->kind = JFR_KIND_WALL;
	placed->field = 1;
	return add_to_type(adding, placed, 0);
}

static int add_sample(struct adding *adding, uint32_t kind, struct bytes_reader *fields)
{
	struct jfr_slot slots[JFR_SLOT_COUNT];
	struct placed placed = {.kind = kind};
	int r;

	jfr_layout_read(&adding->layouts, adding->classes[kind], fields, slots);
	if (bytes_reader_fault(fields) < 0)
		return damaged(adding, adding->classes[kind]);
	placed.field = slots[JFR_EVENT_WEIGHT].number;
	r = jfr_stack_get(&adding->stacks, slots[JFR_EVENT_STACK].number, &placed.stack);
	if (r == 0)
		r = get_series(adding, slots, &placed.series);
	if (r == 0 && kind == JFR_KIND_EXECUTION)
		return add_execution(adding, &placed, &slots[JFR_EVENT_STATE]);
	for (uint32_t i = 0; r == 0 && i < JFR_KIND_TYPE_COUNT; i++) {
		if (jfr_kinds[kind].types[i].measure != JFR_MEASURE_NONE)
			r = add_to_type(adding, &placed, i);
	}
	return r;
}

static int add_samples(struct adding *adding)
{
	struct bytes_reader events;
	struct jfr_event event;
	int r = 0;

	jfr_events_init(&events, &adding->jfr->chunk);
	while (r == 0 && jfr_event_next(&events, &event) == 1) {
		uint32_t kind = 0;

		while (kind < JFR_KIND_COUNT && adding->types[kind] != event.type)
			kind++;
		if (kind < JFR_KIND_COUNT && adding->classes[kind] != JFR_CLASS_NONE)
			r = add_sample(adding, kind, &event.fields);
	}
	return r;
}

/* ---- All of it ---- */

static int add_all(struct adding *adding)
{
	int r = jfr_pools_fill(&adding->pools, adding->fault);

	if (r == 0)
		r = open_kinds(adding);
	if (r == 0)
		r = read_settings(adding);
	if (r == 0)
		r = jfr_stacks_init(&adding->stacks, &adding->pools, adding->batch);
	if (r == 0)
		r = add_samples(adding);
	if (r == -E2BIG && adding->fault->text[0] == '\0') {
		return jfr_refuse(adding->fault, r, &adding->jfr->chunk,
			"more frames, stacks, threads, contexts or bytes of texts than one upload "
			"may have");
	}
	return r;
}

static void release(struct adding *adding)
{
	jfr_stacks_done(&adding->stacks);
	jfr_pools_done(&adding->pools);
	jfr_layouts_done(&adding->layouts);
	jfr_metadata_done(&adding->metadata);
	index_map_done(&adding->series_rows);
	free(adding->series);
	free(adding);
}

int jfr_add(struct jfr *jfr, struct ingest_batch *batch, struct ingest_fault *fault)
{
	struct adding *adding = calloc(1, sizeof(*adding));
	int r;

	if (!adding)
		return -ENOMEM;
	adding->jfr = jfr;
	adding->batch = batch;
	adding->fault = fault;
	fault->text[0] = '\0';
	index_map_init(&adding->series_rows, SERIES_COUNT_MAX);
	memcpy(adding->shapes, jfr_pool_shapes, sizeof(jfr_pool_shapes));
	memcpy(adding->shapes + JFR_POOL_COUNT, jfr_kind_shapes, sizeof(jfr_kind_shapes));
	jfr_pools_init(&adding->pools, &jfr->chunk, &adding->layouts);
	r = jfr_metadata_init(&adding->metadata, &jfr->chunk, fault);
	if (r == 0)
		r = jfr_layouts_init(
			&adding->layouts, &adding->metadata, adding->shapes, SHAPE_COUNT);
	if (r == 0)
		r = add_all(adding);
	release(adding);
	return r;
}
