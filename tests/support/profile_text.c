/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/profile_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

struct lines {
	char **lines;
	size_t count;
	size_t capacity;
	FILE *open; /* the line being written */
	char *text;
	size_t length;
};

static FILE *line_begin(struct lines *lines)
{
	lines->open = open_memstream(&lines->text, &lines->length);
	CHECK(lines->open);
	return lines->open;
}

static void line_end(struct lines *lines)
{
	CHECK(fclose(lines->open) == 0);
	if (lines->count == lines->capacity) {
		lines->capacity = lines->capacity ? lines->capacity * 2 : 64;
		lines->lines = realloc(lines->lines, lines->capacity * sizeof(*lines->lines));
		CHECK(lines->lines);
	}
	lines->lines[lines->count++] = lines->text;
}

/* Texts may hold any byte; what is not plain is written as \xx. */
static void put_bytes(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] > ' ' && text[i] < 127 && text[i] != '\\')
			fputc(text[i], out);
		else
			fprintf(out, "\\%02x", (unsigned char)text[i]);
	}
	fputc(' ', out);
}

static void put_text(FILE *out, const struct profile *profile, uint32_t index)
{
	put_bytes(out, string_table_text(&profile->strings, index),
		string_table_length(&profile->strings, index));
}

static void put_stack(FILE *out, const struct profile *profile, uint32_t node)
{
	for (; node != STACK_EMPTY; node = profile->stacks.nodes[node].parent) {
		const struct frame *frame =
			&profile->frames.frames[profile->stacks.nodes[node].frame];
		const struct module *module = &profile->modules.modules[frame->module];
		char id[BUILD_ID_TEXT_MAX];

		build_id_format(&module->build_id, id);
		fprintf(out, "< %u.%u %s ", frame->kind, frame->flags, id);
		put_text(out, profile, module->name);
		if (frame->flags & FRAME_NAMED)
			put_text(out, profile, (uint32_t)frame->address);
		else
			fprintf(out, "%" PRIx64 " ", frame->address);
	}
}

static void put_thread(FILE *out, const struct profile *profile, uint32_t index)
{
	const struct thread *thread = &profile->threads.threads[index];
	const struct label_set *set = &profile->labels.sets[thread->labels];

	fprintf(out, "%u/%u ", thread->pid, thread->tid);
	put_text(out, profile, thread->name);
	for (uint32_t i = 0; i < set->count; i++) {
		put_text(out, profile, profile->labels.labels[set->first + i].key);
		put_text(out, profile, profile->labels.labels[set->first + i].value);
	}
}

static void add_rows(
	struct lines *lines, const struct profile *profile, const struct sample_table *table)
{
	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct sample_row *row = &table->rows[i];
		FILE *out = line_begin(lines);

		fputs("row ", out);
		put_text(out, profile, table->type);
		put_thread(out, profile, row->thread);
		fprintf(out, "cpu %u count %u value %" PRId64 " slots ", row->cpu, row->count,
			row->value);
		for (uint32_t j = 0; table->has_slots && j < row->count; j++)
			fprintf(out, "%u ", sample_table_slots(table, row)[j]);
		put_stack(out, profile, row->stack);
		line_end(lines);
	}
}

static void add_types(struct lines *lines, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];
		FILE *out = line_begin(lines);

		fputs("type ", out);
		put_text(out, profile, table->type);
		fprintf(out, "period %" PRId64 " slots %d", table->period, table->has_slots);
		line_end(lines);
	}
}

static void add_host(struct lines *lines, const struct profile *profile)
{
	const struct profile_head *head = &profile->head;
	FILE *out = line_begin(lines);

	fputs("head ", out);
#define PUT_TEXT(name) put_text(out, profile, head->name);
	PROFILE_HEAD_TEXTS(PUT_TEXT)
#undef PUT_TEXT
	fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u",
		head->clocks.monotonic_ns, head->clocks.boottime_ns, head->clocks.realtime_ns,
		head->window_start_ns, head->window_end_ns, head->online_cpu_count);
	line_end(lines);
	for (uint32_t i = 0; i < profile->cpu_count; i++) {
		const struct profile_cpu *cpu = &profile->cpus[i];

		fprintf(line_begin(lines),
			"cpu %u busy %" PRIu64 " idle %" PRIu64 " steal %" PRIu64
			" sampled %" PRIu64,
			cpu->cpu, cpu->busy_ns, cpu->idle_ns, cpu->steal_ns, cpu->sampled_ns);
		line_end(lines);
	}
	for (uint32_t i = 0; i < profile->counter_count; i++) {
		out = line_begin(lines);
		put_text(out, profile, profile->counters[i].name);
		fprintf(out, "counter %" PRIu64, profile->counters[i].value);
		line_end(lines);
	}
	for (uint32_t i = 0; i < profile->feature_count; i++) {
		out = line_begin(lines);
		put_text(out, profile, profile->features[i].name);
		put_text(out, profile, profile->features[i].reason);
		put_text(out, profile, profile->features[i].remedy);
		fprintf(out, "feature %u", profile->features[i].state);
		line_end(lines);
	}
}

static void add_lives(struct lines *lines, const struct life_table *lives)
{
	for (uint32_t i = 0; i < lives->count; i++) {
		struct life_name command = life_table_command(lives, i);
		struct life_name parent = life_table_parent(lives, i);
		FILE *out = line_begin(lines);

		fputs("life ", out);
		put_bytes(out, command.text, command.length);
		put_bytes(out, parent.text, parent.length);
#define PUT_SUM(name) fprintf(out, #name " %" PRIu64 " ", lives->rows[i].sums.name);
		LIFE_SUMS(PUT_SUM)
#undef PUT_SUM
		line_end(lines);
	}
}

static int line_compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static char *join(struct lines *lines)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	CHECK(out);
	if (lines->count > 0)
		qsort(lines->lines, lines->count, sizeof(*lines->lines), line_compare);
	for (size_t i = 0; i < lines->count; i++) {
		fprintf(out, "%s\n", lines->lines[i]);
		free(lines->lines[i]);
	}
	free(lines->lines);
	CHECK(fclose(out) == 0);
	return text;
}

char *profile_rows_text(const struct profile *const *profiles, size_t count)
{
	struct lines lines = {0};

	for (size_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < profiles[i]->type_count; j++)
			add_rows(&lines, profiles[i], &profiles[i]->types[j]);
	}
	return join(&lines);
}

char *profile_text(const struct profile *const *profiles, size_t count)
{
	struct lines lines = {0};

	for (size_t i = 0; i < count; i++) {
		add_host(&lines, profiles[i]);
		add_lives(&lines, &profiles[i]->lives);
		add_types(&lines, profiles[i]);
		for (uint32_t j = 0; j < profiles[i]->type_count; j++)
			add_rows(&lines, profiles[i], &profiles[i]->types[j]);
	}
	return join(&lines);
}
