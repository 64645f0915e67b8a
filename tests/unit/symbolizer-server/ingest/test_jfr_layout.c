/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_layout.h"

#include <errno.h>

#include "tests/support/jfr_fixture.h"

static struct made_jfr made, value;
static struct jfr_fixture fixture;
static struct bytes_reader reader;
static struct jfr_slot slots[JFR_SLOT_COUNT];

/* A class of the made recording with its layout. */
static uint32_t open_class(uint64_t id)
{
	uint32_t class_index;

	made.length = 0;
	made_jfr_chunk(&made);
	CHECK_EQ(jfr_fixture_init(&fixture, &made), 0);
	class_index = jfr_metadata_class(&fixture.metadata, id);
	CHECK_EQ(jfr_layout_make(&fixture.layouts, class_index, &fixture.fault), 0);
	return class_index;
}

static void read_value(uint32_t class_index)
{
	bytes_reader_init(&reader, value.bytes, value.length);
	jfr_layout_read(&fixture.layouts, class_index, &reader, slots);
}

static void asked_fields_go_into_slots(void)
{
	uint32_t thread = open_class(MADE_THREAD), stack;

	value.length = 0;
	made_jfr_text(&value, "java");
	made_jfr_number(&value, 77);
	made_jfr_text(&value, "main");
	read_value(thread);
	CHECK_EQ(bytes_left(&reader), 0);
	CHECK(jfr_layout_has_number(&fixture.layouts, thread, JFR_THREAD_OS_ID));
	CHECK(!jfr_layout_has_number(&fixture.layouts, thread, JFR_THREAD_OS_NAME));
	CHECK(!jfr_layout_has_number(&fixture.layouts, thread, JFR_SLOT_COUNT - 1));
	CHECK(slots[JFR_THREAD_OS_NAME].at == value.bytes);
	CHECK(slots[JFR_THREAD_JAVA_NAME].at == value.bytes + 7);
	CHECK_EQ(slots[JFR_THREAD_OS_ID].number, 77);
	stack = jfr_metadata_class(&fixture.metadata, MADE_STACK);
	CHECK_EQ(jfr_layout_make(&fixture.layouts, stack, &fixture.fault), 0);
	CHECK_EQ(jfr_layout_elements(&fixture.layouts, stack, JFR_STACK_FRAMES),
		jfr_metadata_class(&fixture.metadata, MADE_FRAME));
	CHECK_EQ(jfr_layout_elements(&fixture.layouts, stack, JFR_STACK_TRUNCATED), JFR_CLASS_NONE);
	value.length = 0;
	made_jfr_byte(&value, 1);
	made_jfr_numbers(&value, 1, 300, 2, 3, 4);
	read_value(stack);
	CHECK_EQ(bytes_left(&reader), 0);
	CHECK_EQ(slots[JFR_STACK_TRUNCATED].number, 1);
	CHECK(slots[JFR_STACK_FRAMES].at == value.bytes + 1);
	jfr_fixture_done(&fixture);
}

static void write_tree(uint64_t pairs)
{
	value.length = 0;
	made_jfr_bytes(&value, "xxxxyyyyyyyy", 12);
	made_jfr_number(&value, pairs);
	for (uint64_t i = 0; i < pairs && i < 3; i++)
		made_jfr_bytes(&value, "xxxxyyyyyyyy", 12);
	made_jfr_number(&value, 1);
	made_jfr_text(&value, "word");
	made_jfr_numbers(&value, 2, 1, 1u << 20);
	made_jfr_byte(&value, 1);
}

static void nested_values_are_passed_over(void)
{
	uint32_t tree = open_class(MADE_TREE);

	write_tree(3);
	read_value(tree);
	CHECK_EQ(bytes_reader_fault(&reader), 0);
	CHECK_EQ(bytes_left(&reader), 0);
	/* A count that cannot be is no loop. */
	write_tree(UINT64_MAX);
	read_value(tree);
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
	write_tree(3);
	for (size_t length = value.length - 1; length > 0; length--) {
		value.length = length;
		read_value(tree);
		CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
	}
	jfr_fixture_done(&fixture);
}

static int make_class(const struct made_jfr_class *classes, size_t count, uint64_t id)
{
	int r;

	made.length = 0;
	made_jfr_begin_chunk(&made);
	made_jfr_metadata(&made, classes, count);
	made_jfr_end_chunk(&made);
	CHECK_EQ(jfr_fixture_init(&fixture, &made), 0);
	r = jfr_layout_make(
		&fixture.layouts, jfr_metadata_class(&fixture.metadata, id), &fixture.fault);
	if (r < 0)
		jfr_fixture_done(&fixture);
	return r;
}

static void a_class_in_itself_is_refused(void)
{
	static const struct made_jfr_class within[] = {
		{1, "a", {{"b", 2, false, false}}}, {2, "b", {{"a", 1, false, false}}}};
	static const struct made_jfr_class missing[] = {{1, "a", {{"b", 2, false, false}}}};

	CHECK_EQ(make_class(within, 2, 1), -EBADMSG);
	CHECK(strstr(fixture.fault.text, "nested too deeply"));
	CHECK_EQ(make_class(missing, 1, 1), -EBADMSG);
	CHECK(strstr(fixture.fault.text, "field a.b"));
}

/* Eight classes, each twice the next: all of them would be many. */
static void what_grows_without_end_is_refused(void)
{
	static const struct made_jfr_class classes[] = {
#define WIDE(id, of)                                                                               \
	{                                                                                          \
		id, "wide" #id,                                                                    \
		{                                                                                  \
			{"a", of, false, false}, {"b", of, false, false}, {"c", of, false, false}, \
				{"d", of, false, false}, {"e", of, false, false},                  \
				{"f", of, false, false}, {"g", of, false, false},                  \
			{                                                                          \
				"h", of, false, false                                              \
			}                                                                          \
		}                                                                                  \
	}
		WIDE(1, 2), WIDE(2, 3), WIDE(3, 4), WIDE(4, 5), WIDE(5, 6), WIDE(6, 7), WIDE(7, 8),
		{8, "long", {{NULL, 0, false, false}}}};

	CHECK_EQ(make_class(classes, sizeof(classes) / sizeof(classes[0]), 1), -E2BIG);
	CHECK(strstr(fixture.fault.text, "too many fields"));
}

/* Arrays in arrays, of a class that holds itself; and elements that take no bytes. */
static void arrays_end_where_the_bytes_end(void)
{
	static const struct made_jfr_class classes[] = {
		{1, "tree", {{"children", 1, false, true}, {"nothing", 2, false, true}}},
		{2, "nothing", {{NULL, 0, false, false}}}};

	CHECK_EQ(make_class(classes, 2, 1), 0);
	value.length = 0;
	/* Two children, the first with one child; of each 3 times nothing. */
	made_jfr_numbers(&value, 2, 1, 0, 3, 3, 0, 3, 3);
	made_jfr_numbers(&value, 0, 0, 0, 0);
	read_value(jfr_metadata_class(&fixture.metadata, 1));
	CHECK_EQ(bytes_reader_fault(&reader), 0);
	CHECK_EQ(bytes_left(&reader), 4);
	/* Deeper than is looked at. */
	value.length = 0;
	for (int i = 0; i < 40; i++)
		made_jfr_number(&value, 1);
	read_value(jfr_metadata_class(&fixture.metadata, 1));
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
	jfr_fixture_done(&fixture);
}

int main(void)
{
	RUN(asked_fields_go_into_slots);
	RUN(nested_values_are_passed_over);
	RUN(a_class_in_itself_is_refused);
	RUN(what_grows_without_end_is_refused);
	RUN(arrays_end_where_the_bytes_end);
	return 0;
}
