/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_metadata.h"

#include <errno.h>

#include "tests/support/made_jfr.h"
#include "tests/support/torture.h"

static struct made_jfr made;
static struct jfr_chunk chunk;
static struct jfr_metadata metadata;
static struct ingest_fault fault;

static int read_made(void)
{
	chunk = (struct jfr_chunk){.number = 1,
		.bytes = {(const char *)made.bytes, made.length},
		.metadata_at = made.metadata_at};
	fault.text[0] = '\0';
	return jfr_metadata_init(&metadata, &chunk, &fault);
}

static void make(const struct made_jfr_class *classes, size_t count)
{
	made.length = 0;
	made_jfr_begin_chunk(&made);
	made_jfr_metadata(&made, classes, count);
	made_jfr_end_chunk(&made);
}

static void classes_have_their_fields_in_order(void)
{
	const struct jfr_class *class;
	const struct jfr_field *fields;

	make(made_jfr_classes, MADE_JFR_CLASS_COUNT);
	CHECK_EQ(read_made(), 0);
	CHECK_EQ(metadata.class_count, MADE_JFR_CLASS_COUNT);
	class = &metadata.classes[jfr_metadata_class(&metadata, MADE_STACK)];
	CHECK(jfr_text_is(class->name, "jdk.types.StackTrace"));
	CHECK_EQ(class->form, JFR_FORM_CLASS);
	CHECK_EQ(class->field_count, 2);
	fields = &metadata.fields[class->field_first];
	CHECK(jfr_text_is(fields[0].name, "truncated"));
	CHECK(!fields[0].is_array && !fields[0].is_constant);
	CHECK(jfr_text_is(fields[1].name, "frames"));
	CHECK(fields[1].is_array && !fields[1].is_constant);
	CHECK_EQ(fields[1].class_id, MADE_FRAME);
	class = &metadata.classes[jfr_metadata_class(&metadata, MADE_METHOD)];
	CHECK(metadata.fields[class->field_first].is_constant);
	CHECK_EQ(metadata.classes[jfr_metadata_class(&metadata, MADE_TEXT)].form, JFR_FORM_TEXT);
	CHECK_EQ(metadata.classes[jfr_metadata_class(&metadata, MADE_DOUBLE)].form,
		JFR_FORM_EIGHT_BYTES);
	CHECK_EQ(jfr_metadata_class(&metadata, 12345), JFR_CLASS_NONE);
	jfr_metadata_done(&metadata);
}

static void check_refused(const char *words)
{
	CHECK_EQ(read_made(), -EBADMSG);
	CHECK(strstr(fault.text, "metadata"));
	CHECK(strstr(fault.text, words));
}

static void two_classes_of_one_id_are_refused(void)
{
	static const struct made_jfr_class classes[] = {
		{7, "a", {{NULL, 0, false, false}}}, {7, "b", {{NULL, 0, false, false}}}};

	make(classes, 2);
	check_refused("one id");
}

static void what_is_cut_anywhere_is_refused(void)
{
	size_t length;

	make(made_jfr_classes, MADE_JFR_CLASS_COUNT);
	length = made.length;
	/* The event's size is made smaller with it, so that only its contents tell. */
	for (size_t cut = 1; cut < length - MADE_JFR_HEADER_BYTES - 8; cut += 7) {
		made.length = length - cut;
		made.event_at = MADE_JFR_HEADER_BYTES;
		made_jfr_end_event(&made);
		check_refused("");
	}
}

static void a_tree_that_is_too_deep_is_refused(void)
{
	made.length = 0;
	made_jfr_begin_chunk(&made);
	made.metadata_at = made.length;
	made_jfr_begin_event(&made, 0);
	made_jfr_numbers(&made, 1, 2, 3, 0);
	for (uint32_t i = 0; i <= JFR_ELEMENT_DEPTH_MAX; i++)
		made_jfr_numbers(&made, 0, 0, 1);
	made_jfr_numbers(&made, 0, 0, 0);
	made_jfr_end_event(&made);
	check_refused("nested");
}

static void something_else_at_its_place_is_refused(void)
{
	made.length = 0;
	made_jfr_begin_chunk(&made);
	made.metadata_at = made.length;
	made_jfr_event(&made, 1, 1, 2, 3);
	check_refused("something else");
}

static int read_tortured(void *context)
{
	int r = read_made();

	(void)context;
	if (r == 0)
		jfr_metadata_done(&metadata);
	return r;
}

static void out_of_memory_releases_all(void)
{
	make(made_jfr_classes, MADE_JFR_CLASS_COUNT);
	torture(read_tortured, NULL, 3);
}

int main(void)
{
	RUN(classes_have_their_fields_in_order);
	RUN(two_classes_of_one_id_are_refused);
	RUN(what_is_cut_anywhere_is_refused);
	RUN(a_tree_that_is_too_deep_is_refused);
	RUN(something_else_at_its_place_is_refused);
	RUN(out_of_memory_releases_all);
	return 0;
}
