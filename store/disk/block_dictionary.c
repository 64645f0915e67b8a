/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/block_dictionary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"

/* What a table answers when the bytes name one element twice: two places would mean the same. */
static int expect_place(struct bytes_reader *reader, int r, uint32_t got, uint32_t expected)
{
	if (r == 0 && got != expected)
		bytes_reader_refuse(reader);
	return r < 0 ? r : bytes_reader_fault(reader);
}

uint32_t block_read_count(struct bytes_reader *reader, uint32_t count_max)
{
	uint64_t count = bytes_read_varint(reader);

	if (count > count_max || count > bytes_left(reader)) {
		bytes_reader_refuse(reader);
		return 0;
	}
	return (uint32_t)count;
}

/* Written out, not made of PROFILE_HEAD_TEXTS: the order here is what lies on disks, and one text
 * more would be a new version of the block. */
#define HEAD_TEXT(name) +1 /* NOLINT(bugprone-macro-parentheses): each is a term of the sum */
_Static_assert(
	0 PROFILE_HEAD_TEXTS(HEAD_TEXT) == 5, "each text of a head has its place in a block");
#undef HEAD_TEXT

static void write_head(struct bytes_writer *writer, const struct profile_head *head)
{
	bytes_write_varint(writer, head->host);
	bytes_write_varint(writer, head->machine_id);
	bytes_write_varint(writer, head->boot_id);
	bytes_write_varint(writer, head->kernel_release);
	bytes_write_varint(writer, head->collector_version);
	bytes_write_u64(writer, head->clocks.monotonic_ns);
	bytes_write_u64(writer, head->clocks.boottime_ns);
	bytes_write_u64(writer, head->clocks.realtime_ns);
	bytes_write_u64(writer, head->window_start_ns);
	bytes_write_u64(writer, head->window_end_ns);
	bytes_write_varint(writer, head->online_cpu_count);
}

static void read_head(struct bytes_reader *reader, struct profile_head *head)
{
	head->host = bytes_read_varint32(reader);
	head->machine_id = bytes_read_varint32(reader);
	head->boot_id = bytes_read_varint32(reader);
	head->kernel_release = bytes_read_varint32(reader);
	head->collector_version = bytes_read_varint32(reader);
	head->clocks.monotonic_ns = bytes_read_u64(reader);
	head->clocks.boottime_ns = bytes_read_u64(reader);
	head->clocks.realtime_ns = bytes_read_u64(reader);
	head->window_start_ns = bytes_read_u64(reader);
	head->window_end_ns = bytes_read_u64(reader);
	head->online_cpu_count = bytes_read_varint32(reader);
}

void block_strings_write(struct bytes_writer *writer, const struct string_table *strings)
{
	bytes_write_varint(writer, strings->count - 1);
	for (uint32_t i = 1; i < strings->count; i++)
		bytes_write_varint(writer, string_table_length(strings, i));
	for (uint32_t i = 1; i < strings->count; i++)
		bytes_write_span(
			writer, string_table_text(strings, i), string_table_length(strings, i));
}

int block_strings_read(struct bytes_reader *reader, struct string_table *strings)
{
	uint32_t count = block_read_count(reader, STRING_COUNT_MAX - 1);
	struct bytes_reader lengths = *reader;

	for (uint32_t i = 0; i < count; i++)
		bytes_read_varint(reader);
	for (uint32_t i = 1; i <= count; i++) {
		uint32_t length = bytes_read_varint32(&lengths), place = 0;
		const uint8_t *text = bytes_read_span(reader, length);
		int r;

		if (!text)
			return -EBADMSG;
		r = string_table_add(strings, (const char *)text, length, &place);
		r = expect_place(reader, r, place, i);
		if (r < 0)
			return r;
	}
	return bytes_reader_fault(reader);
}

void block_modules_write(struct bytes_writer *writer, const struct module_table *table)
{
	bytes_write_varint(writer, table->count - 1);
	for (uint32_t i = 1; i < table->count; i++) {
		const struct module *module = &table->modules[i];

		bytes_write_varint(writer, module->name);
		bytes_write_u8(writer, module->build_id.kind);
		bytes_write_u8(writer, module->build_id.byte_count);
		bytes_write_span(writer, module->build_id.bytes, module->build_id.byte_count);
	}
}

static int read_module(struct bytes_reader *reader, struct module *ret_module)
{
	struct module module = {.name = bytes_read_varint32(reader)};
	uint8_t kind = bytes_read_u8(reader);
	uint8_t byte_count = bytes_read_u8(reader);
	const uint8_t *bytes = bytes_read_span(reader, byte_count);

	if (!bytes)
		return -EBADMSG;
	if ((kind != BUILD_ID_NONE || byte_count != 0) &&
		build_id_make(kind, bytes, byte_count, &module.build_id) < 0) {
		bytes_reader_refuse(reader);
		return -EBADMSG;
	}
	*ret_module = module;
	return 0;
}

int block_modules_read(struct bytes_reader *reader, struct module_table *table)
{
	uint32_t count = block_read_count(reader, MODULE_COUNT_MAX - 1);

	for (uint32_t i = 1; i <= count; i++) {
		struct module module;
		uint32_t place = 0;
		int r = read_module(reader, &module);

		if (r == 0)
			r = module_table_add(table, &module, &place);
		r = expect_place(reader, r, place, i);
		if (r < 0)
			return r;
	}
	return bytes_reader_fault(reader);
}

/* How many frames each module has, then kinds, flags, and addresses as differences within their
 * module. */
void block_frames_write(
	struct bytes_writer *writer, const struct profile *profile, const struct block_order *order)
{
	const struct frame *frames = profile->frames.frames;
	uint32_t count = profile->frames.count, at = 0;

	bytes_write_varint(writer, count);
	for (uint32_t module = 0; module < profile->modules.count; module++) {
		uint32_t first = at;

		while (at < count && frames[order->frames[at]].module == module)
			at++;
		bytes_write_varint(writer, at - first);
	}
	for (uint32_t i = 0; i < count; i++)
		bytes_write_u8(writer, frames[order->frames[i]].kind);
	for (uint32_t i = 0; i < count; i++)
		bytes_write_u8(writer, frames[order->frames[i]].flags);
	for (uint32_t i = 0; i < count; i++) {
		const struct frame *frame = &frames[order->frames[i]];
		const struct frame *before = i ? &frames[order->frames[i - 1]] : NULL;
		bool first = !before || before->module != frame->module;

		bytes_write_varint(writer, frame->address - (first ? 0 : before->address));
	}
}

/* Frames come in rising order, so that none can be there twice. */
static bool frames_rise(const struct frame *before, const struct frame *frame)
{
	if (before->module != frame->module)
		return before->module < frame->module;
	if (before->address != frame->address)
		return before->address < frame->address;
	if (before->kind != frame->kind)
		return before->kind < frame->kind;
	return before->flags < frame->flags;
}

static void read_frame_modules(
	struct bytes_reader *reader, uint32_t module_count, struct frame *frames, uint32_t count)
{
	uint32_t at = 0;

	for (uint32_t module = 0; module < module_count; module++) {
		uint32_t here = bytes_read_varint32(reader);

		if (here > count - at) {
			bytes_reader_refuse(reader);
			return;
		}
		for (uint32_t i = 0; i < here; i++)
			frames[at++].module = module;
	}
	if (at != count)
		bytes_reader_refuse(reader);
}

int block_frames_read(struct bytes_reader *reader, struct profile *profile)
{
	uint32_t count = block_read_count(reader, FRAME_COUNT_MAX);
	SCOPED_FREE struct frame *frames = calloc(count ? count : 1, sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	read_frame_modules(reader, profile->modules.count, frames, count);
	for (uint32_t i = 0; i < count; i++)
		frames[i].kind = bytes_read_u8(reader);
	for (uint32_t i = 0; i < count; i++)
		frames[i].flags = bytes_read_u8(reader);
	for (uint32_t i = 0; i < count; i++) {
		bool first = i == 0 || frames[i - 1].module != frames[i].module;

		frames[i].address = bytes_read_varint(reader) + (first ? 0 : frames[i - 1].address);
		if (i > 0 && !frames_rise(&frames[i - 1], &frames[i]))
			bytes_reader_refuse(reader);
	}
	if (bytes_reader_fault(reader) < 0)
		return bytes_reader_fault(reader);
	profile->frames.frames = TAKE(frames);
	profile->frames.count = profile->frames.capacity = count;
	return 0;
}

/* Depth first, a node needs no parent: the number of levels to go up from the node before it says
 * the same and is mostly 0. Its frame is told by the distance to the sibling before it, which has a
 * lower one, or else to the parent's: callers and callees mostly lie in one module. */
void block_stacks_write(
	struct bytes_writer *writer, const struct profile *profile, const struct block_order *order)
{
	const struct stack_node *nodes = profile->stacks.nodes;
	const uint32_t *places = order->frame_places;
	struct bytes_writer frames;

	bytes_writer_init(&frames, writer->bytes_max);
	bytes_write_varint(writer, profile->stacks.count - 1);
	for (uint32_t i = 1; i < profile->stacks.count; i++) {
		const struct stack_node *node = &nodes[order->nodes[i]];
		uint32_t at = order->nodes[i - 1], sibling = STACK_EMPTY, up = 0;
		int64_t parent_place = node->parent ? places[nodes[node->parent].frame] : 0;

		for (; at != node->parent; at = nodes[at].parent) {
			sibling = at;
			up++;
		}
		bytes_write_varint(writer, up);
		if (up > 0) {
			bytes_write_varint(
				&frames, places[node->frame] - places[nodes[sibling].frame] - 1);
		} else {
			bytes_write_signed(&frames, places[node->frame] - parent_place);
		}
	}
	bytes_write_span(writer, frames.bytes, frames.byte_count);
	if (!writer->fault)
		writer->fault = bytes_writer_fault(&frames);
	bytes_writer_done(&frames);
}

/* Reads node I, whose forebears are there. Siblings rise by frame, so that no stack can be there
 * twice. */
static void read_node(struct bytes_reader *ups, struct bytes_reader *frames,
	struct stack_node *nodes, uint32_t i, uint32_t frame_count)
{
	uint32_t up = bytes_read_varint32(ups), at = i - 1, sibling = STACK_EMPTY;
	uint64_t frame;

	for (; up > 0 && at != STACK_EMPTY; up--) {
		sibling = at;
		at = nodes[at].parent;
	}
	if (sibling != STACK_EMPTY)
		frame = (uint64_t)nodes[sibling].frame + 1 + bytes_read_varint32(frames);
	else
		frame = nodes[at].frame + (uint64_t)bytes_read_signed(frames);
	if (up > 0 || frame >= frame_count)
		bytes_reader_refuse(frames);
	nodes[i] = (struct stack_node){at, (uint32_t)frame};
}

int block_stacks_read(struct bytes_reader *reader, struct profile *profile)
{
	uint32_t count = block_read_count(reader, STACK_NODE_COUNT_MAX - 1) + 1;
	SCOPED_FREE struct stack_node *nodes = malloc(count * sizeof(*nodes));
	struct bytes_reader ups = *reader;

	if (!nodes)
		return -ENOMEM;
	nodes[0] = (struct stack_node){0};
	for (uint32_t i = 1; i < count; i++)
		bytes_read_varint32(reader);
	for (uint32_t i = 1; i < count && !bytes_reader_fault(reader); i++)
		read_node(&ups, reader, nodes, i, profile->frames.count);
	if (bytes_reader_fault(reader) < 0)
		return bytes_reader_fault(reader);
	free(profile->stacks.nodes);
	profile->stacks.nodes = TAKE(nodes);
	profile->stacks.count = profile->stacks.capacity = count;
	return 0;
}

void block_labels_write(struct bytes_writer *writer, const struct label_table *table)
{
	bytes_write_varint(writer, table->count - 1);
	for (uint32_t i = 1; i < table->count; i++) {
		const struct label_set *set = &table->sets[i];

		bytes_write_varint(writer, set->count);
		for (uint32_t j = 0; j < set->count; j++) {
			bytes_write_varint(writer, table->labels[set->first + j].key);
			bytes_write_varint(writer, table->labels[set->first + j].value);
		}
	}
}

static int read_label_set(struct bytes_reader *reader, struct profile *profile, uint32_t *ret_set)
{
	struct label labels[LABEL_COUNT_MAX];
	uint32_t count = block_read_count(reader, LABEL_COUNT_MAX);

	for (uint32_t i = 0; i < count; i++) {
		labels[i].key = bytes_read_varint32(reader);
		labels[i].value = bytes_read_varint32(reader);
		/* The table compares keys by their texts. */
		if (labels[i].key >= profile->strings.count ||
			labels[i].value >= profile->strings.count)
			bytes_reader_refuse(reader);
	}
	if (bytes_reader_fault(reader) < 0)
		return bytes_reader_fault(reader);
	return label_table_add(&profile->labels, &profile->strings, labels, count, ret_set);
}

int block_labels_read(struct bytes_reader *reader, struct profile *profile)
{
	uint32_t count = block_read_count(reader, LABEL_SET_COUNT_MAX - 1);

	for (uint32_t i = 1; i <= count; i++) {
		uint32_t place = 0;
		int r = read_label_set(reader, profile, &place);

		r = expect_place(reader, r, place, i);
		if (r < 0)
			return r;
	}
	return bytes_reader_fault(reader);
}

/* A thread's number is near its process's. */
static void write_threads(struct bytes_writer *writer, const struct thread_table *table)
{
	bytes_write_varint(writer, table->count);
	for (uint32_t i = 0; i < table->count; i++) {
		const struct thread *thread = &table->threads[i];

		bytes_write_varint(writer, thread->pid);
		bytes_write_signed(writer, (int64_t)thread->tid - thread->pid);
		bytes_write_varint(writer, thread->name);
		bytes_write_varint(writer, thread->labels);
	}
}

static int read_threads(struct bytes_reader *reader, struct thread_table *table)
{
	uint32_t count = block_read_count(reader, THREAD_COUNT_MAX);

	for (uint32_t i = 0; i < count; i++) {
		struct thread thread = {.pid = bytes_read_varint32(reader)};
		uint64_t tid = thread.pid + (uint64_t)bytes_read_signed(reader);
		uint32_t place = 0;
		int r;

		thread.tid = (uint32_t)tid;
		thread.name = bytes_read_varint32(reader);
		thread.labels = bytes_read_varint32(reader);
		if (tid > UINT32_MAX)
			bytes_reader_refuse(reader);
		if (bytes_reader_fault(reader) < 0)
			return bytes_reader_fault(reader);
		r = thread_table_add(table, &thread, &place);
		r = expect_place(reader, r, place, i);
		if (r < 0)
			return r;
	}
	return bytes_reader_fault(reader);
}

static void write_cpus(struct bytes_writer *writer, const struct profile *profile)
{
	bytes_write_varint(writer, profile->cpu_count);
	for (uint32_t i = 0; i < profile->cpu_count; i++) {
		const struct profile_cpu *cpu = &profile->cpus[i];

		bytes_write_varint(writer, cpu->cpu);
		bytes_write_varint(writer, cpu->busy_ns);
		bytes_write_varint(writer, cpu->idle_ns);
		bytes_write_varint(writer, cpu->steal_ns);
		bytes_write_varint(writer, cpu->sampled_ns);
	}
}

static int read_cpus(struct bytes_reader *reader, struct profile *profile)
{
	uint32_t count = block_read_count(reader, PROFILE_CPU_COUNT_MAX);

	for (uint32_t i = 0; i < count; i++) {
		struct profile_cpu cpu = {.cpu = bytes_read_varint32(reader)};
		int r;

		cpu.busy_ns = bytes_read_varint(reader);
		cpu.idle_ns = bytes_read_varint(reader);
		cpu.steal_ns = bytes_read_varint(reader);
		cpu.sampled_ns = bytes_read_varint(reader);
		r = bytes_reader_fault(reader);
		if (r == 0)
			r = profile_add_cpu(profile, &cpu);
		if (r < 0)
			return r;
	}
	return bytes_reader_fault(reader);
}

static void write_counters(struct bytes_writer *writer, const struct profile *profile)
{
	bytes_write_varint(writer, profile->counter_count);
	for (uint32_t i = 0; i < profile->counter_count; i++) {
		bytes_write_varint(writer, profile->counters[i].name);
		bytes_write_varint(writer, profile->counters[i].value);
	}
}

static int read_counters(struct bytes_reader *reader, struct profile *profile)
{
	uint32_t count = block_read_count(reader, PROFILE_COUNTER_COUNT_MAX);

	profile->counters = calloc(count ? count : 1, sizeof(*profile->counters));
	if (!profile->counters)
		return -ENOMEM;
	profile->counter_capacity = count;
	for (uint32_t i = 0; i < count; i++) {
		profile->counters[i].name = bytes_read_varint32(reader);
		profile->counters[i].value = bytes_read_varint(reader);
	}
	profile->counter_count = count;
	return bytes_reader_fault(reader);
}

void block_dictionary_write(
	struct bytes_writer *writer, const struct profile *profile, const struct block_order *order)
{
	write_head(writer, &profile->head);
	block_strings_write(writer, &profile->strings);
	block_modules_write(writer, &profile->modules);
	block_frames_write(writer, profile, order);
	block_stacks_write(writer, profile, order);
	block_labels_write(writer, &profile->labels);
	write_threads(writer, &profile->threads);
	write_cpus(writer, profile);
	write_counters(writer, profile);
}

int block_dictionary_read(struct bytes_reader *reader, struct profile *profile)
{
	int r;

	read_head(reader, &profile->head);
	r = block_strings_read(reader, &profile->strings);
	if (r == 0)
		r = block_modules_read(reader, &profile->modules);
	if (r == 0)
		r = block_frames_read(reader, profile);
	if (r == 0)
		r = block_stacks_read(reader, profile);
	if (r == 0)
		r = block_labels_read(reader, profile);
	if (r == 0)
		r = read_threads(reader, &profile->threads);
	if (r == 0)
		r = read_cpus(reader, profile);
	if (r == 0)
		r = read_counters(reader, profile);
	return r == 0 ? bytes_reader_fault(reader) : r;
}
