/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_pool.h"

#include <errno.h>

#include "tests/support/jfr_fixture.h"
#include "tests/support/torture.h"

static struct made_jfr made;
static struct jfr_fixture fixture;
static struct jfr_slot slots[JFR_SLOT_COUNT];

static void check_symbol(uint64_t number, const char *expected)
{
	struct ingest_text text;
	int r = jfr_pool_text(
		&fixture.pools, JFR_POOL_SYMBOL, &(struct jfr_slot){number, NULL}, &text);

	CHECK_EQ(r, expected != NULL);
	if (expected)
		CHECK(jfr_text_is(text, expected));
}

static void checkpoints_add_up(void)
{
	made.length = 0;
	made_jfr_chunk(&made);
	CHECK_EQ(jfr_fixture_fill(&fixture, &made), 0);
	check_symbol(11, "Main");
	check_symbol(15, "a/Work$$Lambda$66.0x00007f75040877a8");
	check_symbol(18, "a constant");
	check_symbol(99, NULL);
	CHECK(jfr_pool_find(&fixture.pools, JFR_POOL_METHOD, 32, slots));
	CHECK_EQ(slots[JFR_METHOD_CLASS].number, 22);
	CHECK_EQ(slots[JFR_METHOD_NAME].number, 14);
	CHECK(jfr_pool_find(&fixture.pools, JFR_POOL_STACK, 52, slots));
	CHECK_EQ(slots[JFR_STACK_TRUNCATED].number, 1);
	CHECK(!jfr_pool_find(&fixture.pools, JFR_POOL_STACK, 53, slots));
	CHECK(!jfr_pool_find(&fixture.pools, JFR_POOL_FRAME, 1, slots));
	jfr_fixture_done(&fixture);
}

/* A chunk with one checkpoint of symbols, from numbers and texts. */
static void begin_symbols(uint64_t count)
{
	made.length = 0;
	made_jfr_begin_chunk(&made);
	made_jfr_begin_checkpoint(&made, 1);
	made_jfr_numbers(&made, MADE_SYMBOL, count);
}

static void end_symbols(void)
{
	made_jfr_end_event(&made);
	made_jfr_metadata(&made, made_jfr_classes, MADE_JFR_CLASS_COUNT);
	made_jfr_end_chunk(&made);
}

static void the_later_of_two_counts(void)
{
	begin_symbols(3);
	made_jfr_symbol(&made, UINT64_MAX, "one");
	made_jfr_symbol(&made, 5, "two");
	made_jfr_symbol(&made, UINT64_MAX, "three");
	end_symbols();
	CHECK_EQ(jfr_fixture_fill(&fixture, &made), 0);
	check_symbol(UINT64_MAX, "three");
	check_symbol(5, "two");
	jfr_fixture_done(&fixture);
}

static void a_constant_of_a_constant_of_a_constant_is_empty(void)
{
	struct ingest_text text;

	begin_symbols(1);
	made_jfr_number(&made, 1);
	made_jfr_byte(&made, 2);
	made_jfr_number(&made, 2);
	made_jfr_end_event(&made);
	made_jfr_begin_checkpoint(&made, 1);
	made_jfr_numbers(&made, MADE_TEXT, 1, 2, 2, 2);
	end_symbols();
	CHECK_EQ(jfr_fixture_fill(&fixture, &made), 0);
	CHECK_EQ(jfr_pool_text(&fixture.pools, JFR_POOL_SYMBOL, &(struct jfr_slot){1, NULL}, &text),
		1);
	CHECK_EQ(text.length, 0);
	jfr_fixture_done(&fixture);
}

static void check_refused(const char *words)
{
	CHECK_EQ(jfr_fixture_fill(&fixture, &made), -EBADMSG);
	CHECK(strstr(fixture.fault.text, words));
}

static void what_is_damaged_is_refused(void)
{
	begin_symbols(1000);
	made_jfr_symbol(&made, 1, "one");
	end_symbols();
	check_refused("checkpoint is damaged");
	begin_symbols(2);
	made_jfr_symbol(&made, 1, "one");
	end_symbols();
	check_refused("checkpoint is damaged");
	made.length = 0;
	made_jfr_begin_chunk(&made);
	made_jfr_begin_checkpoint(&made, 1);
	made_jfr_numbers(&made, 4711, 1, 1, 1, 1, 1);
	end_symbols();
	check_refused("constants of class 4711");
	begin_symbols(0);
	made_jfr_end_event(&made);
	made_jfr_byte(&made, 0);
	made_jfr_begin_event(&made, MADE_OTHER);
	end_symbols();
	check_refused("size that cannot be");
}

static void there_is_an_end_to_constants(void)
{
	begin_symbols(3);
	for (uint64_t i = 0; i < 3; i++)
		made_jfr_symbol(&made, i, "one");
	end_symbols();
	CHECK_EQ(jfr_fixture_init(&fixture, &made), 0);
	fixture.pools.constant_count = JFR_CONSTANT_COUNT_MAX - 2;
	CHECK_EQ(jfr_pools_fill(&fixture.pools, &fixture.fault), -E2BIG);
	CHECK(strstr(fixture.fault.text, "more than 4194304 constants"));
	jfr_fixture_done(&fixture);
}

static int fill_tortured(void *context)
{
	int r = jfr_fixture_fill(&fixture, &made);

	(void)context;
	if (r == 0)
		jfr_fixture_done(&fixture);
	return r;
}

static void out_of_memory_releases_all(void)
{
	made.length = 0;
	made_jfr_chunk(&made);
	torture(fill_tortured, NULL, 10);
}

int main(void)
{
	RUN(checkpoints_add_up);
	RUN(the_later_of_two_counts);
	RUN(a_constant_of_a_constant_of_a_constant_is_empty);
	RUN(what_is_damaged_is_refused);
	RUN(there_is_an_end_to_constants);
	RUN(out_of_memory_releases_all);
	return 0;
}
