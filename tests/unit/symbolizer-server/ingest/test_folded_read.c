/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/folded_read.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"

#define CPU PROFILE_TYPE_ON_CPU

static struct ingest_batch batch;
static struct ingest_fault fault;

static struct text_target begin(int64_t period)
{
	struct text_target target = {.period = period};

	CHECK_EQ(ingest_batch_init(&batch, INGEST_START_NS, INGEST_UNTIL_NS), 0);
	CHECK_EQ(ingest_batch_type(&batch, CPU, period, &target.table), 0);
	CHECK_EQ(ingest_batch_series(&batch, NULL, 0, NULL, &target.series), 0);
	return target;
}

static struct ingest_text text_of(const char *text)
{
	return (struct ingest_text){text, strlen(text)};
}

static const char *lines_of(const char *text, int64_t period)
{
	struct text_target target = begin(period);

	CHECK_EQ(folded_read(&batch, &target, text_of(text), &fault), 0);
	return ingest_batch_lines(&batch);
}

static void refuse(const char *text, const char *part)
{
	struct text_target target = begin(1);

	CHECK_EQ(folded_read(&batch, &target, text_of(text), &fault), -EBADMSG);
	CHECK(strstr(fault.text, part));
	ingest_batch_done(&batch);
}

static void stacks_have_values(void)
{
	CHECK_STR(lines_of("main;a 30\nmain;b 10\nmain;a 3\n", 10),
		CPU "{} main;a 33 330\n" CPU "{} main;b 10 100\n");
}

static void names_keep_their_blanks_and_frames_lose_theirs(void)
{
	CHECK_STR(lines_of("int Busy.level(int); operator new 5\r\n", 1),
		CPU "{} int Busy.level(int);operator new 1 5\n");
	CHECK_STR(lines_of("a;;b; \t2\n\n", 1), CPU "{} a;b 1 2\n");
}

static void a_line_without_a_value_is_passed_over_and_counted(void)
{
	struct text_target target = begin(1);

	CHECK_EQ(folded_read(&batch, &target, text_of("main;a\nb 2"), &fault), 0);
	CHECK_EQ(batch.drops.lines_skipped, 1);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{} b 1 2\n");
}

static void signs_are_read_and_what_is_not_above_zero_is_left_out(void)
{
	struct text_target target = begin(1);

	CHECK_EQ(folded_read(&batch, &target, text_of("a +4\nb -4\nc 0\nd -9223372036854775808\n"),
			 &fault),
		0);
	CHECK_EQ(batch.drops.negative, 2);
	CHECK_EQ(batch.drops.empty, 1);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{} a 1 4\n");
	CHECK_STR(lines_of("a 9223372036854775807", 1), CPU "{} a 1 9223372036854775807\n");
}

static void a_value_that_is_none_is_refused_by_its_line(void)
{
	refuse("a 1\nb x2\n", "line 2 ends in 'x2'");
	refuse("a 9223372036854775808", "line 1");
	refuse("a 1.5", "line 1");
	refuse("a -", "line 1");
}

static void time_that_does_not_fit_is_refused(void)
{
	struct text_target target = begin(10000000);

	CHECK_EQ(folded_read(&batch, &target, text_of("a 1000000000000"), &fault), -EBADMSG);
	CHECK(strstr(fault.text, "63 bits"));
	ingest_batch_done(&batch);
}

static void lines_count_one_each(void)
{
	struct text_target target = begin(10);

	CHECK_EQ(folded_read_lines(&batch, &target, text_of("a;b\na;b\n\nc 5"), &fault), 0);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{} a;b 2 20\n" CPU "{} c 5 1 10\n");
}

static void a_deep_stack_keeps_its_leaf(void)
{
	static char text[3 * (INGEST_DEPTH_MAX + 10) + 16];
	struct text_target target = begin(1);
	size_t at = 0;

	for (uint32_t i = 0; i < INGEST_DEPTH_MAX + 9; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "r;");
	snprintf(text + at, sizeof(text) - at, "leaf 7");
	CHECK_EQ(folded_read(&batch, &target, text_of(text), &fault), 0);
	CHECK_EQ(batch.drops.stacks_cut, 1);
	CHECK_EQ(stack_table_depth(&batch.profile->stacks, target.table->rows[0].stack),
		INGEST_DEPTH_MAX + 1);
	ingest_batch_done(&batch);
}

int main(void)
{
	RUN(stacks_have_values);
	RUN(names_keep_their_blanks_and_frames_lose_theirs);
	RUN(a_line_without_a_value_is_passed_over_and_counted);
	RUN(signs_are_read_and_what_is_not_above_zero_is_left_out);
	RUN(a_value_that_is_none_is_refused_by_its_line);
	RUN(time_that_does_not_fit_is_refused);
	RUN(lines_count_one_each);
	RUN(a_deep_stack_keeps_its_leaf);
	return 0;
}
