/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   class StackTrace { boolean truncated; StackFrame frames[]; }    class StackFrame { ... }
 *
 *   steps:  [byte, slot 0] [array of StackFrame, slot 1] | [number] [number] [number] [number]
 *
 * Every element of an array takes at least a byte (one without steps is not looked for), so reading
 * ends where the bytes end, however large a count claims to be.
 */
#include "symbolizer-server/ingest/jfr_layout.h"

#include <errno.h>
#include <stdlib.h>

#include "store/profile/grow.h"
#include "symbolizer-server/ingest/jfr_value.h"

/* A class whose fields are being made into steps. */
struct nesting {
	const struct jfr_class *class;
	uint32_t field;
	uint8_t slot; /* of what this class stands for */
};

int jfr_layouts_init(struct jfr_layouts *layouts, const struct jfr_metadata *metadata,
	const struct jfr_shape *shapes, uint32_t shape_count)
{
	*layouts = (struct jfr_layouts){
		.metadata = metadata, .shapes = shapes, .shape_count = shape_count};
	layouts->layouts = calloc((size_t)metadata->class_count + 1, sizeof(*layouts->layouts));
	return layouts->layouts ? 0 : -ENOMEM;
}

void jfr_layouts_done(struct jfr_layouts *layouts)
{
	free(layouts->layouts);
	free(layouts->steps);
	*layouts = (struct jfr_layouts){.steps = NULL};
}

/* ---- Making ---- */

static const struct jfr_shape *shape_of(
	const struct jfr_layouts *layouts, const struct jfr_class *class)
{
	for (uint32_t i = 0; i < layouts->shape_count; i++) {
		if (jfr_text_is(class->name, layouts->shapes[i].class_name))
			return &layouts->shapes[i];
	}
	return NULL;
}

static uint8_t slot_of(const struct jfr_shape *shape, struct ingest_text field)
{
	for (uint8_t i = 0; shape && i < JFR_FIELD_SLOT_COUNT && shape->fields[i]; i++) {
		if (jfr_text_is(field, shape->fields[i]))
			return i;
	}
	return JFR_SLOT_NONE;
}

static int add_step(struct jfr_layouts *layouts, const struct jfr_step *step,
	const struct jfr_class *class, struct ingest_fault *fault)
{
	int r = grow_array(
		&layouts->steps, &layouts->step_capacity, layouts->step_count, JFR_STEP_COUNT_MAX);

	if (r == -E2BIG) {
		return jfr_refuse(fault, r, layouts->metadata->chunk,
			"metadata: class %.*s: its fields have too many fields",
			(int)class->name.length, class->name.text);
	}
	if (r == 0)
		layouts->steps[layouts->step_count++] = *step;
	return r;
}

/* The step of a field that is no class of its own. */
static struct jfr_step step_of(const struct jfr_metadata *metadata, const struct jfr_field *field,
	uint32_t class_index, uint8_t slot)
{
	return (struct jfr_step){
		.form = (uint8_t)(field->is_constant ? JFR_FORM_NUMBER
						     : metadata->classes[class_index].form),
		.slot = slot,
		.is_array = field->is_array,
		.class_index = class_index};
}

static int bad_field(const struct jfr_layouts *layouts, const struct jfr_class *class,
	const struct jfr_field *field, const char *what, struct ingest_fault *fault)
{
	return jfr_refuse(fault, -EBADMSG, layouts->metadata->chunk, "metadata: field %.*s.%.*s %s",
		(int)class->name.length, class->name.text, (int)field->name.length,
		field->name.text, what);
}

/* The next field of the innermost class, or the end of that. */
static int make_field(struct jfr_layouts *layouts, const struct jfr_shape *shape,
	struct nesting *nesting, uint32_t *depth, struct ingest_fault *fault)
{
	const struct jfr_metadata *metadata = layouts->metadata;
	struct nesting *inner = &nesting[*depth - 1];
	const struct jfr_field *field;
	struct jfr_step step;
	uint32_t class_index;

	if (inner->field == inner->class->field_count) {
		--*depth;
		return 0;
	}
	field = &metadata->fields[inner->class->field_first + inner->field++];
	class_index = jfr_metadata_class(metadata, field->class_id);
	if (class_index == JFR_CLASS_NONE && !field->is_constant)
		return bad_field(
			layouts, inner->class, field, "is of a class that is not there", fault);
	if (class_index == JFR_CLASS_NONE)
		class_index = 0;
	step = step_of(metadata, field, class_index,
		*depth == 1 ? slot_of(shape, field->name) : inner->slot);
	if (step.form != JFR_FORM_CLASS || step.is_array)
		return add_step(layouts, &step, inner->class, fault);
	if (*depth == JFR_NESTING_MAX)
		return bad_field(layouts, inner->class, field, "is nested too deeply", fault);
	nesting[(*depth)++] = (struct nesting){&metadata->classes[class_index], 0, step.slot};
	return 0;
}

static void look_over(const struct jfr_layouts *layouts, struct jfr_layout *layout)
{
	layout->is_numbers = true;
	for (uint32_t i = 0; i < layout->step_count; i++) {
		const struct jfr_step *step = &layouts->steps[layout->step_first + i];

		if (step->form != JFR_FORM_NUMBER || step->is_array)
			layout->is_numbers = false;
	}
	layout->made = true;
}

static int make_one(struct jfr_layouts *layouts, uint32_t class_index, struct ingest_fault *fault)
{
	const struct jfr_class *class = &layouts->metadata->classes[class_index];
	const struct jfr_shape *shape = shape_of(layouts, class);
	struct nesting nesting[JFR_NESTING_MAX] = {{class, 0, JFR_SLOT_NONE}};
	struct jfr_layout layout = {.step_first = layouts->step_count};
	const struct jfr_step alone = {
		.form = (uint8_t) class->form, .slot = shape ? 0 : JFR_SLOT_NONE};
	uint32_t depth = 1;
	int r = 0;

	/* Texts and numbers have no fields: they are one. */
	if (class->form != JFR_FORM_CLASS)
		r = add_step(layouts, &alone, class, fault);
	while (r == 0 && depth > 0 && class->form == JFR_FORM_CLASS)
		r = make_field(layouts, shape, nesting, &depth, fault);
	if (r < 0)
		return r;
	layout.step_count = layouts->step_count - layout.step_first;
	look_over(layouts, &layout);
	layouts->layouts[class_index] = layout;
	return 0;
}

int jfr_layout_make(struct jfr_layouts *layouts, uint32_t class_index, struct ingest_fault *fault)
{
	uint32_t step = layouts->step_count;
	int r = 0;

	if (!layouts->layouts[class_index].made)
		r = make_one(layouts, class_index, fault);
	/* Steps behind this one may ask for classes whose steps come behind them. */
	for (; r == 0 && step < layouts->step_count; step++) {
		const struct jfr_step *at = &layouts->steps[step];

		if (at->form == JFR_FORM_CLASS && !layouts->layouts[at->class_index].made)
			r = make_one(layouts, at->class_index, fault);
	}
	return r;
}

bool jfr_layout_has_number(const struct jfr_layouts *layouts, uint32_t class_index, uint8_t slot)
{
	const struct jfr_layout *layout = &layouts->layouts[class_index];

	for (uint32_t i = 0; i < layout->step_count; i++) {
		const struct jfr_step *step = &layouts->steps[layout->step_first + i];

		if (step->slot == slot)
			return step->form == JFR_FORM_NUMBER && !step->is_array;
	}
	return false;
}

uint32_t jfr_layout_elements(const struct jfr_layouts *layouts, uint32_t class_index, uint8_t slot)
{
	const struct jfr_layout *layout = &layouts->layouts[class_index];

	for (uint32_t i = 0; i < layout->step_count; i++) {
		const struct jfr_step *step = &layouts->steps[layout->step_first + i];

		if (step->slot == slot && step->is_array && step->form == JFR_FORM_CLASS)
			return step->class_index;
	}
	return JFR_CLASS_NONE;
}

/* ---- Reading ---- */

/* Elements of an array that are being passed over. */
struct level {
	const struct jfr_layout *layout;
	uint32_t step;
	uint64_t left;
};

static void refuse(struct bytes_reader *reader)
{
	bytes_reader_refuse(reader);
	reader->at = reader->end;
}

static void read_single(struct bytes_reader *reader, enum jfr_form form, struct jfr_slot *slot)
{
	const uint8_t *at = reader->at;

	switch (form) {
	case JFR_FORM_CLASS:
		break;
	case JFR_FORM_NUMBER:
		slot->number = jfr_number(reader);
		break;
	case JFR_FORM_BYTE:
		slot->number = bytes_read_u8(reader);
		break;
	case JFR_FORM_FOUR_BYTES:
		(void)bytes_read_span(reader, 4);
		break;
	case JFR_FORM_EIGHT_BYTES:
		(void)bytes_read_span(reader, 8);
		break;
	case JFR_FORM_TEXT:
		(void)jfr_text_read(reader);
		slot->at = at;
		break;
	}
}

/* Passes over COUNT elements that are no classes. */
static void skip_singles(struct bytes_reader *reader, enum jfr_form form, uint64_t count)
{
	struct jfr_slot none;

	if (form == JFR_FORM_NUMBER) {
		jfr_skip_numbers(reader, count);
		return;
	}
	for (; count > 0 && bytes_reader_fault(reader) == 0; count--)
		read_single(reader, form, &none);
}

/* Passes over an array, or begins to: then LEVEL is what its elements are. */
static bool enter_array(const struct jfr_layouts *layouts, const struct jfr_step *step,
	struct bytes_reader *reader, struct level *level)
{
	uint64_t count = jfr_number(reader);
	const struct jfr_layout *layout = &layouts->layouts[step->class_index];

	if (count > bytes_left(reader)) {
		refuse(reader);
		return false;
	}
	if (step->form != JFR_FORM_CLASS) {
		skip_singles(reader, (enum jfr_form)step->form, count);
		return false;
	}
	if (layout->is_numbers) {
		jfr_skip_numbers(reader, count * layout->step_count);
		return false;
	}
	*level = (struct level){layout, 0, count};
	return count > 0 && layout->step_count > 0;
}

static void skip_levels(const struct jfr_layouts *layouts, struct bytes_reader *reader,
	struct level levels[JFR_NESTING_MAX])
{
	struct jfr_slot none;
	uint32_t depth = 1;

	while (depth > 0 && bytes_reader_fault(reader) == 0) {
		struct level *level = &levels[depth - 1];
		const struct jfr_step *step;

		if (level->step == level->layout->step_count) {
			level->step = 0;
			level->left--;
		}
		if (level->left == 0) {
			depth--;
			continue;
		}
		step = &layouts->steps[level->layout->step_first + level->step++];
		if (!step->is_array)
			read_single(reader, (enum jfr_form)step->form, &none);
		else if (depth == JFR_NESTING_MAX)
			refuse(reader);
		else if (enter_array(layouts, step, reader, &levels[depth]))
			depth++;
	}
}

void jfr_layout_read(const struct jfr_layouts *layouts, uint32_t class_index,
	struct bytes_reader *reader, struct jfr_slot ret_slots[JFR_SLOT_COUNT])
{
	const struct jfr_layout *layout = &layouts->layouts[class_index];
	struct level levels[JFR_NESTING_MAX];

	memset(ret_slots, 0, JFR_SLOT_COUNT * sizeof(*ret_slots));
	for (uint32_t i = 0; i < layout->step_count; i++) {
		const struct jfr_step *step = &layouts->steps[layout->step_first + i];
		struct jfr_slot *slot = &ret_slots[step->slot];

		if (layout->is_numbers) {
			slot->number = jfr_number(reader);
			continue;
		}
		if (!step->is_array) {
			read_single(reader, (enum jfr_form)step->form, slot);
			continue;
		}
		slot->at = reader->at;
		if (enter_array(layouts, step, reader, &levels[0]))
			skip_levels(layouts, reader, levels);
	}
}
