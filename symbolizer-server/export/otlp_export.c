/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every table begins with an entry of nothing, so that a number of 0 says "none". Functions and
 * locations have the same numbers; a stack is a row of the table of stacks, in the order of the samples;
 * texts and attributes get theirs as they are met, which is why the dictionary comes last.
 */
#include "symbolizer-server/export/otlp_export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/string_table.h"
#include "symbolizer-server/export/export_modules.h"
#include "symbolizer-server/export/export_texts.h"
#include "symbolizer-server/export/stack_walk.h"

struct work {
	struct reply_writer *writer;
	const struct level_tree *tree;
	const struct export_about *about;
	struct export_modules modules;
	struct export_texts texts;
	struct string_table attributes; /* key, NUL, value */
	uint32_t *numbers; /* of each function: its location */
	int64_t *row; /* of a stack, or of a sample's attributes */
	int error; /* the first one of attributes */
};

static void note(struct work *work, int r)
{
	if (r < 0 && work->error == 0)
		work->error = r;
}

static int64_t attribute_number(struct work *work, const char *key, const char *value)
{
	size_t key_length = strlen(key), value_length = strlen(value);
	char *pair = malloc(key_length + value_length + 2);
	uint32_t index = 0;

	if (!pair) {
		note(work, -ENOMEM);
		return 0;
	}
	memcpy(pair, key, key_length + 1);
	memcpy(pair + key_length + 1, value, value_length + 1);
	note(work,
		string_table_add(&work->attributes, pair, key_length + 1 + value_length, &index));
	free(pair);
	return index;
}

static int reserve_row(struct work *work, size_t count)
{
	int64_t *row = realloc(work->row, (count + 1) * sizeof(*row));

	if (!row)
		return -ENOMEM;
	work->row = row;
	return 0;
}

/* ---- Samples ---- */

static int write_sample(struct work *work, const struct stack_walk *walk, int64_t stack)
{
	uint32_t count = 0;
	int r = reserve_row(work, walk->label_count);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < walk->label_count && i < work->about->labels.count; i++) {
		const char *key = work->about->labels.names[i];
		uint32_t function = work->tree->nodes[walk->labels[i]].function;

		work->row[count++] = attribute_number(work, key,
			export_label_value(
				function_table_name(work->tree->functions, function), key));
	}
	reply_begin(work->writer, (struct reply_field){2, "samples"});
	reply_number(work->writer, (struct reply_field){1, "stackIndex"}, stack);
	reply_numbers(work->writer, (struct reply_field){2, "attributeIndices"}, work->row, count);
	reply_numbers(work->writer, (struct reply_field){4, "values"}, &walk->value, 1);
	reply_end(work->writer);
	return 0;
}

static int write_samples(struct work *work)
{
	struct stack_walk walk;
	int64_t stack = 0;
	int r;

	reply_begin_list(work->writer, (struct reply_field){2, "samples"});
	stack_walk_init(&walk, work->tree);
	while ((r = stack_walk_next(&walk)) > 0) {
		r = write_sample(work, &walk, ++stack);
		if (r < 0)
			break;
	}
	stack_walk_done(&walk);
	reply_end_list(work->writer);
	return r;
}

static int write_profile(struct work *work)
{
	static const struct reply_field sample_type[] = {
		{1, "sampleType"}, {1, "typeStrindex"}, {2, "unitStrindex"}};
	static const struct reply_field period_type[] = {
		{5, "periodType"}, {1, "typeStrindex"}, {2, "unitStrindex"}};
	struct time_range range = work->about->range;
	int r;

	reply_begin(work->writer, (struct reply_field){2, "profiles"});
	export_value_type(&work->texts, work->writer, sample_type, work->about->type, TYPE_SAMPLE);
	r = write_samples(work);
	reply_fixed(work->writer, (struct reply_field){3, "timeUnixNano"}, range.from_ns);
	reply_number(work->writer, (struct reply_field){4, "durationNano"},
		(int64_t)(range.until_ns - range.from_ns));
	export_value_type(&work->texts, work->writer, period_type, work->about->type, TYPE_PERIOD);
	reply_number(work->writer, (struct reply_field){6, "period"}, work->about->period);
	reply_end(work->writer);
	return r;
}

/* One resource of one scope. */
static int write_resource(struct work *work)
{
	const struct reply_field resources = {1, "resourceProfiles"}, scopes = {2, "scopeProfiles"},
				 profiles = {2, "profiles"};
	int r;

	reply_begin_list(work->writer, resources);
	reply_begin(work->writer, resources);
	reply_begin_list(work->writer, scopes);
	reply_begin(work->writer, scopes);
	reply_begin_list(work->writer, profiles);
	r = write_profile(work);
	reply_end_list(work->writer);
	reply_end(work->writer);
	reply_end_list(work->writer);
	reply_end(work->writer);
	reply_end_list(work->writer);
	return r;
}

/* ---- Dictionary ---- */

static void begin_table(struct work *work, struct reply_field field)
{
	reply_begin_list(work->writer, field);
	reply_begin(work->writer, field);
	reply_end(work->writer);
}

/* What a build-ID's text says of its kind is the name of the attribute here. */
static int64_t build_number(struct work *work, uint32_t build)
{
	static const struct {
		const char *prefix;
		const char *key;
	} kinds[] = {{"go-", "process.executable.build_id.go"},
		{"htl-", "process.executable.build_id.htlhash"},
		{"", "process.executable.build_id.gnu"}};
	const char *text = string_table_text(&work->tree->functions->strings, build);
	size_t i = 0;

	while (strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
		i++;
	return attribute_number(work, kinds[i].key, text + strlen(kinds[i].prefix));
}

static void write_mappings(struct work *work)
{
	const struct reply_field field = {1, "mappingTable"};

	begin_table(work, field);
	for (uint32_t i = 0; i < work->modules.count; i++) {
		const struct export_module *module = &work->modules.modules[i];
		int64_t build = module->build ? build_number(work, module->build) : 0;

		reply_begin(work->writer, field);
		reply_number(work->writer, (struct reply_field){4, "filenameStrindex"},
			export_string(&work->texts, module->name));
		reply_numbers(work->writer, (struct reply_field){5, "attributeIndices"}, &build,
			build != 0);
		reply_end(work->writer);
	}
	reply_end_list(work->writer);
}

static void write_location(struct work *work, uint32_t index)
{
	const struct function *function = &work->tree->functions->functions[index];
	uint32_t module = work->modules.module_of[index];

	reply_number(work->writer, (struct reply_field){1, "mappingIndex"}, module);
	if (!export_is_named(function) && module != 0) {
		reply_number(work->writer, (struct reply_field){2, "address"},
			(int64_t)export_address(work->tree, index));
		return;
	}
	reply_begin_list(work->writer, (struct reply_field){3, "lines"});
	reply_begin(work->writer, (struct reply_field){3, "lines"});
	reply_number(work->writer, (struct reply_field){1, "functionIndex"}, work->numbers[index]);
	reply_number(work->writer, (struct reply_field){2, "line"}, function->line);
	reply_end(work->writer);
	reply_end_list(work->writer);
}

static void write_function(struct work *work, uint32_t index)
{
	const struct function *function = &work->tree->functions->functions[index];
	int64_t name = export_name(&work->texts, function);

	reply_number(work->writer, (struct reply_field){1, "nameStrindex"}, name);
	reply_number(work->writer, (struct reply_field){2, "systemNameStrindex"},
		export_raw_name(&work->texts, function));
	reply_number(work->writer, (struct reply_field){3, "filenameStrindex"},
		export_string(&work->texts, function->file));
}

static void write_each(struct work *work, struct reply_field field,
	void (*write)(struct work *work, uint32_t index))
{
	begin_table(work, field);
	for (uint32_t i = 0; i < work->tree->functions->count; i++) {
		if (!work->modules.used[i])
			continue;
		reply_begin(work->writer, field);
		write(work, i);
		reply_end(work->writer);
	}
	reply_end_list(work->writer);
}

static void write_attributes(struct work *work)
{
	const struct reply_field field = {6, "attributeTable"};

	begin_table(work, field);
	for (uint32_t i = 1; i < work->attributes.count; i++) {
		const char *key = string_table_text(&work->attributes, i);
		size_t length = strlen(key);

		reply_begin(work->writer, field);
		reply_number(work->writer, (struct reply_field){1, "keyStrindex"},
			export_text(&work->texts, key, length));
		reply_begin(work->writer, (struct reply_field){2, "value"});
		reply_text(work->writer, (struct reply_field){1, "stringValue"}, key + length + 1,
			string_table_length(&work->attributes, i) - length - 1);
		reply_end(work->writer);
		reply_end(work->writer);
	}
	reply_end_list(work->writer);
}

/* Leaf first. */
static int write_stack(struct work *work, const struct stack_walk *walk)
{
	int r = reserve_row(work, walk->frame_count);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < walk->frame_count; i++) {
		uint32_t node = walk->frames[walk->frame_count - 1 - i];

		work->row[i] = work->numbers[work->tree->nodes[node].function];
	}
	reply_begin(work->writer, (struct reply_field){7, "stackTable"});
	reply_numbers(work->writer, (struct reply_field){1, "locationIndices"}, work->row,
		walk->frame_count);
	reply_end(work->writer);
	return 0;
}

static int write_stacks(struct work *work)
{
	struct stack_walk walk;
	int r;

	begin_table(work, (struct reply_field){7, "stackTable"});
	stack_walk_init(&walk, work->tree);
	while ((r = stack_walk_next(&walk)) > 0) {
		r = write_stack(work, &walk);
		if (r < 0)
			break;
	}
	stack_walk_done(&walk);
	reply_end_list(work->writer);
	return r;
}

/* Texts come behind all that names one. */
static int write_dictionary(struct work *work)
{
	int r;

	reply_begin(work->writer, (struct reply_field){2, "dictionary"});
	write_mappings(work);
	write_each(work, (struct reply_field){2, "locationTable"}, write_location);
	write_each(work, (struct reply_field){3, "functionTable"}, write_function);
	write_attributes(work);
	r = write_stacks(work);
	export_texts_write(&work->texts, work->writer, (struct reply_field){5, "stringTable"});
	reply_end(work->writer);
	return r;
}

static int number_functions(struct work *work)
{
	uint32_t count = work->tree->functions->count, number = 0;

	work->numbers = calloc(count + (size_t)1, sizeof(*work->numbers));
	if (!work->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		if (work->modules.used[i])
			work->numbers[i] = ++number;
	}
	return 0;
}

static int write_all(struct work *work)
{
	int r = export_modules_init(&work->modules, work->tree);

	if (r == 0)
		r = number_functions(work);
	if (r == 0)
		r = write_resource(work);
	if (r == 0)
		r = write_dictionary(work);
	if (r == 0)
		r = export_texts_fault(&work->texts);
	return r < 0 ? r : work->error;
}

int otlp_export_write(struct reply_writer *writer, const struct level_tree *tree,
	const struct export_about *about)
{
	struct work work = {.writer = writer, .tree = tree, .about = about};
	int r = export_texts_init(&work.texts, tree);

	if (r == 0)
		r = string_table_init(&work.attributes);
	if (r == 0)
		r = write_all(&work);
	export_modules_done(&work.modules);
	export_texts_done(&work.texts);
	string_table_done(&work.attributes);
	free(work.numbers);
	free(work.row);
	return r;
}
