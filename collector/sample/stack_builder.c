/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/stack_builder.h"

#include <string.h>

#include "collector/process/locate.h"

/* What the root of a stack says when the walk ended early. */
#define STOP_MARKER(name, words, meaning) [STOP_##name] = "[unwind stopped: " words "]",

static const char *const stop_markers[STOP_MAX] = {STOP_LIST(STOP_MARKER)};

void stack_builder_begin(struct stack_builder *builder, struct window *window)
{
	*builder = (struct stack_builder){.window = window, .node = STACK_EMPTY};
}

int stack_builder_end(const struct stack_builder *builder, uint32_t *ret_stack)
{
	if (builder->fault == 0)
		*ret_stack = builder->node;
	return builder->fault;
}

static void push_index(struct stack_builder *builder, uint32_t index)
{
	if (builder->fault == 0)
		builder->fault = stack_table_add(
			&builder->window->profile->stacks, builder->node, index, &builder->node);
}

static void push(struct stack_builder *builder, const struct frame *frame)
{
	uint32_t index = 0;

	if (builder->fault < 0)
		return;
	builder->fault = frame_table_add(&builder->window->profile->frames, frame, &index);
	push_index(builder, index);
}

void stack_builder_mark(struct stack_builder *builder, const char *name)
{
	struct frame frame = {.kind = FRAME_MARKER, .flags = FRAME_NAMED};
	uint32_t text;

	if (builder->fault < 0)
		return;
	builder->fault = profile_add_text(builder->window->profile, name, &text);
	frame.address = text;
	push(builder, &frame);
}

/* The index of a module in the window's profile, or the fault. */
static uint32_t add_module(
	struct stack_builder *builder, const struct build_id *build_id, const char *name)
{
	struct profile *profile = builder->window->profile;
	struct module module = {.build_id = *build_id};
	uint32_t index = 0;

	if (builder->fault == 0)
		builder->fault = profile_add_text(profile, name, &module.name);
	if (builder->fault == 0)
		builder->fault = module_table_add(&profile->modules, &module, &index);
	return index;
}

static uint32_t module_of_binary(struct stack_builder *builder, struct binary *binary)
{
	if (binary->window != builder->window->number) {
		binary->module = add_module(builder, &binary->build_id, binary->base_name);
		if (builder->fault == 0)
			binary->window = builder->window->number;
	}
	return binary->module;
}

/* True if the frame waits for its name. */
static bool push_jit(
	struct stack_builder *builder, const struct process *process, uint64_t ip, bool is_return)
{
	struct jit_frames *jit = builder->window->config.jit;
	struct jit_sighting sighting = {process, ip, is_return, builder->taken_at_ns};
	uint32_t index;

	if (!jit || builder->fault < 0 ||
		jit_frames_add(jit, builder->window->profile, &sighting, &index) < 0)
		return false;
	push_index(builder, index);
	return true;
}

static void push_user(struct stack_builder *builder, struct process *process, uint64_t ip,
	bool is_return, uint64_t now_ns)
{
	static const struct build_id unknown = {.byte_count = 0};
	struct tally *tally = builder->window->config.tally;
	struct frame frame = {.kind = FRAME_NATIVE, .flags = is_return ? FRAME_RETURN_ADDRESS : 0};
	struct place place = {PLACE_UNMAPPED, NULL, ip};

	if (process)
		place = locate(builder->window->config.processes, process, ip, is_return,
			!is_return, now_ns);
	frame.address = place.address;
	switch (place.kind) {
	case PLACE_BINARY:
		frame.module = module_of_binary(builder, place.binary);
		break;
	case PLACE_UNREAD:
		frame.module = add_module(builder, &unknown, place.binary->base_name);
		tally_add(tally, TALLY_user_frames_unread, 1);
		break;
	case PLACE_ANONYMOUS:
		frame.kind = FRAME_UNKNOWN;
		tally_add(tally, TALLY_user_frames_anonymous, 1);
		if (push_jit(builder, process, ip, is_return))
			return;
		break;
	case PLACE_UNMAPPED:
		frame.kind = FRAME_UNKNOWN;
		tally_add(tally, TALLY_user_frames_unmapped, 1);
		break;
	}
	push(builder, &frame);
}

static uint32_t module_of_kernel(struct stack_builder *builder, struct kernel_module *module)
{
	if (module->window != builder->window->number) {
		module->module = add_module(builder, &module->build_id, module->name);
		if (builder->fault == 0)
			module->window = builder->window->number;
	}
	return module->module;
}

static void push_kernel(struct stack_builder *builder, uint64_t ip, bool is_return, uint64_t now_ns)
{
	struct window *window = builder->window;
	uint64_t behind = is_return && ip > 0 ? 1 : 0;
	struct frame frame = {
		.kind = FRAME_KERNEL, .flags = is_return ? FRAME_RETURN_ADDRESS : 0, .address = ip};
	uint64_t relative;
	struct kernel_module *module =
		kernel_symbols_locate(window->config.kernel, ip - behind, now_ns, &relative);

	if (module) {
		frame.module = module_of_kernel(builder, module);
		frame.address = relative + behind;
	} else {
		tally_add(window->config.tally, TALLY_kernel_frames_unknown, 1);
		/* Where nothing can be told apart, it is at least known to be the kernel. */
		if (window->config.kernel->state != KERNEL_SYMBOLS_KNOWN)
			frame.module = window->kernel_module;
	}
	push(builder, &frame);
}

static bool is_whole(uint8_t stop)
{
	return stop == STOP_complete || stop == STOP_absent;
}

static void mark_stop(struct stack_builder *builder, uint8_t stop)
{
	if (stop == STOP_truncated)
		stack_builder_mark(builder, "[truncated]");
	else if (stop < STOP_MAX && stop_markers[stop])
		stack_builder_mark(builder, stop_markers[stop]);
	else
		stack_builder_mark(builder, "[unknown]");
}

static void push_user_part(struct stack_builder *builder, const struct event_sample *sample,
	struct process *process, uint64_t now_ns)
{
	const uint64_t *ips = sample->ips + sample->kernel_frame_count;

	if (!is_whole(sample->user_stop))
		mark_stop(builder, sample->user_stop);
	for (uint32_t i = sample->user_frame_count; i > 0; i--)
		push_user(builder, process, ips[i - 1], i > 1, now_ns);
}

static void push_kernel_part(
	struct stack_builder *builder, const struct event_sample *sample, uint64_t now_ns)
{
	if (sample->kernel_stop == STOP_refused)
		stack_builder_mark(builder, "[kernel stack lost]");
	else if (!is_whole(sample->kernel_stop))
		mark_stop(builder, sample->kernel_stop);
	for (uint32_t i = sample->kernel_frame_count; i > 0; i--)
		push_kernel(builder, sample->ips[i - 1], i > 1, now_ns);
}

int stack_build(struct window *window, const struct event_sample *sample, struct process *process,
	uint64_t now_ns, uint32_t *ret_stack)
{
	struct stack_builder builder;

	stack_builder_begin(&builder, window);
	builder.taken_at_ns = sample->taken_at_ns;
	push_user_part(&builder, sample, process, now_ns);
	push_kernel_part(&builder, sample, now_ns);
	/* A sample without any frame must not look as if its time were spent nowhere. */
	if (builder.node == STACK_EMPTY)
		stack_builder_mark(&builder, "[unknown]");
	tally_add(window->config.tally, TALLY_user_frames, sample->user_frame_count);
	tally_add(window->config.tally, TALLY_kernel_frames, sample->kernel_frame_count);
	if (!is_whole(sample->user_stop) || !is_whole(sample->kernel_stop))
		tally_add(window->config.tally, TALLY_stacks_incomplete, 1);
	return stack_builder_end(&builder, ret_stack);
}
