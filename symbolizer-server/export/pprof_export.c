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

#include "symbolizer-server/export/export_modules.h"
#include "symbolizer-server/export/export_texts.h"
#include "symbolizer-server/export/stack_walk.h"

struct work {
	struct reply_writer *writer;
	const struct level_tree *tree;
	const struct export_about *about;
	struct export_texts texts;
	struct export_modules modules;
	int64_t *locations; /* of a stack */
};

/* ---- Samples ---- */

static void write_label(struct work *work, const char *key, const char *text)
{
	const char *value = export_label_value(text, key);

	reply_begin(work->writer, (struct reply_field){3, "label"});
	reply_number(work->writer, (struct reply_field){1, "key"},
		export_text(&work->texts, key, strlen(key)));
	reply_number(work->writer, (struct reply_field){2, "str"},
		export_text(&work->texts, value, strlen(value)));
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
			export_string(&work->texts, mapping->name));
		reply_number(work->writer, (struct reply_field){6, "buildId"},
			export_string(&work->texts, mapping->build));
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
	int64_t name = export_name(&work->texts, function);

	reply_begin(work->writer, (struct reply_field){5, "function"});
	reply_number(work->writer, (struct reply_field){1, "id"}, (int64_t)index + 1);
	reply_number(work->writer, (struct reply_field){2, "name"}, name);
	reply_number(work->writer, (struct reply_field){3, "systemName"},
		export_raw_name(&work->texts, function));
	reply_number(work->writer, (struct reply_field){4, "filename"},
		export_string(&work->texts, function->file));
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

static void write_head(struct work *work)
{
	static const struct reply_field period_type[] = {
		{11, "periodType"}, {1, "type"}, {2, "unit"}};
	struct time_range range = work->about->range;

	reply_number(work->writer, (struct reply_field){9, "timeNanos"}, (int64_t)range.from_ns);
	reply_number(work->writer, (struct reply_field){10, "durationNanos"},
		(int64_t)(range.until_ns - range.from_ns));
	export_value_type(&work->texts, work->writer, period_type, work->about->type, TYPE_PERIOD);
	reply_number(work->writer, (struct reply_field){12, "period"}, work->about->period);
}

static int write_profile(struct work *work)
{
	static const struct reply_field sample_type[] = {
		{1, "sampleType"}, {1, "type"}, {2, "unit"}};
	int64_t comment;
	int r;

	reply_begin_list(work->writer, sample_type[0]);
	export_value_type(&work->texts, work->writer, sample_type, work->about->type, TYPE_SAMPLE);
	reply_end_list(work->writer);
	r = write_samples(work);
	if (r < 0)
		return r;
	write_mappings(work);
	write_each(work, (struct reply_field){4, "location"}, write_location);
	write_each(work, (struct reply_field){5, "function"}, write_function);
	write_head(work);
	comment = export_text(&work->texts, work->about->name, strlen(work->about->name));
	reply_numbers(work->writer, (struct reply_field){13, "comment"}, &comment, 1);
	export_texts_write(&work->texts, work->writer, (struct reply_field){6, "stringTable"});
	return export_texts_fault(&work->texts);
}

int pprof_export_write(struct reply_writer *writer, const struct level_tree *tree,
	const struct export_about *about)
{
	struct work work = {.writer = writer, .tree = tree, .about = about};
	int r = export_texts_init(&work.texts, tree);

	if (r == 0)
		r = export_modules_init(&work.modules, tree);
	if (r == 0)
		r = write_profile(&work);
	export_modules_done(&work.modules);
	export_texts_done(&work.texts);
	free(work.locations);
	return r;
}
