/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   texts:     [0] "root" [1] "class" [2] "name" [3] "jdk.ExecutionSample" ...
 *   elements:  name, attributes {key, value}, children: root -> metadata -> class -> field
 *
 * Children follow their parent, so the tree is read in one go; a stack of how many children are left
 * on each level stands in for recursion.
 */
#include "symbolizer-server/ingest/jfr_metadata.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"
#include "symbolizer-server/ingest/jfr_value.h"

/* Attributes of an element that say something. */
struct element {
	struct ingest_text kind;
	struct ingest_text name;
	struct ingest_text id;
	struct ingest_text class_id;
	struct ingest_text dimension;
	struct ingest_text is_constant;
	uint32_t child_count;
};

struct reading {
	struct jfr_metadata *metadata;
	struct bytes_reader reader;
	struct ingest_fault *fault;
};

static const struct {
	const char *name;
	enum jfr_form form;
} primitives[] = {
	{"boolean", JFR_FORM_BYTE},
	{"byte", JFR_FORM_BYTE},
	{"char", JFR_FORM_NUMBER},
	{"short", JFR_FORM_NUMBER},
	{"int", JFR_FORM_NUMBER},
	{"long", JFR_FORM_NUMBER},
	{"float", JFR_FORM_FOUR_BYTES},
	{"double", JFR_FORM_EIGHT_BYTES},
	{"java.lang.String", JFR_FORM_TEXT},
};

static int refuse(const struct reading *reading, const char *what)
{
	return jfr_refuse(reading->fault, -EBADMSG, reading->metadata->chunk, "metadata: %s", what);
}

static int too_many(const struct reading *reading, const char *what, size_t count_max)
{
	return jfr_refuse(reading->fault, -E2BIG, reading->metadata->chunk,
		"metadata: more than %zu %s", count_max, what);
}

/* ---- Texts ---- */

static int read_text(struct reading *reading)
{
	struct jfr_metadata *metadata = reading->metadata;
	struct jfr_text text = jfr_text_read(&reading->reader);
	int r = grow_array(&metadata->texts, &metadata->text_capacity, metadata->text_count,
		JFR_METADATA_TEXT_COUNT_MAX);

	if (r == -E2BIG)
		return too_many(reading, "texts", JFR_METADATA_TEXT_COUNT_MAX);
	if (r == 0)
		r = jfr_text_utf8(
			&text, &metadata->texts_utf8, &metadata->texts[metadata->text_count]);
	if (r == 0)
		metadata->text_count++;
	return r == -E2BIG ? too_many(reading, "bytes of texts", JFR_TEXT_BYTES_MAX) : r;
}

static int read_texts(struct reading *reading)
{
	uint64_t count = jfr_number(&reading->reader);
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < count; i++) {
		r = read_text(reading);
		if (r == 0 && bytes_reader_fault(&reading->reader) < 0)
			r = refuse(reading, "its texts are damaged or cut off");
	}
	return r;
}

/* ---- Elements ---- */

static struct ingest_text text_at(const struct jfr_metadata *metadata, uint64_t index)
{
	return index < metadata->text_count ? metadata->texts[index] : (struct ingest_text){"", 0};
}

static void set_attribute(struct element *element, struct ingest_text key, struct ingest_text value)
{
	if (jfr_text_is(key, "name"))
		element->name = value;
	else if (jfr_text_is(key, "id"))
		element->id = value;
	else if (jfr_text_is(key, "class"))
		element->class_id = value;
	else if (jfr_text_is(key, "dimension"))
		element->dimension = value;
	else if (jfr_text_is(key, "constantPool"))
		element->is_constant = value;
}

static int read_element(struct reading *reading, struct element *ret_element)
{
	struct jfr_metadata *metadata = reading->metadata;
	struct bytes_reader *reader = &reading->reader;
	struct element element = {.kind = text_at(metadata, jfr_number(reader))};
	uint64_t attribute_count = jfr_number(reader), child_count;

	for (uint64_t i = 0; i < attribute_count && bytes_reader_fault(reader) == 0; i++) {
		struct ingest_text key = text_at(metadata, jfr_number(reader));

		set_attribute(&element, key, text_at(metadata, jfr_number(reader)));
	}
	child_count = jfr_number(reader);
	/* Each child takes bytes. */
	if (bytes_reader_fault(reader) < 0 || child_count > bytes_left(reader))
		return refuse(reading, "its tree is damaged or cut off");
	element.child_count = (uint32_t)child_count;
	*ret_element = element;
	return 0;
}

/* What a class is named by; 0 where it is not all digits. */
static uint64_t read_id(struct ingest_text text)
{
	uint64_t id = 0;

	for (size_t i = 0; i < text.length; i++) {
		if (text.text[i] < '0' || text.text[i] > '9')
			return 0;
		id = id * 10 + (uint64_t)(text.text[i] - '0');
	}
	return id;
}

static enum jfr_form form_of(struct ingest_text name)
{
	for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++) {
		if (jfr_text_is(name, primitives[i].name))
			return primitives[i].form;
	}
	return JFR_FORM_CLASS;
}

static int add_class(struct reading *reading, const struct element *element)
{
	struct jfr_metadata *metadata = reading->metadata;
	uint64_t id = read_id(element->id);
	int r = grow_array(&metadata->classes, &metadata->class_capacity, metadata->class_count,
		JFR_CLASS_COUNT_MAX);

	if (r == -E2BIG)
		return too_many(reading, "classes", JFR_CLASS_COUNT_MAX);
	if (r == 0 && jfr_metadata_class(metadata, id) != JFR_CLASS_NONE)
		return refuse(reading, "two classes have one id");
	if (r == 0)
		r = index_map_add(&metadata->ids, hash_pair(id, 0), metadata->class_count);
	if (r < 0)
		return r;
	metadata->classes[metadata->class_count++] = (struct jfr_class){.id = id,
		.name = element->name,
		.form = form_of(element->name),
		.field_first = metadata->field_count};
	return 0;
}

/* Of the class that came last. */
static int add_field(struct reading *reading, const struct element *element)
{
	struct jfr_metadata *metadata = reading->metadata;
	int r = grow_array(&metadata->fields, &metadata->field_capacity, metadata->field_count,
		JFR_FIELD_COUNT_MAX);

	if (r == -E2BIG)
		return too_many(reading, "fields", JFR_FIELD_COUNT_MAX);
	if (r < 0)
		return r;
	if (metadata->class_count == 0)
		return refuse(reading, "a field belongs to no class");
	metadata->fields[metadata->field_count++] = (struct jfr_field){.name = element->name,
		.class_id = read_id(element->class_id),
		.is_constant = jfr_text_is(element->is_constant, "true"),
		.is_array = element->dimension.length > 0 && !jfr_text_is(element->dimension, "0")};
	metadata->classes[metadata->class_count - 1].field_count++;
	return 0;
}

static int take_element(struct reading *reading, struct element *ret_element)
{
	int r = read_element(reading, ret_element);

	if (r == 0 && jfr_text_is(ret_element->kind, "class"))
		r = add_class(reading, ret_element);
	else if (r == 0 && jfr_text_is(ret_element->kind, "field"))
		r = add_field(reading, ret_element);
	return r;
}

static int read_tree(struct reading *reading)
{
	uint32_t left[JFR_ELEMENT_DEPTH_MAX] = {1}, depth = 1;
	struct element element = {.child_count = 0};
	int r = 0;

	while (r == 0 && depth > 0) {
		if (left[depth - 1] == 0) {
			depth--;
			continue;
		}
		left[depth - 1]--;
		r = take_element(reading, &element);
		if (r == 0 && element.child_count > 0 && depth == JFR_ELEMENT_DEPTH_MAX)
			r = refuse(reading, "its elements are nested too deeply");
		else if (r == 0 && element.child_count > 0)
			left[depth++] = element.child_count;
	}
	return r;
}

/* ---- All of it ---- */

static int read_all(struct reading *reading)
{
	const struct jfr_chunk *chunk = reading->metadata->chunk;
	struct bytes_reader events;
	struct jfr_event event;
	int r;

	bytes_reader_init(&events, chunk->bytes.text + chunk->metadata_at,
		chunk->bytes.length - chunk->metadata_at);
	if (jfr_event_next(&events, &event) != 1 || event.type != JFR_EVENT_METADATA)
		return refuse(reading, "what stands at its place is something else");
	reading->reader = event.fields;
	/* Start, duration, number. */
	jfr_skip_numbers(&reading->reader, 3);
	r = read_texts(reading);
	return r == 0 ? read_tree(reading) : r;
}

int jfr_metadata_init(
	struct jfr_metadata *metadata, const struct jfr_chunk *chunk, struct ingest_fault *fault)
{
	struct reading reading = {.metadata = metadata, .fault = fault};
	int r;

	*metadata = (struct jfr_metadata){.chunk = chunk};
	arena_init(&metadata->texts_utf8, JFR_TEXT_BYTES_MAX);
	index_map_init(&metadata->ids, JFR_CLASS_COUNT_MAX);
	r = read_all(&reading);
	if (r < 0)
		jfr_metadata_done(metadata);
	return r;
}

void jfr_metadata_done(struct jfr_metadata *metadata)
{
	arena_done(&metadata->texts_utf8);
	index_map_done(&metadata->ids);
	free(metadata->texts);
	free(metadata->classes);
	free(metadata->fields);
	*metadata = (struct jfr_metadata){.texts = NULL};
}

static bool has_id(const void *context, uint32_t index, const void *key)
{
	const struct jfr_class *classes = context;

	return classes[index].id == *(const uint64_t *)key;
}

uint32_t jfr_metadata_class(const struct jfr_metadata *metadata, uint64_t id)
{
	return index_map_find(&metadata->ids, hash_pair(id, 0), has_id, metadata->classes, &id);
}
