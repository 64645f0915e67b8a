/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as a request has them are seen by the test of otlp_read. */
#include "symbolizer-server/ingest/otlp_frames.h"

#include "tests/support/ingest_fixture.h"
#include "tests/support/made_otlp.h"

static struct otlp_dictionary dictionary;
static struct ingest_batch batch;
static struct otlp_frames frames;
static struct proto_text text;

static void begin(void)
{
	struct ingest_fault fault;

	CHECK_EQ(otlp_dictionary_init(
			 &dictionary, (struct ingest_text){text.bytes, text.length}, &fault),
		0);
	CHECK_EQ(ingest_batch_init(&batch, INGEST_START_NS, INGEST_UNTIL_NS), 0);
	CHECK_EQ(otlp_frames_init(&frames, &dictionary, &batch), 0);
}

static void end(void)
{
	otlp_frames_done(&frames);
	ingest_batch_done(&batch);
	otlp_dictionary_done(&dictionary);
}

static void a_stack_is_made_once(void)
{
	uint32_t one, other, nodes;

	made_otlp_dictionary(&text);
	begin();
	CHECK_EQ(otlp_frames_stack(&frames, 1, &one), 0);
	nodes = batch.profile->stacks.count;
	CHECK_EQ(otlp_frames_stack(&frames, 1, &other), 0);
	CHECK_EQ(one, other);
	CHECK_EQ(batch.profile->stacks.count, nodes);
	CHECK_EQ(stack_table_depth(&batch.profile->stacks, one), 3);
	end();
}

static void a_stack_that_is_not_there_is_empty_and_counted(void)
{
	uint32_t stack = 1;

	begin();
	CHECK_EQ(otlp_frames_stack(&frames, 0, &stack), 0);
	CHECK_EQ(stack, STACK_EMPTY);
	CHECK_EQ(batch.drops.broken, 0);
	CHECK_EQ(otlp_frames_stack(&frames, 77, &stack), 0);
	CHECK_EQ(stack, STACK_EMPTY);
	CHECK_EQ(batch.drops.broken, 1);
	end();
}

static void kernel_frames_are_of_the_kernels_module(void)
{
	struct proto_text inner = {.length = 0};
	uint32_t stack;
	const struct frame *frame;

	text.length = 0;
	proto_string(&text, 2, "");
	proto_number(&inner, 2, 0x99);
	proto_span(&inner, 4, "\1", 1);
	proto_inner(&text, 2, &inner);
	proto_string(&text, 5, "");
	proto_string(&text, 5, "profile.frame.type");
	proto_string(&text, 6, "");
	made_otlp_string_attribute(&text, 6, 1, "kernel");
	proto_string(&text, 7, "");
	inner.length = 0;
	proto_span(&inner, 1, "\1", 1);
	proto_inner(&text, 7, &inner);
	begin();
	CHECK_EQ(otlp_frames_stack(&frames, 1, &stack), 0);
	frame = &batch.profile->frames.frames[batch.profile->stacks.nodes[stack].frame];
	CHECK_EQ(frame->kind, FRAME_KERNEL);
	CHECK_STR(string_table_text(&batch.profile->strings,
			  batch.profile->modules.modules[frame->module].name),
		"[kernel]");
	end();
}

int main(void)
{
	RUN(a_stack_is_made_once);
	RUN(a_stack_that_is_not_there_is_empty_and_counted);
	RUN(kernel_frames_are_of_the_kernels_module);
	return 0;
}
