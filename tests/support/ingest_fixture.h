/* SPDX-License-Identifier: Apache-2.0 */
/* Ingest fixture: a batch, and what it became, as text.
 *
 * What it is   folded lines of a profile's rows, sorted, each with its type and labels, so that a
 *              test says what it expects in the words of the format that it reads.
 * Ownership    texts are static and good until the next call.
 * Threads      one.
 * Errors       a failed check ends the program.
 */
#pragma once

#include <inttypes.h>

#include "store/profile/frame_name.h"
#include "symbolizer-server/ingest/ingest_batch.h"
#include "tests/support/check.h"

#define INGEST_START_NS UINT64_C(1796061870000000000)
#define INGEST_UNTIL_NS (INGEST_START_NS + UINT64_C(10000000000))

struct ingest_line {
	char text[4096];
};

static inline int ingest_line_order(const void *one, const void *other)
{
	return strcmp(
		((const struct ingest_line *)one)->text, ((const struct ingest_line *)other)->text);
}

static inline size_t ingest_write_frame(
	const struct profile *profile, uint32_t index, char *text, size_t room)
{
	const struct frame *frame = &profile->frames.frames[index];
	const char *module =
		string_table_text(&profile->strings, profile->modules.modules[frame->module].name);
	struct frame_name name;

	if (!(frame->flags & FRAME_NAMED))
		return (size_t)snprintf(text, room, "%s%s0x%" PRIx64, module,
			frame->flags & FRAME_FILE_OFFSET ? "@" : "+", frame->address);
	name = frame_name_read(&profile->strings, (uint32_t)frame->address);
	if (name.line > 0)
		return (size_t)snprintf(text, room, "%s(%s:%" PRIu32 ")", name.function,
			name.file ? name.file : "", name.line);
	return (size_t)snprintf(text, room, "%s", name.function);
}

static inline size_t ingest_write_stack(
	const struct profile *profile, uint32_t stack, char *text, size_t room)
{
	uint32_t path[INGEST_DEPTH_MAX + 2], depth = 0;
	size_t at = 0;

	text[0] = '\0';
	for (; stack != STACK_EMPTY; stack = profile->stacks.nodes[stack].parent)
		path[depth++] = profile->stacks.nodes[stack].frame;
	while (depth > 0 && at + 1 < room) {
		at += ingest_write_frame(profile, path[--depth], text + at, room - at);
		at += (size_t)snprintf(
			text + at, room > at ? room - at : 0, "%s", depth ? ";" : "");
	}
	return at < room ? at : room - 1;
}

static inline void ingest_write_labels(
	const struct profile *profile, uint32_t set, char *text, size_t room)
{
	const struct label_set *labels = &profile->labels.sets[set];
	size_t at = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < labels->count && at + 1 < room; i++) {
		const struct label *label = &profile->labels.labels[labels->first + i];

		at += (size_t)snprintf(text + at, room - at, "%s%s=%s", i ? "," : "",
			string_table_text(&profile->strings, label->key),
			string_table_text(&profile->strings, label->value));
	}
}

/* `TYPE{labels} stack count value`, a line each, sorted. */
static inline const char *ingest_lines(const struct profile *profile)
{
	static char text[1u << 16];
	static struct ingest_line lines[512];
	uint32_t count = 0;
	size_t at = 0;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];

		for (uint32_t j = 0; j < table->row_count && count < 512; j++) {
			const struct sample_row *row = &table->rows[j];
			char labels[1024], stack[2048];

			ingest_write_labels(profile, profile->threads.threads[row->thread].labels,
				labels, sizeof(labels));
			ingest_write_stack(profile, row->stack, stack, sizeof(stack));
			snprintf(lines[count++].text, sizeof(lines[0].text),
				"%s{%s} %s %" PRIu32 " %" PRId64 "\n",
				string_table_text(&profile->strings, table->type), labels, stack,
				row->count, row->value);
		}
	}
	qsort(lines, count, sizeof(lines[0]), ingest_line_order);
	text[0] = '\0';
	for (uint32_t i = 0; i < count && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s", lines[i].text);
	return text;
}

/* Takes the batch's profile and gives its lines. */
static inline const char *ingest_batch_lines(struct ingest_batch *batch)
{
	struct profile *profile;
	const char *text;

	CHECK_EQ(ingest_batch_take(batch, &profile), 0);
	text = ingest_lines(profile);
	profile_free(profile);
	ingest_batch_done(batch);
	return text;
}
