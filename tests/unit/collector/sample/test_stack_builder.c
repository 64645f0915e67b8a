/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/stack_builder.h"

#include <errno.h>

#include "tests/support/check.h"

static struct tally tally;
static struct window window;

static void set_up(void)
{
	CHECK_EQ(profile_new(&window.profile), 0);
	window.config.tally = &tally;
	window.number = 1;
}

static void markers_make_a_stack_from_the_root(void)
{
	struct stack_builder builder;
	uint32_t one, two, again;

	set_up();
	stack_builder_begin(&builder, &window);
	CHECK_EQ(stack_builder_end(&builder, &one), 0);
	CHECK_EQ(one, STACK_EMPTY);
	stack_builder_mark(&builder, "[truncated]");
	stack_builder_mark(&builder, "[lost]");
	CHECK_EQ(stack_builder_end(&builder, &two), 0);
	CHECK_EQ(stack_table_depth(&window.profile->stacks, two), 2);

	stack_builder_begin(&builder, &window);
	stack_builder_mark(&builder, "[truncated]");
	stack_builder_mark(&builder, "[lost]");
	CHECK_EQ(stack_builder_end(&builder, &again), 0);
	CHECK_EQ(again, two);
	profile_free(window.profile);
}

static void a_fault_stays_and_gives_no_stack(void)
{
	struct stack_builder builder;
	uint32_t stack = 77;

	set_up();
	stack_builder_begin(&builder, &window);
	builder.fault = -ENOMEM;
	stack_builder_mark(&builder, "[lost]");
	CHECK_EQ(stack_builder_end(&builder, &stack), -ENOMEM);
	CHECK_EQ(stack, 77);
	CHECK_EQ(window.profile->frames.count, 0);
	profile_free(window.profile);
}

static void every_way_to_stop_has_its_marker(void)
{
	struct event_sample sample = {.kernel_stop = STOP_absent};

	for (unsigned stop = STOP_complete; stop < STOP_MAX; stop++) {
		const struct stack_node *node;
		uint32_t stack;

		set_up();
		sample.user_stop = (uint8_t)stop;
		CHECK_EQ(stack_build(&window, &sample, NULL, 0, &stack), 0);
		CHECK_EQ(stack_table_depth(&window.profile->stacks, stack), 1);
		node = &window.profile->stacks.nodes[stack];
		CHECK_EQ(window.profile->frames.frames[node->frame].kind, FRAME_MARKER);
		profile_free(window.profile);
	}
}

int main(void)
{
	RUN(markers_make_a_stack_from_the_root);
	RUN(a_fault_stays_and_gives_no_stack);
	RUN(every_way_to_stop_has_its_marker);
	return 0;
}
