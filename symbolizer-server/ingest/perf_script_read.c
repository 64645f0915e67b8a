/* SPDX-License-Identifier: Apache-2.0 */
/* A head opens a sample; its frames are gathered as they come, and added once the next head or an
 * empty line ends it: only then is known in which file inlined calls are. */
#include "symbolizer-server/ingest/perf_script_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/clock.h"
#include "symbolizer-server/ingest/perf_script_line.h"

/* Lines that begin with # before the first that tells what a text is. */
#define LOOK_LINES_MAX 10000u
#define CPU_COUNT "process_cpu:samples:count::"

struct sample_frame {
	struct perf_script_frame frame;
	struct ingest_text source; /* empty: not known */
	uint32_t line;
	bool in_file; /* its address is an offset there */
};

struct reading {
	struct ingest_batch *batch;
	uint32_t rate;
	bool is_open;
	struct perf_script_head head; /* of the open sample */
	struct sample_frame *frames; /* leaf first */
	uint32_t frame_count;
	uint64_t sample_count;
};

static struct ingest_text take_line(struct ingest_text *text)
{
	const char *end = memchr(text->text, '\n', text->length);
	struct ingest_text line = {text->text, end ? (size_t)(end - text->text) : text->length};
	size_t passed = end ? line.length + 1 : line.length;

	text->text += passed;
	text->length -= passed;
	return line;
}

static bool begins_with(struct ingest_text text, const char *begin)
{
	return text.length >= strlen(begin) && memcmp(text.text, begin, strlen(begin)) == 0;
}

bool perf_script_is(struct ingest_text text)
{
	struct perf_script_head head;

	for (uint32_t i = 0; i < LOOK_LINES_MAX && text.length > 0; i++) {
		struct ingest_text line = take_line(&text);

		if (perf_script_trim(line).length > 0 && line.text[0] != '#')
			return perf_script_head_read(line, &head);
	}
	return false;
}

/* Frames begin with a tab. */
static bool read_head(struct ingest_text line, struct perf_script_head *ret_head)
{
	return line.length > 0 && line.text[0] != '\t' && line.text[0] != '#' &&
		perf_script_head_read(line, ret_head);
}

static bool is_sample(const struct perf_script_head *head)
{
	return !begins_with(head->event, "PERF_RECORD_");
}

uint64_t perf_script_duration_ns(struct ingest_text text)
{
	struct perf_script_head head;
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	while (text.length > 0) {
		if (!read_head(take_line(&text), &head) || !is_sample(&head))
			continue;
		if (head.time_ns < first_ns)
			first_ns = head.time_ns;
		if (head.time_ns > last_ns)
			last_ns = head.time_ns;
	}
	return last_ns > first_ns ? last_ns - first_ns : 0;
}

/* ---- Types ---- */

/* `cycles:ppp` is cycles; what stands behind other colons is part of the name. */
static struct ingest_text without_modifiers(struct ingest_text event)
{
	size_t i = event.length;

	while (i > 0 && event.text[i - 1] != '\0' && strchr("ukhGHIpPSDWeb", event.text[i - 1]))
		i--;
	if (i > 1 && i < event.length && event.text[i - 1] == ':')
		event.length = i - 1;
	return event;
}

static bool is_event(struct ingest_text event, const char *name)
{
	return event.length == strlen(name) && begins_with(event, name);
}

static void write_type(struct ingest_text event, bool has_period, char type[INGEST_TYPE_BYTES_MAX])
{
	char name[256];
	size_t length = 0;

	for (; length < event.length && length < sizeof(name) - 1; length++) {
		char byte = event.text[length];

		name[length] = byte;
		if (byte == ':' || byte == ' ')
			name[length] = '_';
	}
	name[length] = '\0';
	if (has_period)
		snprintf(type, INGEST_TYPE_BYTES_MAX, "perf:%s:count::", name);
	else
		snprintf(type, INGEST_TYPE_BYTES_MAX, "perf:samples:count:%s:count", name);
}

/* The type of a sample, and what it weighs: the period, or one where that is not told. */
static int open_type(
	const struct reading *reading, struct sample_table **ret_table, int64_t *ret_value)
{
	const struct perf_script_head *head = &reading->head;
	struct ingest_text event = without_modifiers(head->event);
	bool is_clock = is_event(event, "cpu-clock") || is_event(event, "task-clock");
	char type[INGEST_TYPE_BYTES_MAX];

	*ret_value = head->has_period ? head->period : 1;
	if (!is_clock) {
		write_type(event, head->has_period, type);
		return ingest_batch_type(
			reading->batch, type, head->has_period ? head->period : 0, ret_table);
	}
	if (!head->has_period && reading->rate == 0)
		return ingest_batch_type(reading->batch, CPU_COUNT, 0, ret_table);
	if (!head->has_period)
		*ret_value = reading->rate < NS_PER_S ? (int64_t)(NS_PER_S / reading->rate) : 1;
	return ingest_batch_type(reading->batch, PROFILE_TYPE_ON_CPU, *ret_value, ret_table);
}

/* ---- Frames ---- */

/* `[vdso]` and the like are no parts of the kernel; other names in brackets are, and files of its
 * modules. */
static bool is_kernel(struct ingest_text file)
{
	static const char *const users[] = {
		"[vdso", "[vsyscall", "[heap", "[stack", "[anon", "[JIT", "[uprobes"};

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		if (begins_with(file, users[i]))
			return false;
	}
	return begins_with(file, "[") ||
		(file.length > 3 && memcmp(file.text + file.length - 3, ".ko", 3) == 0);
}

/* Generated code, whose names a runtime wrote into /tmp/perf-PID.map: no module of a binary. */
static bool is_generated(struct ingest_text file)
{
	return begins_with(file, "/tmp/perf-") || begins_with(file, "[JIT") ||
		begins_with(file, "//anon");
}

static int add_named(
	const struct reading *reading, const struct sample_frame *from, uint32_t *ret_frame)
{
	struct ingest_name name = {.kind = FRAME_NATIVE,
		.module = from->frame.file,
		.function = from->frame.symbol,
		.file = from->source,
		.line = from->line};

	if (name.function.length == 0) {
		name.kind = FRAME_UNKNOWN;
	} else if (is_kernel(name.module)) {
		name.kind = FRAME_KERNEL;
	} else if (is_generated(name.module) || name.module.length == 0) {
		name.kind = FRAME_TEXT;
		name.module.length = 0;
	}
	if (begins_with(name.module, "[kernel.") || begins_with(name.module, "[guest.kernel."))
		name.module = (struct ingest_text){"[kernel]", 8};
	return ingest_batch_named(reading->batch, &name, ret_frame);
}

static int add_frame(
	const struct reading *reading, const struct sample_frame *from, uint32_t *ret_frame)
{
	const struct perf_script_frame *frame = &from->frame;
	/* perf tells which file it was, not which build: it stays an address until it does. */
	struct ingest_address place = {
		.module = frame->file, .address = frame->address, .in_file = true};

	if (frame->symbol.length > 0 || !frame->has_address || !from->in_file ||
		frame->file.length == 0 || frame->file.text[0] != '/' ||
		is_generated(frame->file) || is_kernel(frame->file))
		return add_named(reading, from, ret_frame);
	return ingest_batch_address(reading->batch, &place, ret_frame);
}

/* Inlined calls are in the file of the frame that they were inlined into, which comes behind them
 * with the same address. */
static void give_files(struct reading *reading)
{
	for (uint32_t i = reading->frame_count; i > 1; i--) {
		const struct perf_script_frame *outer = &reading->frames[i - 1].frame;
		struct perf_script_frame *frame = &reading->frames[i - 2].frame;

		if (frame->is_inlined && frame->address == outer->address)
			frame->file = outer->file;
	}
}

static int add_stack(struct reading *reading, uint32_t *ret_stack)
{
	static const struct ingest_name unknown = {.kind = FRAME_UNKNOWN};
	uint32_t frames[INGEST_DEPTH_MAX + 1];
	int r = 0;

	give_files(reading);
	for (uint32_t i = 0; r == 0 && i < reading->frame_count; i++)
		r = add_frame(reading, &reading->frames[i], &frames[i]);
	if (r == 0 && reading->frame_count == 0) {
		r = ingest_batch_named(reading->batch, &unknown, &frames[0]);
		reading->frame_count = 1;
	}
	return r < 0 ? r
		     : ingest_batch_stack_leaf_first(
			       reading->batch, frames, reading->frame_count, ret_stack);
}

/* ---- Samples ---- */

static int add_sample(struct reading *reading)
{
	const struct perf_script_head *head = &reading->head;
	struct sample_row row = {.cpu = head->cpu, .count = 1};
	struct thread thread = {.pid = head->pid, .tid = head->tid};
	struct sample_table *table;
	int r;

	if (!reading->is_open)
		return 0;
	reading->is_open = false;
	reading->sample_count++;
	r = open_type(reading, &table, &row.value);
	if (r == 0)
		r = ingest_batch_text(reading->batch, head->comm, &thread.name);
	if (r == 0)
		r = ingest_batch_series(reading->batch, NULL, 0, &thread, &row.thread);
	if (r == 0)
		r = add_stack(reading, &row.stack);
	return r < 0 ? r : ingest_batch_row(reading->batch, table, &row);
}

static void push_frame(struct reading *reading, struct perf_script_frame frame, bool in_file)
{
	/* One more than is kept tells the batch that it was cut. */
	if (reading->frame_count <= INGEST_DEPTH_MAX)
		reading->frames[reading->frame_count++] =
			(struct sample_frame){.frame = frame, .in_file = in_file};
}

/* What follows on the same line: a frame, of a recording without stacks, or a tracepoint's data. */
static void take_rest(struct reading *reading)
{
	struct perf_script_frame frame;

	/* Its address is that of the running process. */
	if (perf_script_frame_read(reading->head.rest, &frame) && frame.has_address &&
		(frame.symbol.length > 0 || frame.file.length > 0))
		push_frame(reading, frame, false);
}

static void take_source(struct reading *reading, struct ingest_text line)
{
	struct sample_frame *frame = &reading->frames[reading->frame_count - 1];
	struct ingest_text file;
	uint32_t number;

	if (perf_script_source_read(line, &file, &number)) {
		frame->source = file;
		frame->line = number;
	}
}

/* A line below a head. */
static void take_below(struct reading *reading, struct ingest_text line)
{
	struct perf_script_frame frame;
	struct ingest_text text = perf_script_trim(line);

	/* perf indents frames by a tab, and lines of the source by two blanks. */
	if (line.text[0] == '\t' && perf_script_frame_read(text, &frame))
		push_frame(reading, frame, true);
	else if (reading->frame_count > 0)
		take_source(reading, text);
	else
		reading->batch->drops.lines_skipped++;
}

static int take(struct reading *reading, struct ingest_text line)
{
	struct perf_script_head head;
	int r = 0;

	if (perf_script_trim(line).length == 0)
		return add_sample(reading);
	if (line.text[0] == '#')
		return 0;
	if (read_head(line, &head)) {
		r = add_sample(reading);
		reading->head = head;
		reading->is_open = is_sample(&head);
		reading->frame_count = 0;
		if (reading->is_open)
			take_rest(reading);
	} else if (reading->is_open) {
		take_below(reading, line);
	} else {
		reading->batch->drops.lines_skipped++;
	}
	return r;
}

int perf_script_read(struct ingest_batch *batch, uint32_t rate, struct ingest_text text,
	struct ingest_fault *fault)
{
	struct reading reading = {.batch = batch, .rate = rate};
	int r = 0;

	reading.frames = malloc((INGEST_DEPTH_MAX + 1) * sizeof(*reading.frames));
	if (!reading.frames)
		return -ENOMEM;
	while (r == 0 && text.length > 0)
		r = take(&reading, take_line(&text));
	if (r == 0)
		r = add_sample(&reading);
	free(reading.frames);
	if (r == 0 && reading.sample_count == 0 && batch->drops.lines_skipped > 0) {
		return ingest_refuse(fault, -EBADMSG,
			"the body was read as text of perf script, and no line of it is a sample: "
			"`comm pid/tid [cpu] time: period event:`");
	}
	return r;
}
