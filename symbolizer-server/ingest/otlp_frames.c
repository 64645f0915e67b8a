/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/otlp_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As collectors call it, so that both are one module. */
static const char kernel_module[] = "[kernel]";

struct otlp_location {
	struct ingest_text bytes;
	uint64_t address;
	struct ingest_text mapping; /* the message; empty: none */
	enum frame_kind kind;
	bool is_kernel;
	bool has_lines;
};

int otlp_frames_init(struct otlp_frames *frames, const struct otlp_dictionary *dictionary,
	struct ingest_batch *batch)
{
	*frames = (struct otlp_frames){.dictionary = dictionary, .batch = batch};
	frames->stacks =
		calloc((size_t)dictionary->tables[OTLP_STACK].count + 1, sizeof(*frames->stacks));
	frames->frames = malloc((INGEST_DEPTH_MAX + 1) * sizeof(*frames->frames));
	if (frames->stacks && frames->frames)
		return 0;
	otlp_frames_done(frames);
	return -ENOMEM;
}

void otlp_frames_done(struct otlp_frames *frames)
{
	free(frames->stacks);
	free(frames->frames);
	*frames = (struct otlp_frames){.batch = NULL};
}

static void push(struct otlp_frames *frames, uint32_t frame)
{
	if (frames->frame_count <= INGEST_DEPTH_MAX)
		frames->frames[frames->frame_count++] = frame;
}

/* `profile.frame.type` -> kind. Code of other runtimes has names and nothing of ours besides. */
static void take_frame_type(struct ingest_text type, struct otlp_location *location)
{
	static const struct {
		const char *type;
		enum frame_kind kind;
	} kinds[] = {{"native", FRAME_NATIVE}, {"go", FRAME_NATIVE}, {"kernel", FRAME_KERNEL},
		{"cpython", FRAME_PYTHON}, {"jvm", FRAME_JVM}, {"luajit", FRAME_LUA}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (otlp_is(type, kinds[i].type))
			location->kind = kinds[i].kind;
	}
	location->is_kernel = location->kind == FRAME_KERNEL;
}

static void take_attributes(const struct otlp_frames *frames, const struct proto_field *field,
	struct otlp_location *location)
{
	struct proto_numbers numbers;
	struct otlp_attribute attribute;
	uint64_t row;

	proto_numbers_init(&numbers, field, PROTO_VARINT);
	while (proto_number_next(&numbers, &row)) {
		if (otlp_attribute_at(frames->dictionary, row, &attribute) &&
			otlp_is(attribute.key, "profile.frame.type"))
			take_frame_type(attribute.text, location);
	}
}

static void read_location(
	const struct otlp_frames *frames, uint64_t row, struct otlp_location *location)
{
	struct proto_message message;
	struct proto_field field;

	*location =
		(struct otlp_location){.bytes = otlp_row(frames->dictionary, OTLP_LOCATION, row),
			.mapping = {"", 0},
			.kind = FRAME_TEXT};
	proto_message_init(&message, location->bytes.text, location->bytes.length);
	while (proto_next(&message, &field)) {
		if (field.number == 1)
			location->mapping = otlp_row(frames->dictionary, OTLP_MAPPING, field.value);
		else if (field.number == 2)
			location->address = field.value;
		else if (field.number == 3)
			location->has_lines = true;
		else if (field.number == 4)
			take_attributes(frames, &field, location);
	}
}

/* ---- Mappings ---- */

static void take_build_id(const struct otlp_attribute *attribute, struct build_id *id)
{
	static const struct {
		const char *key;
		enum build_id_kind kind;
	} keys[] = {{"process.executable.build_id.gnu", BUILD_ID_GNU},
		{"process.executable.build_id.go", BUILD_ID_GO},
		{"process.executable.build_id.htlhash", BUILD_ID_HTL},
		{"process.executable.build_id.profiling", BUILD_ID_HTL}};
	struct build_id found;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		enum build_id_kind kind = keys[i].kind;

		if (!otlp_is(attribute->key, keys[i].key))
			continue;
		/* The order of the list is that of preference. */
		if (build_id_known(id) && id->kind <= (uint8_t)kind)
			return;
		if (kind == BUILD_ID_GO ? build_id_make(kind, attribute->text.text,
						  attribute->text.length, &found) < 0
					: build_id_parse(attribute->text.text,
						  attribute->text.length, &found) < 0)
			return;
		found.kind = (uint8_t)kind;
		*id = found;
	}
}

static void read_mapping(
	const struct otlp_frames *frames, struct ingest_text bytes, struct ingest_address *place)
{
	struct proto_message message;
	struct proto_field field;

	proto_message_init(&message, bytes.text, bytes.length);
	while (proto_next(&message, &field)) {
		struct proto_numbers numbers;
		struct otlp_attribute attribute;
		uint64_t row;

		if (field.number == 4)
			place->module = otlp_string(frames->dictionary, field.value);
		if (field.number != 5)
			continue;
		proto_numbers_init(&numbers, &field, PROTO_VARINT);
		while (proto_number_next(&numbers, &row)) {
			if (otlp_attribute_at(frames->dictionary, row, &attribute))
				take_build_id(&attribute, &place->id);
		}
	}
}

/* ---- Frames ---- */

static int add_line(struct otlp_frames *frames, const struct otlp_location *location,
	struct ingest_text module, const struct proto_field *from)
{
	struct ingest_name name = {.kind = location->kind, .module = module};
	struct ingest_text function = {"", 0};
	struct proto_message message;
	struct proto_field field;
	uint32_t frame;
	int r;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 1)
			function = otlp_row(frames->dictionary, OTLP_FUNCTION, field.value);
		else if (field.number == 2 && (int64_t)field.value > 0 && field.value <= INT32_MAX)
			name.line = (uint32_t)field.value;
	}
	proto_message_init(&message, function.text, function.length);
	while (proto_next(&message, &field)) {
		if (field.number == 1 || (field.number == 2 && name.function.length == 0))
			name.function = otlp_string(frames->dictionary, field.value);
		else if (field.number == 3)
			name.file = otlp_string(frames->dictionary, field.value);
	}
	r = ingest_batch_named(frames->batch, &name, &frame);
	if (r == 0)
		push(frames, frame);
	return r;
}

static int add_location(struct otlp_frames *frames, uint64_t row)
{
	struct otlp_location location;
	struct ingest_address place = {.module = {"", 0}};
	struct proto_message message;
	struct proto_field field;
	uint32_t frame;
	int r = 0;

	read_location(frames, row, &location);
	read_mapping(frames, location.mapping, &place);
	if (location.is_kernel)
		place.module = (struct ingest_text){kernel_module, sizeof(kernel_module) - 1};
	if (!location.has_lines) {
		place.address = location.address;
		place.is_kernel = location.is_kernel;
		r = ingest_batch_address(frames->batch, &place, &frame);
		if (r == 0)
			push(frames, frame);
		return r;
	}
	proto_message_init(&message, location.bytes.text, location.bytes.length);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number == 3)
			r = add_line(frames, &location, place.module, &field);
	}
	return r;
}

static int make_stack(struct otlp_frames *frames, uint64_t row, uint32_t *ret_stack)
{
	struct ingest_text bytes = otlp_row(frames->dictionary, OTLP_STACK, row);
	struct proto_message message;
	struct proto_field field;
	int r = 0;

	frames->frame_count = 0;
	proto_message_init(&message, bytes.text, bytes.length);
	while (r == 0 && proto_next(&message, &field)) {
		struct proto_numbers numbers;
		uint64_t location;

		if (field.number != 1)
			continue;
		proto_numbers_init(&numbers, &field, PROTO_VARINT);
		while (r == 0 && proto_number_next(&numbers, &location))
			r = add_location(frames, location);
	}
	return r < 0 ? r
		     : ingest_batch_stack_leaf_first(
			       frames->batch, frames->frames, frames->frame_count, ret_stack);
}

int otlp_frames_stack(struct otlp_frames *frames, uint64_t row, uint32_t *ret_stack)
{
	uint32_t stack;
	int r;

	if (row == 0 || row >= frames->dictionary->tables[OTLP_STACK].count) {
		frames->batch->drops.broken += row != 0;
		*ret_stack = STACK_EMPTY;
		return 0;
	}
	if (frames->stacks[row] == 0) {
		r = make_stack(frames, row, &stack);
		if (r < 0)
			return r;
		frames->stacks[row] = stack + 1;
	}
	*ret_stack = frames->stacks[row] - 1;
	return 0;
}
