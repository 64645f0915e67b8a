/* SPDX-License-Identifier: Apache-2.0 */
/* JFR layout: how the values of one class are written, made ready to be read many times.
 *
 * What it is   the fields of a class as a list of steps, fields of fields included. Those that a
 *              reader asks for by name go into slots; the others are passed over. Numbers are read;
 *              of texts and arrays the place is kept, to be read when they are needed.
 * Ownership    owns its steps, borrows the metadata.
 * Threads      one owner.
 * Errors       those of ingest_fault.h where a layout is made; those of bytes_reader where it is read.
 */
#pragma once

#include "symbolizer-server/ingest/jfr_metadata.h"

/* Fields that are asked of one class; a last slot takes what nobody asks for. */
#define JFR_FIELD_SLOT_COUNT 5u
#define JFR_SLOT_COUNT (JFR_FIELD_SLOT_COUNT + 1)
#define JFR_SLOT_NONE JFR_FIELD_SLOT_COUNT
/* Fields of fields; JDK's have two. */
#define JFR_NESTING_MAX 8u
/* Steps of all layouts. A class within classes repeats the steps of its own. */
#define JFR_STEP_COUNT_MAX 1048576u

/* What is asked of a class: names of fields, the slot of each is its index. */
struct jfr_shape {
	const char *class_name;
	const char *fields[JFR_FIELD_SLOT_COUNT]; /* NULL behind the last */
};

struct jfr_step {
	uint8_t form; /* enum jfr_form; JFR_FORM_CLASS: elements of an array, never alone */
	uint8_t slot; /* or JFR_SLOT_NONE */
	bool is_array;
	uint32_t class_index; /* of elements */
};

struct jfr_layout {
	uint32_t step_first;
	uint32_t step_count;
	bool made;
	bool is_numbers; /* each step is one number */
};

struct jfr_layouts {
	const struct jfr_metadata *metadata;
	const struct jfr_shape *shapes;
	uint32_t shape_count;
	struct jfr_layout *layouts; /* one a class */
	struct jfr_step *steps;
	uint32_t step_count;
	uint32_t step_capacity;
};

struct jfr_slot {
	uint64_t number; /* of a number */
	const uint8_t *at; /* of a text or an array; NULL: it is neither */
};

/* What is asked of each class; a class without a shape is asked nothing. Both outlive the layouts. */
int jfr_layouts_init(struct jfr_layouts *layouts, const struct jfr_metadata *metadata,
	const struct jfr_shape *shapes, uint32_t shape_count);
void jfr_layouts_done(struct jfr_layouts *layouts);
/* Makes the layout of a class, and of those that its arrays hold, unless they are made already. */
int jfr_layout_make(struct jfr_layouts *layouts, uint32_t class_index, struct ingest_fault *fault);
/* Reads one value of a class whose layout is made; slots that it does not fill are 0. */
void jfr_layout_read(const struct jfr_layouts *layouts, uint32_t class_index,
	struct bytes_reader *reader, struct jfr_slot ret_slots[JFR_SLOT_COUNT]);
/* Whether a number fills SLOT. */
bool jfr_layout_has_number(const struct jfr_layouts *layouts, uint32_t class_index, uint8_t slot);
/* The class of the elements of the array in SLOT, or JFR_CLASS_NONE. */
uint32_t jfr_layout_elements(const struct jfr_layouts *layouts, uint32_t class_index, uint8_t slot);
