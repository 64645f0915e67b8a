/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and locations are numbered as the functions of the tree, plus 1; only those that some node
 * has are written. Texts get numbers as they are met, so that the table of texts comes last, as its
 * readers expect it may.
 */
#include "symbolizer-server/export/pprof_export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/string_table.h"
#include "symbolizer-server/export/export_modules.h"
#include "symbolizer-server/export/stack_walk.h"

struct work {
	struct reply_writer *writer;
	const struct level_tree *tree;
	const struct export_about *about;
	struct string_table texts;
	struct export_modules modules;
	int64_t *locations; /* of a stack */
	int error; /* the first one */
};

static void note(struct work *work, int r)
{
	if (r < 0 && work->error == 0)
		work->error = r;
}

static int64_t text_number(struct work *work, const char *text, size_t length)
{
	uint32_t index = 0;

	note(work, string_table_add(&work->texts, text, length, &index));
	return index;
}

/* A text of the function table. */
static int64_t number_of(struct work *work, uint32_t string)
{
	const struct string_table *strings = &work->tree->functions->strings;

	return text_number(
		work, string_table_text(strings, string), string_table_length(strings, string));
}

/* ---- Samples ---- */

static void write_value_type(
	struct work *work, struct reply_field field, enum type_part type, enum type_part unit)
{
	size_t type_length, unit_length;
	const char *type_text = export_type_part(work->about->type, type, &type_length);
	const char *unit_text = export_type_part(work->about->type, unit, &unit_length);

	reply_begin(work->writer, field);
	reply_number(work->writer, (struct reply_field){1, "type"},
		text_number(work, type_text, type_length));
	reply_number(work->writer, (struct reply_field){2, "unit"},
		text_number(work, unit_text, unit_length));
	reply_end(work->writer);
}

static void write_label(struct work *work, const char *key, const char *text)
{
	const char *value = export_label_value(text, key);

	reply_begin(work->writer, (struct reply_field){3, "label"});
	reply_number(
		work->writer, (struct reply_field){1, "key"}, text_number(work, key, strlen(key)));
	reply_number(work->writer, (struct reply_field){2, "str"},
		text_number(work, value, strlen(value)));
	reply_end(work->writer);
}

static void write_labels(struct work *work, const struct stack_walk *walk)
{
	if (walk->label_count == 0)
		return;
	reply_begin_list(work->writer, (struct reply_field){3, "label"});
	for (uint32_t i = 0; i < walk->label_count && i < work->about->labels.count; i++) {
		uint32_t function = work->tree->nodes[walk->labels[i]].function;

		write_label(work, work->about->labels.names[i],
			function_table_name(work->tree->functions, function));
	}
	reply_end_list(work->writer);
}

/* Locations are told leaf first. */
static int write_sample(struct work *work, const struct stack_walk *walk)
{
	int64_t *locations =
		realloc(work->locations, (walk->frame_count + (size_t)1) * sizeof(*locations));

	if (!locations)
		return -ENOMEM;
	work->locations = locations;
	for (uint32_t i = 0; i < walk->frame_count; i++) {
		uint32_t node = walk->frames[walk->frame_count - 1 - i];

		locations[i] = (int64_t)work->tree->nodes[node].function + 1;
	}
	reply_begin(work->writer, (struct reply_field){2, "sample"});
	reply_numbers(
		work->writer, (struct reply_field){1, "locationId"}, locations, walk->frame_count);
	reply_numbers(work->writer, (struct reply_field){2, "value"}, &walk->value, 1);
	write_labels(work, walk);
	reply_end(work->writer);
	return 0;
}

static int write_samples(struct work *work)
{
	struct stack_walk walk;
	bool begun = false;
	int r;

	stack_walk_init(&walk, work->tree);
	while ((r = stack_walk_next(&walk)) > 0) {
		if (!begun)
			reply_begin_list(work->writer, (struct reply_field){2, "sample"});
		begun = true;
		r = write_sample(work, &walk);
		if (r < 0)
			break;
	}
	if (begun)
		reply_end_list(work->writer);
	stack_walk_done(&walk);
	return r;
}

/* ---- Tables ---- */

static void write_mappings(struct work *work)
{
	const struct reply_field field = {3, "mapping"};

	if (work->modules.count == 0)
		return;
	reply_begin_list(work->writer, field);
	for (uint32_t i = 0; i < work->modules.count; i++) {
		const struct export_module *mapping = &work->modules.modules[i];

		reply_begin(work->writer, field);
		reply_number(work->writer, (struct reply_field){1, "id"}, (int64_t)i + 1);
		reply_number(work->writer, (struct reply_field){5, "filename"},
			number_of(work, mapping->name));
		reply_number(work->writer, (struct reply_field){6, "buildId"},
			number_of(work, mapping->build));
		reply_boolean(
			work->writer, (struct reply_field){7, "hasFunctions"}, mapping->all_named);
		reply_end(work->writer);
	}
	reply_end_list(work->writer);
}

static void write_location(struct work *work, uint32_t index)
{
	const struct function *function = &work->tree->functions->functions[index];

	reply_begin(work->writer, (struct reply_field){4, "location"});
	reply_number(work->writer, (struct reply_field){1, "id"}, (int64_t)index + 1);
	reply_number(
		work->writer, (struct reply_field){2, "mappingId"}, work->modules.module_of[index]);
	if (export_is_named(function) || work->modules.module_of[index] == 0) {
		reply_begin_list(work->writer, (struct reply_field){4, "line"});
		reply_begin(work->writer, (struct reply_field){4, "line"});
		reply_number(
			work->writer, (struct reply_field){1, "functionId"}, (int64_t)index + 1);
		reply_number(work->writer, (struct reply_field){2, "line"}, function->line);
		reply_end(work->writer);
		reply_end_list(work->writer);
	} else {
		reply_number(work->writer, (struct reply_field){3, "address"},
			(int64_t)export_address(work->tree, index));
	}
	reply_end(work->writer);
}

static void write_function(struct work *work, uint32_t index)
{
	const struct function *function = &work->tree->functions->functions[index];
	int64_t name = number_of(work, function->plain ? function->plain : function->name);

	reply_begin(work->writer, (struct reply_field){5, "function"});
	reply_number(work->writer, (struct reply_field){1, "id"}, (int64_t)index + 1);
	reply_number(work->writer, (struct reply_field){2, "name"}, name);
	reply_number(work->writer, (struct reply_field){3, "systemName"},
		function->raw ? number_of(work, function->raw) : name);
	reply_number(
		work->writer, (struct reply_field){4, "filename"}, number_of(work, function->file));
	reply_end(work->writer);
}

static void write_each(struct work *work, struct reply_field field,
	void (*write)(struct work *work, uint32_t index))
{
	bool begun = false;

	for (uint32_t i = 0; i < work->tree->functions->count; i++) {
		if (!work->modules.used[i])
			continue;
		if (!begun)
			reply_begin_list(work->writer, field);
		begun = true;
		write(work, i);
	}
	if (begun)
		reply_end_list(work->writer);
}

/* The first one is empty, and is told. */
static void write_texts(struct work *work)
{
	const struct reply_field field = {6, "stringTable"};

	reply_begin_list(work->writer, field);
	for (uint32_t i = 0; i < work->texts.count; i++)
		reply_text(work->writer, field, string_table_text(&work->texts, i),
			string_table_length(&work->texts, i));
	reply_end_list(work->writer);
}

static void write_head(struct work *work)
{
	struct time_range range = work->about->range;

	reply_number(work->writer, (struct reply_field){9, "timeNanos"}, (int64_t)range.from_ns);
	reply_number(work->writer, (struct reply_field){10, "durationNanos"},
		(int64_t)(range.until_ns - range.from_ns));
	write_value_type(
		work, (struct reply_field){11, "periodType"}, TYPE_PERIOD, TYPE_PERIOD_UNIT);
	reply_number(work->writer, (struct reply_field){12, "period"}, work->about->period);
}

static int write_profile(struct work *work)
{
	const struct reply_field sample_type = {1, "sampleType"};
	int64_t comment;
	int r;

	reply_begin_list(work->writer, sample_type);
	write_value_type(work, sample_type, TYPE_SAMPLE, TYPE_UNIT);
	reply_end_list(work->writer);
	r = write_samples(work);
	if (r < 0)
		return r;
	write_mappings(work);
	write_each(work, (struct reply_field){4, "location"}, write_location);
	write_each(work, (struct reply_field){5, "function"}, write_function);
	write_head(work);
	comment = text_number(work, work->about->name, strlen(work->about->name));
	reply_numbers(work->writer, (struct reply_field){13, "comment"}, &comment, 1);
	write_texts(work);
	return work->error;
}

int pprof_export_write(struct reply_writer *writer, const struct level_tree *tree,
	const struct export_about *about)
{
	struct work work = {.writer = writer, .tree = tree, .about = about};
	int r = string_table_init(&work.texts);

	if (r == 0)
		r = export_modules_init(&work.modules, tree);
	if (r == 0)
		r = write_profile(&work);
	export_modules_done(&work.modules);
	string_table_done(&work.texts);
	free(work.locations);
	return r;
}
