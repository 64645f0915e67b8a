/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_head.h"

#include <errno.h>

#include "tests/support/check.h"

static uint32_t text(struct segment_head *head, const char *words)
{
	uint32_t place;

	CHECK_EQ(profile_add_text(head->labels, words, &place), 0);
	return place;
}

static uint32_t type_of(struct segment_head *head, const char *name, int64_t period, bool slots)
{
	struct segment_type type = {text(head, name), period, slots};
	uint32_t place;

	CHECK_EQ(segment_head_type(head, &type, &place), 0);
	return place;
}

static void fill(struct segment_head *head)
{
	struct segment_section rows = {
		.kind = SEGMENT_SECTION_ROWS, .hour = 10, .hour_count = 1, .until_ns = 77};
	struct segment_section dictionary = {.kind = SEGMENT_SECTION_DICTIONARY, .ref = {1, 2, 3}};
	struct label label;
	uint32_t set;

	CHECK_EQ(segment_head_init(head), 0);
	label = (struct label){text(head, "host"), text(head, "a")};
	CHECK_EQ(
		label_table_add(&head->labels->labels, &head->labels->strings, &label, 1, &set), 0);
	type_of(head, "one", 5, true);
	type_of(head, "one", -5, false);
	for (uint64_t i = 0; i < 3; i++) {
		struct segment_series_entry series = {.type = text(head, "one"),
			.labels = set,
			.from_ns = 100 - i,
			.until_ns = 200 + i,
			.sample_count = 4};

		CHECK_EQ(segment_head_note(head, &series), 0);
	}
	CHECK_EQ(segment_head_add_section(head, &rows), 0);
	CHECK_EQ(segment_head_add_section(head, &dictionary), 0);
	head->stack_count = 9;
	head->text_count = 8;
}

static int again(const struct segment_head *head, struct segment_head *ret_head)
{
	struct bytes_writer writer;
	struct bytes_reader reader;
	int r;

	bytes_writer_init(&writer, 100000);
	segment_head_write(&writer, head);
	CHECK_EQ(bytes_writer_fault(&writer), 0);
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	CHECK_EQ(segment_head_init(ret_head), 0);
	r = segment_head_read(&reader, ret_head);
	bytes_writer_done(&writer);
	return r;
}

static void a_head_comes_back(void)
{
	struct segment_head head, read;

	fill(&head);
	CHECK_EQ(again(&head, &read), 0);
	CHECK_EQ(read.stack_count, 9);
	CHECK_EQ(read.text_count, 8);
	CHECK_EQ(read.labels->labels.count, 2);
	CHECK_EQ(read.type_count, 2);
	CHECK_EQ(read.types[1].period, -5);
	CHECK(read.types[0].has_slots && !read.types[1].has_slots);
	CHECK_EQ(read.series_count, 1);
	CHECK_EQ(read.series[0].from_ns, 98);
	CHECK_EQ(read.series[0].until_ns, 202);
	CHECK_EQ(read.series[0].sample_count, 12);
	CHECK_EQ(read.section_count, 2);
	CHECK_EQ(read.sections[0].hour, 10);
	CHECK_EQ(read.sections[0].until_ns, 77);
	CHECK_EQ(read.sections[1].hour, 0);
	CHECK_EQ(read.sections[1].ref.checksum, 3);
	segment_head_done(&head);
	segment_head_done(&read);
}

static void what_names_nothing_is_refused(void)
{
	struct segment_head head, read;

	fill(&head);
	head.series[0].labels = 2;
	CHECK_EQ(again(&head, &read), -EBADMSG);
	segment_head_done(&read);
	head.series[0].labels = 1;
	head.types[0].name = head.labels->strings.count;
	CHECK_EQ(again(&head, &read), -EBADMSG);
	segment_head_done(&read);
	head.types[0].name = 0;
	head.sections[0].hour = UINT64_MAX;
	CHECK_EQ(again(&head, &read), -EBADMSG);
	segment_head_done(&read);
	segment_head_done(&head);
}

static void too_many_periods_are_one_that_varies(void)
{
	struct segment_head head;
	uint32_t last = 0;

	CHECK_EQ(segment_head_init(&head), 0);
	for (int64_t period = 1; period <= 100; period++)
		last = type_of(&head, "one", period, true);
	CHECK_EQ(head.type_count, SEGMENT_PERIOD_COUNT_MAX + 1);
	CHECK_EQ(head.types[last].period, 0);
	CHECK_EQ(head.types[type_of(&head, "one", 3, true)].period, 3);
	CHECK_EQ(head.types[type_of(&head, "two", 200, true)].period, 200);
	segment_head_done(&head);
}

static void slots_make_no_difference_to_sums(void)
{
	struct segment_head head;
	uint32_t with, without, other;

	CHECK_EQ(segment_head_init(&head), 0);
	with = type_of(&head, "one", 3, true);
	other = type_of(&head, "one", 4, false);
	without = type_of(&head, "one", 3, false);
	CHECK(with != without);
	CHECK_EQ(segment_head_sum_type(&head, with), with);
	CHECK_EQ(segment_head_sum_type(&head, without), with);
	CHECK_EQ(segment_head_sum_type(&head, other), other);
	segment_head_done(&head);
}

int main(void)
{
	RUN(a_head_comes_back);
	RUN(what_names_nothing_is_refused);
	RUN(too_many_periods_are_one_that_varies);
	RUN(slots_make_no_difference_to_sums);
	return 0;
}
