/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_stack.h"

#include "tests/support/ingest_fixture.h"
#include "tests/support/jfr_fixture.h"

static struct made_jfr made;
static struct jfr_fixture fixture;
static struct ingest_batch batch;
static struct jfr_stacks stacks;

static void open_stacks(void)
{
	CHECK_EQ(jfr_fixture_fill(&fixture, &made), 0);
	CHECK_EQ(ingest_batch_init(&batch, INGEST_START_NS, INGEST_UNTIL_NS), 0);
	CHECK_EQ(jfr_stacks_init(&stacks, &fixture.pools, &batch), 0);
}

static void close_stacks(void)
{
	jfr_stacks_done(&stacks);
	ingest_batch_done(&batch);
	jfr_fixture_done(&fixture);
}

static uint32_t check_stack(uint64_t number, const char *expected)
{
	char text[4096];
	uint32_t stack;

	CHECK_EQ(jfr_stack_get(&stacks, number, &stack), 0);
	ingest_write_stack(batch.profile, stack, text, sizeof(text));
	CHECK_STR(text, expected);
	return stack;
}

static void stacks_are_made_once(void)
{
	uint32_t stack;

	made.length = 0;
	made_jfr_chunk(&made);
	open_stacks();
	stack = check_stack(51, MADE_JFR_RUN);
	check_stack(52, MADE_JFR_MEMSET);
	CHECK_EQ(check_stack(51, MADE_JFR_RUN), stack);
	CHECK_EQ(stacks.stack_count, 2);
	CHECK_EQ(stacks.frame_count, 4);
	CHECK_EQ(batch.drops.broken, 0);
	close_stacks();
}

static void kinds_are_those_of_the_frames(void)
{
	made.length = 0;
	made_jfr_chunk(&made);
	open_stacks();
	check_stack(52, MADE_JFR_MEMSET);
	CHECK_EQ(batch.profile->frames.frames[0].kind, FRAME_NATIVE);
	CHECK_EQ(batch.profile->frames.frames[1].kind, FRAME_JVM);
	CHECK_EQ(batch.profile->frames.frames[3].kind, FRAME_MARKER);
	close_stacks();
}

static void what_is_not_there_is_marked_and_counted(void)
{
	made.length = 0;
	made_jfr_begin_chunk(&made);
	made_jfr_begin_checkpoint(&made, 3);
	made_jfr_numbers(&made, MADE_STACK, 2);
	made_jfr_number(&made, 51);
	made_jfr_byte(&made, 0);
	/* No such method; a method of no class. */
	made_jfr_numbers(&made, 2, 99, 20, 7, 1, 31, 5, 3, 1);
	made_jfr_number(&made, 53);
	made_jfr_byte(&made, 0);
	made_jfr_number(&made, 0);
	made_jfr_numbers(&made, MADE_METHOD, 1, 31, 21, 12);
	made_jfr_numbers(&made, MADE_SYMBOL, 0);
	made_jfr_end_event(&made);
	made_jfr_metadata(&made, made_jfr_classes, MADE_JFR_CLASS_COUNT);
	made_jfr_end_chunk(&made);
	open_stacks();
	check_stack(51, "[unknown];[unknown]");
	CHECK_EQ(batch.drops.broken, 2);
	check_stack(52, "[unknown]");
	CHECK_EQ(batch.drops.broken, 3);
	check_stack(53, "[no stack]");
	check_stack(0, "[no stack]");
	CHECK_EQ(batch.drops.broken, 3);
	close_stacks();
}

static void a_deep_stack_keeps_its_leaf(void)
{
	static struct made_jfr deep;
	uint32_t stack;

	deep.length = 0;
	made_jfr_begin_chunk(&deep);
	made_jfr_begin_checkpoint(&deep, 1);
	made_jfr_numbers(&deep, MADE_STACK, 1, 51);
	made_jfr_byte(&deep, 0);
	made_jfr_number(&deep, INGEST_DEPTH_MAX + 5);
	for (uint32_t i = 0; i < INGEST_DEPTH_MAX + 5; i++)
		made_jfr_numbers(&deep, i == 0 ? 32 : 31, 5, 3, 1);
	made_jfr_end_event(&deep);
	made_jfr_names(&deep);
	made_jfr_metadata(&deep, made_jfr_classes, MADE_JFR_CLASS_COUNT);
	made_jfr_end_chunk(&deep);
	made = deep;
	open_stacks();
	CHECK_EQ(jfr_stack_get(&stacks, 51, &stack), 0);
	CHECK_EQ(batch.drops.stacks_cut, 1);
	CHECK_EQ(stack_table_depth(&batch.profile->stacks, stack), INGEST_DEPTH_MAX + 1);
	close_stacks();
}

int main(void)
{
	RUN(stacks_are_made_once);
	RUN(kinds_are_those_of_the_frames);
	RUN(what_is_not_there_is_marked_and_counted);
	RUN(a_deep_stack_keeps_its_leaf);
	return 0;
}
