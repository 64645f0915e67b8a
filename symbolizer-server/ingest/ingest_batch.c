/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_batch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char truncated[] = "[truncated]";
static const char unknown[] = "[unknown]";

/* ---- Window ---- */

static void set_window(struct profile_head *head, uint64_t start_ns, uint64_t until_ns)
{
	uint64_t first_ns = start_ns < until_ns ? start_ns : until_ns;
	uint64_t last_ns = start_ns < until_ns ? until_ns : start_ns;

	first_ns = first_ns / PROFILE_SLOT_NS * PROFILE_SLOT_NS;
	last_ns = (last_ns + PROFILE_SLOT_NS - 1) / PROFILE_SLOT_NS * PROFILE_SLOT_NS;
	if (last_ns == first_ns)
		last_ns += PROFILE_SLOT_NS;
	/* An upload knows one clock: all three read the same. */
	head->clocks = (struct clock_reading){last_ns, last_ns, last_ns};
	head->window_start_ns = first_ns;
	head->window_end_ns = last_ns;
}

int ingest_batch_init(struct ingest_batch *batch, uint64_t start_ns, uint64_t until_ns)
{
	int r;

	*batch = (struct ingest_batch){.scratch = malloc(STRING_BYTES_MAX)};
	r = batch->scratch ? profile_new(&batch->profile) : -ENOMEM;
	if (r < 0) {
		ingest_batch_done(batch);
		return r;
	}
	set_window(&batch->profile->head, start_ns, until_ns);
	return 0;
}

void ingest_batch_done(struct ingest_batch *batch)
{
	profile_free(batch->profile);
	free(batch->scratch);
	*batch = (struct ingest_batch){.profile = NULL};
}

/* ---- Texts ---- */

int ingest_batch_text(struct ingest_batch *batch, struct ingest_text text, uint32_t *ret_string)
{
	if (text.length > STRING_BYTES_MAX) {
		text.length = STRING_BYTES_MAX;
		batch->drops.names_cut++;
	}
	return string_table_add(&batch->profile->strings, text.text, text.length, ret_string);
}

/* Appends to the scratch text as much as has room. */
static void append(struct ingest_batch *batch, size_t *length, struct ingest_text text)
{
	size_t room = STRING_BYTES_MAX - *length;

	if (text.length > room) {
		text.length = room;
		batch->drops.names_cut++;
	}
	if (text.length > 0)
		memcpy(batch->scratch + *length, text.text, text.length);
	*length += text.length;
}

/* ---- Labels ---- */

static bool is_key_byte(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		(byte >= '0' && byte <= '9') || byte == '_' || byte == '.';
}

static bool is_reserved(struct ingest_text key)
{
	return key.length == 0 || (key.length >= 2 && memcmp(key.text, "__", 2) == 0);
}

static int add_key(struct ingest_batch *batch, struct ingest_text key, uint32_t *ret_string)
{
	if (key.length > INGEST_LABEL_KEY_BYTES_MAX) {
		key.length = INGEST_LABEL_KEY_BYTES_MAX;
		batch->drops.labels_cut++;
	}
	for (size_t i = 0; i < key.length; i++)
		batch->scratch[i] = (char)(is_key_byte(key.text[i]) ? key.text[i] : '_');
	return string_table_add(&batch->profile->strings, batch->scratch, key.length, ret_string);
}

static int add_value(struct ingest_batch *batch, struct ingest_text value, uint32_t *ret_string)
{
	if (value.length > INGEST_LABEL_VALUE_BYTES_MAX) {
		value.length = INGEST_LABEL_VALUE_BYTES_MAX;
		batch->drops.labels_cut++;
	}
	return string_table_add(&batch->profile->strings, value.text, value.length, ret_string);
}

/* Puts LABEL into LABELS, in place of one of the same key; counts it if there is no room. */
static int put_label(struct ingest_batch *batch, struct ingest_label label, struct label *labels,
	uint32_t *count)
{
	struct label pair;
	uint32_t at = 0;
	int r;

	if (is_reserved(label.key)) {
		batch->drops.labels_dropped++;
		return 0;
	}
	r = add_key(batch, label.key, &pair.key);
	if (r == 0)
		r = add_value(batch, label.value, &pair.value);
	if (r < 0)
		return r;
	while (at < *count && labels[at].key != pair.key)
		at++;
	if (at == LABEL_COUNT_MAX) {
		batch->drops.labels_dropped++;
		return 0;
	}
	labels[at] = pair;
	if (at == *count)
		++*count;
	return 0;
}

int ingest_batch_label(struct ingest_batch *batch, struct ingest_label label)
{
	return put_label(batch, label, batch->base, &batch->base_count);
}

int ingest_batch_series(struct ingest_batch *batch, const struct ingest_label *labels,
	uint32_t label_count, const struct thread *thread, uint32_t *ret_series)
{
	struct label all[LABEL_COUNT_MAX];
	uint32_t count = batch->base_count;
	struct thread row = thread ? *thread : (struct thread){0};
	int r = 0;

	memcpy(all, batch->base, count * sizeof(*all));
	for (uint32_t i = 0; r == 0 && i < label_count; i++)
		r = put_label(batch, labels[i], all, &count);
	/* In case one of them took the place of what holds for all. */
	for (uint32_t i = 0; i < batch->base_count; i++)
		all[i] = batch->base[i];
	if (r == 0)
		r = label_table_add(
			&batch->profile->labels, &batch->profile->strings, all, count, &row.labels);
	if (r == 0)
		r = thread_table_add(&batch->profile->threads, &row, ret_series);
	return r;
}

/* ---- Frames ---- */

static struct ingest_text base_name(struct ingest_text path)
{
	for (size_t i = path.length; i > 0; i--) {
		if (path.text[i - 1] == '/' && i < path.length)
			return (struct ingest_text){path.text + i, path.length - i};
	}
	return path;
}

static int add_module(struct ingest_batch *batch, const struct build_id *id,
	struct ingest_text path, uint32_t *ret_module)
{
	struct module module = {.name = 0};
	int r;

	if (id)
		module.build_id = *id;
	*ret_module = 0;
	if (path.length == 0 && !build_id_known(&module.build_id))
		return 0;
	r = ingest_batch_text(batch, base_name(path), &module.name);
	return r < 0 ? r : module_table_add(&batch->profile->modules, &module, ret_module);
}

/* As docs/format.md has it: name, and behind NULs file and line where they are known. */
static int write_name(
	struct ingest_batch *batch, const struct ingest_name *name, uint32_t *ret_string)
{
	struct ingest_text function = name->function;
	size_t length = 0;
	char line[16];

	if (function.length == 0)
		function = (struct ingest_text){unknown, sizeof(unknown) - 1};
	append(batch, &length, function);
	if (name->file.length > 0 || name->line > 0) {
		append(batch, &length, (struct ingest_text){"", 1});
		append(batch, &length, name->file);
	}
	if (name->line > 0) {
		int digits = snprintf(line, sizeof(line), "%c%" PRIu32, '\0', name->line);

		append(batch, &length, (struct ingest_text){line, (size_t)digits});
	}
	return string_table_add(&batch->profile->strings, batch->scratch, length, ret_string);
}

int ingest_batch_named(
	struct ingest_batch *batch, const struct ingest_name *name, uint32_t *ret_frame)
{
	struct frame frame = {.kind = (uint8_t)name->kind, .flags = FRAME_NAMED};
	uint32_t string = 0;
	int r = add_module(batch, NULL, name->module, &frame.module);

	if (r == 0)
		r = write_name(batch, name, &string);
	if (r < 0)
		return r;
	frame.address = string;
	return frame_table_add(&batch->profile->frames, &frame, ret_frame);
}

int ingest_batch_address(
	struct ingest_batch *batch, const struct ingest_address *place, uint32_t *ret_frame)
{
	struct frame frame = {.kind = place->is_kernel ? FRAME_KERNEL : FRAME_NATIVE,
		.flags = place->in_file ? FRAME_FILE_OFFSET : 0,
		.address = place->address};
	int r = add_module(batch, &place->id, place->module, &frame.module);

	return r < 0 ? r : frame_table_add(&batch->profile->frames, &frame, ret_frame);
}

/* ---- Stacks ---- */

static int begin_stack(struct ingest_batch *batch, bool cut, uint32_t *ret_stack)
{
	const struct ingest_name marker = {
		.kind = FRAME_MARKER, .function = {truncated, sizeof(truncated) - 1}};
	uint32_t frame;
	int r;

	*ret_stack = STACK_EMPTY;
	if (!cut)
		return 0;
	batch->drops.stacks_cut++;
	r = ingest_batch_named(batch, &marker, &frame);
	return r < 0 ? r : stack_table_add(&batch->profile->stacks, STACK_EMPTY, frame, ret_stack);
}

int ingest_batch_stack_leaf_first(
	struct ingest_batch *batch, const uint32_t *frames, uint32_t count, uint32_t *ret_stack)
{
	uint32_t kept = count < INGEST_DEPTH_MAX ? count : INGEST_DEPTH_MAX;
	uint32_t stack;
	int r = begin_stack(batch, kept < count, &stack);

	for (uint32_t i = kept; r == 0 && i > 0; i--)
		r = stack_table_add(&batch->profile->stacks, stack, frames[i - 1], &stack);
	if (r == 0)
		*ret_stack = stack;
	return r;
}

int ingest_batch_stack_root_first(
	struct ingest_batch *batch, const uint32_t *frames, uint32_t count, uint32_t *ret_stack)
{
	uint32_t first = count < INGEST_DEPTH_MAX ? 0 : count - INGEST_DEPTH_MAX;
	uint32_t stack;
	int r = begin_stack(batch, first > 0, &stack);

	for (uint32_t i = first; r == 0 && i < count; i++)
		r = stack_table_add(&batch->profile->stacks, stack, frames[i], &stack);
	if (r == 0)
		*ret_stack = stack;
	return r;
}

/* ---- Samples ---- */

int ingest_batch_type(struct ingest_batch *batch, const char *type, int64_t period,
	struct sample_table **ret_table)
{
	struct profile *profile = batch->profile;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		struct sample_table *table = &profile->types[i];

		if (strcmp(string_table_text(&profile->strings, table->type), type) != 0)
			continue;
		/* Values are kept as they are; what one sample stands for is said no more. */
		if (table->period != period)
			table->period = 0;
		*ret_table = table;
		return 0;
	}
	return profile_add_type(profile, type, period, false, ret_table);
}

int ingest_batch_sample(struct ingest_batch *batch, struct sample_table *table, uint32_t stack,
	uint32_t series, uint64_t count, int64_t value)
{
	struct sample_row row = {.stack = stack,
		.thread = series,
		.cpu = SAMPLE_CPU_UNKNOWN,
		.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX,
		.value = value};

	return ingest_batch_row(batch, table, &row);
}

int ingest_batch_row(
	struct ingest_batch *batch, struct sample_table *table, const struct sample_row *row)
{
	if (row->value > 0)
		return sample_table_add_row(table, row, NULL);
	if (row->value < 0)
		batch->drops.negative++;
	else
		batch->drops.empty++;
	return 0;
}

int ingest_batch_take(struct ingest_batch *batch, struct profile **ret_profile)
{
	int r = profile_seal(batch->profile);

	if (r < 0)
		return r;
	*ret_profile = batch->profile;
	batch->profile = NULL;
	return 0;
}

void ingest_drops_add(struct ingest_drops *to, const struct ingest_drops *drops)
{
#define ADD_DROP(name, meaning) to->name += drops->name;
	INGEST_DROPS(ADD_DROP)
#undef ADD_DROP
}
