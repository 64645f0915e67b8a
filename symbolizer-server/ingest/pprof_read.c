/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   sample -> locations, leaf first -> frames of each, innermost first -> stack
 *          -> string labels         -> series
 *          -> values                -> a row in each column's type
 *
 * Frames of a location and the series of a set of labels are made once; most samples find both.
 */
#include "symbolizer-server/ingest/pprof_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/clock.h"
#include "store/profile/grow.h"
#include "symbolizer-server/ingest/pprof_table.h"
#include "symbolizer-server/ingest/pprof_type.h"

/* All inlined calls of one location; compilers stop far below. */
#define LINE_COUNT_MAX INGEST_DEPTH_MAX
/* Frames of all locations. */
#define FRAME_LIST_MAX (64u << 20)
/* What a clock showed in 1970 is no time, but a duration or a count. */
#define TIME_NS_MIN ((int64_t)365 * 24 * 3600 * (int64_t)NS_PER_S)

struct pprof {
	struct ingest_text bytes;
	struct pprof_tables tables;
};

/* Frames of one location, innermost first; count 0: not made yet. */
struct location_frames {
	uint32_t first;
	uint32_t count;
};

struct adding {
	const struct pprof_tables *tables;
	struct ingest_batch *batch;
	struct ingest_fault *fault;
	struct sample_table *columns[PPROF_TYPE_COUNT_MAX]; /* NULL: left out */
	struct location_frames *locations;
	uint32_t *frames; /* of all locations, one after the other */
	uint32_t frame_count;
	uint32_t frame_capacity;
	uint32_t *stack; /* of the sample at hand, leaf first */
	uint32_t stack_count;
	int64_t values[PPROF_TYPE_COUNT_MAX];
	uint32_t value_count;
};

int pprof_open(struct ingest_text bytes, struct pprof **ret_pprof, struct ingest_fault *fault)
{
	struct pprof *pprof = calloc(1, sizeof(*pprof));
	int r;

	if (!pprof)
		return -ENOMEM;
	pprof->bytes = bytes;
	r = pprof_tables_init(&pprof->tables, bytes, fault);
	if (r < 0) {
		free(pprof);
		return r;
	}
	*ret_pprof = pprof;
	return 0;
}

void pprof_free(struct pprof *pprof)
{
	if (!pprof)
		return;
	pprof_tables_done(&pprof->tables);
	free(pprof);
}

void pprof_window(const struct pprof *pprof, const struct pprof_options *options,
	uint64_t *ret_start_ns, uint64_t *ret_until_ns)
{
	const struct pprof_tables *tables = &pprof->tables;

	*ret_start_ns = options->start_ns;
	*ret_until_ns = options->until_ns;
	if (!options->own_time_first || tables->time_ns < TIME_NS_MIN)
		return;
	*ret_start_ns = (uint64_t)tables->time_ns;
	*ret_until_ns = (uint64_t)tables->time_ns;
	if (tables->duration_ns > 0 && tables->duration_ns < INT64_MAX - tables->time_ns)
		*ret_until_ns += (uint64_t)tables->duration_ns;
}

/* ---- Frames ---- */

static int keep_frame(struct adding *adding, uint32_t frame)
{
	int r = grow_array(
		&adding->frames, &adding->frame_capacity, adding->frame_count, FRAME_LIST_MAX);

	if (r == 0)
		adding->frames[adding->frame_count++] = frame;
	return r;
}

/* Hexadecimal is a GNU build-ID; what a Go linker wrote has slashes and goes by its text. */
static struct build_id read_build_id(struct ingest_text text)
{
	struct build_id id = {.byte_count = 0};

	if (text.length == 0 || build_id_parse(text.text, text.length, &id) == 0)
		return id;
	if (memchr(text.text, '/', text.length) && text.length <= BUILD_ID_BYTES_MAX)
		(void)build_id_make(BUILD_ID_GO, text.text, text.length, &id);
	return id;
}

static const struct pprof_mapping *mapping_of(
	const struct pprof_tables *tables, const struct pprof_location *location)
{
	uint32_t row = location->mapping > 0
		? pprof_ids_find(&tables->mapping_ids, location->mapping)
		: PPROF_NONE;

	return row == PPROF_NONE ? NULL : &tables->mappings[row];
}

/* Where a mapping has no start, its addresses are those of the file already; so is one that lies
 * outside of its mapping. */
static bool is_mapped(const struct pprof_mapping *mapping, uint64_t address)
{
	return mapping->start > 0 && address >= mapping->start &&
		(mapping->limit <= mapping->start || address < mapping->limit);
}

/* A location without lines: named here, by its build, as far as it can be. */
static int add_address(struct adding *adding, const struct pprof_location *location)
{
	const struct pprof_mapping *mapping = mapping_of(adding->tables, location);
	struct ingest_address place = {.address = location->address};
	uint32_t frame;
	int r;

	if (mapping) {
		place.id = read_build_id(pprof_string(adding->tables, mapping->build_id));
		place.module = pprof_string(adding->tables, mapping->file);
		place.in_file = is_mapped(mapping, location->address);
		if (place.in_file)
			place.address += mapping->file_offset - mapping->start;
	}
	r = ingest_batch_address(adding->batch, &place, &frame);
	return r < 0 ? r : keep_frame(adding, frame);
}

static int add_line(struct adding *adding, const struct pprof_location *location,
	const struct proto_field *from)
{
	const struct pprof_tables *tables = adding->tables;
	const struct pprof_mapping *mapping = mapping_of(tables, location);
	struct ingest_name name = {.kind = FRAME_TEXT};
	struct proto_message message;
	struct proto_field field;
	uint32_t function = PPROF_NONE, frame;
	int r;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 1)
			function = pprof_ids_find(&tables->function_ids, field.value);
		else if (field.number == 2 && (int64_t)field.value > 0 && field.value <= INT32_MAX)
			name.line = (uint32_t)field.value;
	}
	if (function == PPROF_NONE) {
		adding->batch->drops.broken++;
	} else {
		const struct pprof_function *row = &tables->functions[function];

		name.function = pprof_string(tables, row->name ? row->name : row->system_name);
		name.file = pprof_string(tables, row->file);
	}
	if (mapping)
		name.module = pprof_string(tables, mapping->file);
	r = ingest_batch_named(adding->batch, &name, &frame);
	return r < 0 ? r : keep_frame(adding, frame);
}

static int add_location(struct adding *adding, uint32_t row)
{
	const struct pprof_location *location = &adding->tables->locations[row];
	struct location_frames *frames = &adding->locations[row];
	struct proto_message message;
	struct proto_field field;
	uint32_t line_count = 0;
	int r = 0;

	frames->first = adding->frame_count;
	if (!location->has_lines)
		r = add_address(adding, location);
	proto_message_init(&message, location->bytes, location->byte_count);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number == 4 && line_count++ < LINE_COUNT_MAX)
			r = add_line(adding, location, &field);
	}
	frames->count = adding->frame_count - frames->first;
	return r;
}

/* Appends to the stack at hand; what is deeper than the batch keeps is of no use. */
static void push_frame(struct adding *adding, uint32_t frame)
{
	if (adding->stack_count <= INGEST_DEPTH_MAX)
		adding->stack[adding->stack_count++] = frame;
}

/* A location that is named and is not there: the sample keeps its weight and the rest of its stack. */
static int push_unknown(struct adding *adding)
{
	const struct ingest_name unknown = {.kind = FRAME_UNKNOWN};
	uint32_t frame;
	int r = ingest_batch_named(adding->batch, &unknown, &frame);

	adding->batch->drops.broken++;
	if (r == 0)
		push_frame(adding, frame);
	return r;
}

static int push_location(struct adding *adding, uint64_t id)
{
	uint32_t row = pprof_ids_find(&adding->tables->location_ids, id);
	struct location_frames *frames;
	int r = 0;

	if (row == PPROF_NONE)
		return push_unknown(adding);
	frames = &adding->locations[row];
	if (frames->count == 0)
		r = add_location(adding, row);
	for (uint32_t i = 0; r == 0 && i < frames->count; i++)
		push_frame(adding, adding->frames[frames->first + i]);
	return r;
}

/* ---- Samples ---- */

struct sample_labels {
	struct ingest_label labels[LABEL_COUNT_MAX];
	uint32_t count;
};

/* Ids of single requests would make a series each. */
static bool is_of_a_request(struct ingest_text key)
{
	static const char *const names[] = {"span_id", "trace_id", "profile_id"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == key.length && memcmp(names[i], key.text, key.length) == 0)
			return true;
	}
	return false;
}

static int read_label(
	struct adding *adding, const struct proto_field *from, struct sample_labels *labels)
{
	struct ingest_drops *drops = &adding->batch->drops;
	const struct pprof_tables *tables = adding->tables;
	uint64_t key = 0, text = 0;
	struct proto_message message;
	struct proto_field field;
	struct ingest_label label;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 1)
			key = field.value;
		else if (field.number == 2)
			text = field.value;
	}
	if (proto_fault(&message) < 0)
		return -EBADMSG;
	if ((key > 0 && key >= tables->string_count) ||
		(text > 0 && text >= tables->string_count)) {
		drops->broken++;
		return 0;
	}
	label = (struct ingest_label){
		pprof_string(tables, (uint32_t)key), pprof_string(tables, (uint32_t)text)};
	if (text == 0)
		drops->numbers_dropped++;
	else if (is_of_a_request(label.key) || labels->count == LABEL_COUNT_MAX)
		drops->labels_dropped++;
	else
		labels->labels[labels->count++] = label;
	return 0;
}

static int read_locations(struct adding *adding, const struct proto_field *field)
{
	struct proto_numbers numbers;
	uint64_t id;
	int r = 0;

	proto_numbers_init(&numbers, field, PROTO_VARINT);
	while (r == 0 && proto_number_next(&numbers, &id))
		r = push_location(adding, id);
	return r == 0 ? proto_numbers_fault(&numbers) : r;
}

static int read_values(struct adding *adding, const struct proto_field *field)
{
	struct proto_numbers numbers;
	uint64_t value;

	proto_numbers_init(&numbers, field, PROTO_VARINT);
	while (proto_number_next(&numbers, &value)) {
		if (adding->value_count == adding->tables->type_count) {
			/* Of no type: it means nothing. */
			adding->batch->drops.broken++;
			continue;
		}
		adding->values[adding->value_count++] = (int64_t)value;
	}
	return proto_numbers_fault(&numbers);
}

/* How many samples a row stands for: what a column of counts says, or what the period makes of the
 * value; one where nobody tells. */
static uint64_t sample_count(const struct adding *adding, uint32_t column)
{
	const struct pprof_tables *tables = adding->tables;
	const struct pprof_value_type *type = &tables->types[column];
	int64_t value = adding->values[column], count;

	for (uint32_t i = 0; i < tables->type_count; i++) {
		if (pprof_type_is_samples(tables, i) && adding->values[i] > 0)
			return (uint64_t)adding->values[i];
	}
	if (tables->period <= 0 || !pprof_type_is_period(tables, type))
		return 1;
	count = value / tables->period;
	return count > 0 ? (uint64_t)count : 1;
}

static int add_values(struct adding *adding, uint32_t stack, uint32_t series)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < adding->value_count; i++)
		r = ingest_batch_sample(adding->batch, adding->columns[i], stack, series,
			sample_count(adding, i), adding->values[i]);
	return r;
}

static int add_sample(struct adding *adding, const struct proto_field *from)
{
	struct sample_labels labels;
	struct proto_message message;
	struct proto_field field;
	uint32_t stack, series;
	int r = 0;

	labels.count = 0;
	adding->stack_count = 0;
	adding->value_count = 0;
	proto_message_init(&message, from->bytes, from->byte_count);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number == 1)
			r = read_locations(adding, &field);
		else if (field.number == 2)
			r = read_values(adding, &field);
		else if (field.number == 3)
			r = read_label(adding, &field, &labels);
	}
	if (r == 0)
		r = proto_fault(&message);
	if (r == -EBADMSG && adding->fault->text[0] == '\0')
		r = ingest_refuse(
			adding->fault, r, "the body was read as pprof: a sample is damaged");
	if (r == 0)
		r = ingest_batch_stack_leaf_first(
			adding->batch, adding->stack, adding->stack_count, &stack);
	if (r == 0)
		r = ingest_batch_series(adding->batch, labels.labels, labels.count, NULL, &series);
	return r == 0 ? add_values(adding, stack, series) : r;
}

static int add_columns(struct adding *adding, const struct pprof_options *options)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < adding->tables->type_count; i++) {
		char type[INGEST_TYPE_BYTES_MAX];

		pprof_type_write(adding->tables, options, i, type);
		r = ingest_batch_type(adding->batch, type, pprof_type_period(adding->tables, i),
			&adding->columns[i]);
	}
	return r;
}

int pprof_add(const struct pprof *pprof, const struct pprof_options *options,
	struct ingest_batch *batch, struct ingest_fault *fault)
{
	struct adding adding = {.tables = &pprof->tables, .batch = batch, .fault = fault};
	struct proto_message message;
	struct proto_field field;
	int r;

	fault->text[0] = '\0';
	adding.locations =
		calloc((size_t)pprof->tables.location_ids.count + 1, sizeof(*adding.locations));
	adding.stack = malloc((INGEST_DEPTH_MAX + 1) * sizeof(*adding.stack));
	r = adding.locations && adding.stack ? add_columns(&adding, options) : -ENOMEM;
	batch->drops.broken += pprof->tables.broken_count;
	proto_message_init(&message, pprof->bytes.text, pprof->bytes.length);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number == PPROF_SAMPLE)
			r = add_sample(&adding, &field);
	}
	free(adding.locations);
	free(adding.frames);
	free(adding.stack);
	return r;
}
