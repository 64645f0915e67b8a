/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   shared.frames -> frames of the batch, once
 *   profiles[i]   -> thread; unit -> type, factor
 *     sampled:  samples[j], weights[j]      -> a stack and its value
 *     evented:  O(pen), C(lose) at a time   -> the open frames, until the next event
 */
#include "symbolizer-server/ingest/speedscope_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/clock.h"
#include "store/profile/grow.h"
#include "symbolizer-server/ingest/profile_list.h"
#include "symbolizer-server/ingest/text_type.h"

/* Frames that are open at a time. */
#define OPEN_COUNT_MAX (1u << 20)
/* Larger values are no measurement; smaller ones are exact in 63 bits. */
#define VALUE_MAX 4e18
/* Of one name, with its escapes resolved. */
#define TEXT_BYTES_MAX ((size_t)1 << 20)

struct adding {
	const struct speedscope_options *options;
	struct ingest_batch *batch;
	struct ingest_fault *fault;
	struct bytes_writer scratch;
	uint32_t *frames; /* of the file, as the batch's */
	uint64_t frame_count;
	uint32_t unknown; /* the frame for those that are not there */
	uint32_t *open; /* root first */
	uint32_t open_count;
	uint32_t open_capacity;
};

/* One profile of the file. */
struct part {
	struct json_view json;
	uint64_t number; /* from 1, for people */
	struct sample_table *table;
	uint32_t series;
	double factor; /* makes a value one of the type */
	double carry; /* what was rounded off so far */
	bool counts; /* values are samples */
};

static const struct unit {
	const char *name;
	double ns; /* 0: no time */
} units[] = {
	{"nanoseconds", 1},
	{"microseconds", 1e3},
	{"milliseconds", 1e6},
	{"seconds", 1e9},
	{"bytes", 0},
	{"none", 0},
};

static const struct unit *find_unit(struct json_view profile)
{
	struct json_view unit = json_view_member(profile, "unit");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (json_view_is(unit, units[i].name))
			return &units[i];
	}
	return NULL;
}

bool speedscope_is(struct json_view json)
{
	return json_view_kind(json_view_member(json, "profiles")) == JSON_ARRAY &&
		json_view_kind(json_view_member(json, "shared")) == JSON_OBJECT;
}

int speedscope_open(struct json_view json, struct speedscope *ret_file, struct ingest_fault *fault)
{
	struct speedscope file = {
		.frames = json_view_member(json_view_member(json, "shared"), "frames"),
		.profiles = json_view_member(json, "profiles"),
	};

	if (json_view_kind(file.profiles) != JSON_ARRAY ||
		json_view_kind(file.frames) != JSON_ARRAY) {
		return ingest_refuse(fault, -EBADMSG,
			"the body was read as speedscope: it lacks the lists `profiles` and "
			"`shared.frames`");
	}
	if (json_view_count(file.profiles) > SPEEDSCOPE_PROFILE_COUNT_MAX) {
		return ingest_refuse(fault, -E2BIG, "a speedscope file of more than %u profiles",
			SPEEDSCOPE_PROFILE_COUNT_MAX);
	}
	*ret_file = file;
	return 0;
}

uint64_t speedscope_duration_ns(const struct speedscope *file)
{
	const double longest = (double)PROFILE_WINDOW_NS_MAX * (double)(PROFILE_LIST_COUNT_MAX - 1);
	struct json_walk walk;
	struct json_view profile;
	double duration = 0;

	json_view_walk(&walk, file->profiles);
	while (json_view_next(&walk, NULL, &profile)) {
		const struct unit *unit = find_unit(profile);
		double first, last;

		if (unit && json_view_number(json_view_member(profile, "startValue"), &first) &&
			json_view_number(json_view_member(profile, "endValue"), &last) &&
			(last - first) * unit->ns > duration)
			duration = (last - first) * unit->ns;
	}
	/* Some give the epoch as the end of what began at 0. */
	return duration < longest ? (uint64_t)duration : 0;
}

/* ---- Frames ---- */

static int add_frame(struct adding *adding, struct json_view json, uint32_t *ret_frame)
{
	struct ingest_name name = {.kind = FRAME_TEXT};
	struct bytes_writer file;
	uint64_t line;
	int r;

	bytes_writer_init(&file, TEXT_BYTES_MAX);
	name.function = json_view_text(json_view_member(json, "name"), &adding->scratch);
	name.file = json_view_text(json_view_member(json, "file"), &file);
	if (json_view_index(json_view_member(json, "line"), &line) && line <= INT32_MAX)
		name.line = (uint32_t)line;
	r = bytes_writer_fault(&adding->scratch);
	if (r == 0)
		r = bytes_writer_fault(&file);
	if (r == 0)
		r = ingest_batch_named(adding->batch, &name, ret_frame);
	bytes_writer_done(&file);
	if (r == -EFBIG) {
		return ingest_refuse(adding->fault, -E2BIG,
			"a name of a frame is longer than %zu bytes", TEXT_BYTES_MAX);
	}
	return r;
}

static int add_frames(struct adding *adding, struct json_view frames)
{
	const struct ingest_name unknown = {.kind = FRAME_UNKNOWN};
	struct json_walk walk;
	struct json_view frame;
	int r = ingest_batch_named(adding->batch, &unknown, &adding->unknown);

	/* One more than needed, so that none is no special case. */
	adding->frames = malloc((json_view_count(frames) + 1) * sizeof(*adding->frames));
	if (!adding->frames)
		return -ENOMEM;
	json_view_walk(&walk, frames);
	while (r == 0 && json_view_next(&walk, NULL, &frame))
		r = add_frame(adding, frame, &adding->frames[adding->frame_count++]);
	return r;
}

static uint32_t frame_at(struct adding *adding, struct json_view number)
{
	uint64_t index;

	if (json_view_index(number, &index) && index < adding->frame_count)
		return adding->frames[index];
	adding->batch->drops.broken++;
	return adding->unknown;
}

/* ---- Values ---- */

static int refuse(const struct adding *adding, const struct part *part, const char *what)
{
	return ingest_refuse(adding->fault, -EBADMSG,
		"the body was read as speedscope: profile %llu: %s",
		(unsigned long long)part->number, what);
}

/* NUMBER in whole units of the type; what is rounded off is carried on. */
static bool weigh(struct part *part, double number, int64_t *ret_value)
{
	double value = number * part->factor + part->carry;

	/* Not a number is neither. */
	if (!(value > -VALUE_MAX && value < VALUE_MAX))
		return false;
	*ret_value = value < 0 ? -(int64_t)(0.5 - value) : (int64_t)(value + 0.5);
	part->carry = value - (double)*ret_value;
	return true;
}

static int add_value(
	const struct adding *adding, const struct part *part, uint32_t stack, int64_t value)
{
	uint64_t count = 1;

	/* Samples that a rate made time. */
	if (part->counts && value > (int64_t)part->factor)
		count = (uint64_t)((double)value / part->factor + 0.5);
	return ingest_batch_sample(adding->batch, part->table, stack, part->series, count, value);
}

/* ---- Samples ---- */

static int read_stack(struct adding *adding, struct json_view sample, uint32_t *ret_stack)
{
	uint32_t frames[INGEST_DEPTH_MAX + 1];
	uint64_t count = json_view_count(sample);
	struct json_walk walk;
	struct json_view number;
	uint32_t kept = 0;

	json_view_walk(&walk, sample);
	/* One more than is kept tells the batch that it was cut. */
	for (; json_view_next(&walk, NULL, &number); count--) {
		if (count <= INGEST_DEPTH_MAX + 1)
			frames[kept++] = frame_at(adding, number);
	}
	return ingest_batch_stack_root_first(adding->batch, frames, kept, ret_stack);
}

static int add_sampled(struct adding *adding, struct part *part)
{
	struct json_walk samples, weights;
	struct json_view sample, number;
	int r = 0;

	json_view_walk(&samples, json_view_member(part->json, "samples"));
	json_view_walk(&weights, json_view_member(part->json, "weights"));
	while (r == 0 && json_view_next(&samples, NULL, &sample)) {
		uint32_t stack;
		double weight;
		int64_t value;

		if (!json_view_next(&weights, NULL, &number))
			return refuse(adding, part, "it has fewer weights than samples");
		if (!json_view_number(number, &weight) || !weigh(part, weight, &value))
			return refuse(adding, part, "a weight is no number of at most 62 bits");
		r = read_stack(adding, sample, &stack);
		if (r == 0)
			r = add_value(adding, part, stack, value);
	}
	if (r == 0 && json_view_next(&weights, NULL, &number))
		return refuse(adding, part, "it has more weights than samples");
	return r;
}

/* ---- Events ---- */

/* What passed since the last event, for the frames that were open. */
static int add_open(struct adding *adding, struct part *part, double since)
{
	uint32_t stack;
	int64_t value;
	int r;

	if (since < 0)
		return refuse(adding, part, "its events go back in time");
	if (adding->open_count == 0 || since == 0)
		return 0;
	if (!weigh(part, since, &value))
		return refuse(adding, part, "a time is no number of at most 62 bits");
	r = ingest_batch_stack_root_first(adding->batch, adding->open, adding->open_count, &stack);
	return r < 0 ? r : add_value(adding, part, stack, value);
}

static int take_event(struct adding *adding, const struct part *part, struct json_view event)
{
	uint32_t frame = frame_at(adding, json_view_member(event, "frame"));
	struct json_view type = json_view_member(event, "type");
	int r;

	if (json_view_is(type, "O")) {
		r = grow_array(
			&adding->open, &adding->open_capacity, adding->open_count, OPEN_COUNT_MAX);
		if (r == -E2BIG) {
			return ingest_refuse(adding->fault, r,
				"more than %u frames are open at a time", OPEN_COUNT_MAX);
		}
		if (r == 0)
			adding->open[adding->open_count++] = frame;
		return r;
	}
	if (!json_view_is(type, "C"))
		return refuse(adding, part, "an event is neither O (open) nor C (close)");
	if (adding->open_count == 0 || adding->open[adding->open_count - 1] != frame)
		return refuse(adding, part, "an event closes a frame that is not the innermost");
	adding->open_count--;
	return 0;
}

static int add_evented(struct adding *adding, struct part *part)
{
	struct json_walk events;
	struct json_view event;
	double last = 0, at = 0, end;
	bool first = true;
	int r = 0;

	adding->open_count = 0;
	json_view_walk(&events, json_view_member(part->json, "events"));
	while (r == 0 && json_view_next(&events, NULL, &event)) {
		if (!json_view_number(json_view_member(event, "at"), &at))
			return refuse(adding, part, "an event has no time `at`");
		r = add_open(adding, part, first ? 0 : at - last);
		if (r == 0)
			r = take_event(adding, part, event);
		last = at;
		first = false;
	}
	/* What nothing closes lasts until the end. */
	if (r == 0 && json_view_number(json_view_member(part->json, "endValue"), &end) &&
		end > last)
		r = add_open(adding, part, end - last);
	return r;
}

/* ---- Profiles ---- */

/* What its values are. */
static int open_type(struct adding *adding, struct part *part)
{
	const struct speedscope_options *options = adding->options;
	const struct unit *unit = find_unit(part->json);
	struct text_type type;

	if (!unit) {
		return refuse(adding, part,
			"its unit is none of nanoseconds, microseconds, milliseconds, seconds, "
			"bytes, none");
	}
	if (unit->ns > 0) {
		type = text_type_in(options->app, "nanoseconds");
		part->factor = unit->ns;
	} else if (strcmp(unit->name, "bytes") == 0) {
		type = text_type_in(options->app, "bytes");
		part->factor = 1;
	} else {
		type = text_type_of(options->app, options->units, options->rate);
		part->factor = (double)type.period;
		part->counts = type.period > 1;
	}
	return ingest_batch_type(
		adding->batch, type.type, type.period > 1 ? type.period : 0, &part->table);
}

static int add_profile(struct adding *adding, struct part *part)
{
	struct json_view type = json_view_member(part->json, "type");
	struct thread thread = {0};
	int r = open_type(adding, part);

	if (r == 0) {
		r = ingest_batch_text(adding->batch,
			json_view_text(json_view_member(part->json, "name"), &adding->scratch),
			&thread.name);
	}
	if (r == 0)
		r = ingest_batch_series(adding->batch, NULL, 0, &thread, &part->series);
	if (r < 0)
		return r;
	if (json_view_is(type, "sampled"))
		return add_sampled(adding, part);
	if (json_view_is(type, "evented"))
		return add_evented(adding, part);
	return refuse(adding, part, "its type is neither sampled nor evented");
}

int speedscope_add(const struct speedscope *file, const struct speedscope_options *options,
	struct ingest_batch *batch, struct ingest_fault *fault)
{
	struct adding adding = {.options = options, .batch = batch, .fault = fault};
	struct part part = {.number = 1};
	struct json_walk walk;
	int r;

	bytes_writer_init(&adding.scratch, TEXT_BYTES_MAX);
	r = add_frames(&adding, file->frames);
	json_view_walk(&walk, file->profiles);
	while (r == 0 && json_view_next(&walk, NULL, &part.json)) {
		r = add_profile(&adding, &part);
		part = (struct part){.number = part.number + 1};
	}
	free(adding.frames);
	free(adding.open);
	bytes_writer_done(&adding.scratch);
	return r;
}
