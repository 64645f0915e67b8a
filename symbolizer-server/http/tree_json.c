/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/tree_json.h"

#include <string.h>

#include "store/base/clock.h"
#include "store/base/json_writer.h"
#include "symbolizer-server/http/partial_json.h"

static void write_about(struct json_writer *json, const struct flame *flame)
{
	const struct flame_about *about = &flame->about;

	json_key(json, "version");
	json_unsigned(json, FLAME_VERSION);
	json_key(json, "unit");
	json_string(json, flame_unit_text(about->unit));
	json_key(json, "scale");
	json_unsigned(json, flame->scale);
	json_key(json, "period");
	json_signed(json, about->period);
	json_key(json, "sample_count");
	json_unsigned(json, about->sample_count);
	json_key(json, "from");
	json_unsigned(json, about->range.from_ns);
	json_key(json, "until");
	json_unsigned(json, about->range.until_ns);
	json_key(json, "total");
	json_unsigned(json, (uint64_t)flame->tree->nodes[0].total >> flame->scale);
	json_key(json, "trimmed");
	json_boolean(json, flame->tree->small_count > 0);
	json_key(json, "partial_symbols");
	json_boolean(json, about->partial_symbols);
	json_boolean(json_key(json, "focus_found"), about->focus_found);
	partial_json(json, &about->partial);
}

static const struct function *function_of(const struct flame *flame, uint32_t name)
{
	return &flame->tree->functions->functions[flame->functions[name]];
}

static void write_texts(
	struct json_writer *json, const struct flame *flame, const struct flame_texts *texts)
{
	const struct string_table *strings = &flame->tree->functions->strings;

	json_begin_array(json);
	for (uint32_t i = 0; i < texts->count; i++)
		json_text(json, string_table_text(strings, texts->strings[i]),
			string_table_length(strings, texts->strings[i]));
	json_end_array(json);
}

void tree_json_names(struct json_writer *json, const struct flame *flame)
{
	const struct function_table *functions = flame->tree->functions;

	json_key(json, "names");
	json_begin_array(json);
	for (uint32_t i = 0; i < flame->name_count; i++)
		json_text(json, function_table_name(functions, flame->functions[i]),
			function_table_name_length(functions, flame->functions[i]));
	json_end_array(json);
	json_begin_array(json_key(json, "name_module"));
	for (uint32_t i = 0; i < flame->name_count; i++)
		json_unsigned(json, flame->modules.numbers[function_of(flame, i)->module]);
	json_end_array(json);
	json_begin_array(json_key(json, "name_kind"));
	for (uint32_t i = 0; i < flame->name_count; i++)
		json_unsigned(json, function_of(flame, i)->kind);
	json_end_array(json);
	json_begin_array(json_key(json, "name_file"));
	for (uint32_t i = 0; i < flame->name_count; i++)
		json_unsigned(json, flame->files.numbers[function_of(flame, i)->file]);
	json_end_array(json);
	json_begin_array(json_key(json, "name_line"));
	for (uint32_t i = 0; i < flame->name_count; i++)
		json_unsigned(json, function_of(flame, i)->line);
	json_end_array(json);
	write_texts(json_key(json, "modules"), flame, &flame->modules);
	write_texts(json_key(json, "files"), flame, &flame->files);
}

void tree_json_shape(struct json_writer *json, const struct flame *flame)
{
	const struct level_tree *tree = flame->tree;

	json_key(json, "child_count");
	json_begin_array(json);
	for (uint32_t i = 0; i < tree->count; i++)
		json_unsigned(json, tree->nodes[i].child_count);
	json_end_array(json);
	json_key(json, "name");
	json_begin_array(json);
	for (uint32_t i = 0; i < tree->count; i++)
		json_unsigned(json, flame->names[tree->nodes[i].function]);
	json_end_array(json);
	json_begin_array(json_key(json, "inlined"));
	for (uint32_t i = 0; i < tree->count; i++) {
		if (tree->nodes[i].inlined)
			json_unsigned(json, i);
	}
	json_end_array(json);
	json_key(json, "trimmed_nodes");
	json_begin_array(json);
	for (uint32_t i = 0; i < tree->count; i++) {
		if (tree->nodes[i].small_count == 0)
			continue;
		json_begin_array(json);
		json_unsigned(json, i);
		json_unsigned(json, tree->nodes[i].small_count);
		json_end_array(json);
	}
	json_end_array(json);
}

static void write_totals(struct json_writer *json, const struct flame *flame)
{
	const struct level_tree *tree = flame->tree;

	json_key(json, "totals");
	json_begin_array(json);
	for (uint32_t i = 0; i < tree->count; i++)
		json_unsigned(json, (uint64_t)tree->nodes[i].total >> flame->scale);
	json_end_array(json);
}

void tree_json_flame(const struct flame *flame, struct bytes_writer *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_begin_object(&json);
	write_about(&json, flame);
	tree_json_names(&json, flame);
	tree_json_shape(&json, flame);
	write_totals(&json, flame);
	json_end_object(&json);
}

static void write_string(struct json_writer *json, const char *key,
	const struct string_table *strings, uint32_t string)
{
	json_text(json_key(json, key), string_table_text(strings, string),
		string_table_length(strings, string));
}

static void write_top_row(
	struct json_writer *json, const struct top_row *row, const struct function_table *functions)
{
	const struct function *function = &functions->functions[row->function];
	const struct string_table *strings = &functions->strings;
	uint32_t plain = function->plain ? function->plain : function->name;

	json_begin_object(json);
	write_string(json, "name", strings, function->name);
	write_string(json, "module", strings, function->module);
	json_string(json_key(json, "kind"), function_kind_text((enum function_kind)function->kind));
	json_signed(json_key(json, "self"), row->self);
	json_signed(json_key(json, "total"), row->total);
	json_boolean(json_key(json, "inlined"), !row->called);
	write_string(json, "function", strings, plain);
	write_string(json, "raw", strings, function->raw ? function->raw : plain);
	write_string(json, "file", strings, function->file);
	json_unsigned(json_key(json, "line"), function->line);
	write_string(json, "build_id", strings, function->build);
	json_end_object(json);
}

void tree_json_top(const struct top *top, const struct flame_about *about, int64_t total,
	uint32_t row_count, const struct function_table *functions, struct bytes_writer *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_begin_object(&json);
	json_key(&json, "unit");
	json_string(&json, flame_unit_text(about->unit));
	json_key(&json, "total");
	json_signed(&json, total);
	json_key(&json, "sample_count");
	json_unsigned(&json, about->sample_count);
	json_key(&json, "period");
	json_signed(&json, about->period);
	json_key(&json, "from");
	json_unsigned(&json, about->range.from_ns);
	json_key(&json, "until");
	json_unsigned(&json, about->range.until_ns);
	json_key(&json, "partial_symbols");
	json_boolean(&json, about->partial_symbols);
	partial_json(&json, &about->partial);
	json_key(&json, "function_count");
	json_unsigned(&json, top->count);
	json_key(&json, "functions");
	json_begin_array(&json);
	for (uint32_t i = 0; i < top->count && i < row_count; i++)
		write_top_row(&json, &top->rows[i], functions);
	json_end_array(&json);
	json_end_object(&json);
}

/* The sample type: the second part of a profile type. */
static const char *sample_type(const char *type, size_t *ret_length)
{
	const char *second = strchr(type, ':');

	second = second ? second + 1 : type;
	*ret_length = strcspn(second, ":");
	return second;
}

static void write_metadata(struct json_writer *json, const char *type, const char *format)
{
	static const char *const counted[] = {
		"inuse_objects", "alloc_objects", "goroutine", "samples"};
	const char *unit;
	size_t length, unit_length;
	const char *name = sample_type(type, &length);
	bool is_cpu = length == 3 && memcmp(name, "cpu", 3) == 0;

	unit = name + length + (name[length] == ':' ? 1 : 0);
	unit_length = strcspn(unit, ":");
	if (is_cpu) {
		unit = "samples";
		unit_length = strlen(unit);
	}
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (length == strlen(counted[i]) && memcmp(name, counted[i], length) == 0) {
			unit = "objects";
			unit_length = strlen(unit);
		}
	}
	json_begin_object(json);
	json_key(json, "format");
	json_string(json, format);
	json_key(json, "spyName");
	json_string(json, "");
	/* Values over this rate are seconds, where they are nanoseconds of CPU. */
	json_key(json, "sampleRate");
	json_unsigned(json, is_cpu ? NS_PER_S : 100);
	json_key(json, "units");
	json_text(json, unit, unit_length);
	json_key(json, "name");
	json_text(json, name, length);
	json_end_object(json);
}

static void write_names(struct json_writer *json, const struct flamebearer *flamebearer)
{
	json_begin_array(json_key(json, "names"));
	for (uint32_t i = 0; i < flamebearer->name_count; i++)
		json_text(json, flamebearer->names[i].text, flamebearer->names[i].length);
	json_end_array(json);
}

static void write_flamebearer(struct json_writer *json, const struct flamebearer *flamebearer)
{
	uint32_t node = 0;

	json_begin_object(json);
	write_names(json, flamebearer);
	json_key(json, "levels");
	json_begin_array(json);
	for (uint32_t i = 0; i < flamebearer->level_count; i++) {
		json_begin_array(json);
		for (; node < flamebearer->level_ends[i]; node++) {
			json_signed(json, flamebearer->nodes[node].x_delta);
			json_signed(json, flamebearer->nodes[node].total);
			json_signed(json, flamebearer->nodes[node].self);
			json_unsigned(json, flamebearer->nodes[node].name);
		}
		json_end_array(json);
	}
	json_end_array(json);
	json_key(json, "numTicks");
	json_signed(json, flamebearer->nodes[0].total);
	json_key(json, "maxSelf");
	json_signed(json, flamebearer->self_max);
	json_end_object(json);
}

/* SUMS: one for each step; NULL: zeros. */
static void write_timeline(
	struct json_writer *json, const struct series *series, const int64_t *sums)
{
	const struct time_steps *steps = &series->cut.steps;

	json_begin_object(json);
	json_key(json, "startTime");
	json_unsigned(json, steps->start_ns / NS_PER_S);
	json_key(json, "samples");
	json_begin_array(json);
	for (uint32_t i = 0; i < steps->count; i++)
		json_signed(json, sums ? sums[i] : 0);
	json_end_array(json);
	json_key(json, "durationDelta");
	json_unsigned(json, steps->step_ns / NS_PER_S);
	json_key(json, "watermarks");
	json_null(json);
	json_end_object(json);
}

/* A group's name is any text: a key like any other string. */
static void begin_group(struct json_writer *json, const char *text, size_t length)
{
	json_text(json, text, length);
	bytes_write_u8(json->out, ':');
	json->comma = false;
}

static void write_groups(struct json_writer *json, const struct tree_json_timeline *timeline)
{
	const struct series *series = timeline->series;

	json_begin_object(json);
	for (uint32_t i = 0; i < timeline->count; i++) {
		size_t length;
		const char *text =
			label_groups_text(&series->groups, timeline->order[i], 0, &length);

		if (length == 0)
			begin_group(json, "*", 1);
		else
			begin_group(json, text, length);
		write_timeline(json, series, series_sums(series, timeline->order[i], SERIES_ALL));
	}
	if (series->rest.sample_count > 0) {
		begin_group(json, "other", strlen("other"));
		write_timeline(json, series, series_sums(series, LABEL_GROUPS_REST, SERIES_ALL));
	}
	json_end_object(json);
}

/* Of several groups the timeline is empty: clients draw the groups. */
static void write_timelines(struct json_writer *json, const struct tree_json_timeline *timeline)
{
	const struct series *series = timeline->series;
	bool one = timeline->count == 1 && series->rest.sample_count == 0;

	json_key(json, "timeline");
	write_timeline(
		json, series, one ? series_sums(series, timeline->order[0], SERIES_ALL) : NULL);
	json_key(json, "groups");
	if (series->groups.names.count > 0)
		write_groups(json, timeline);
	else
		json_null(json);
}

void tree_json_render(const struct flamebearer *flamebearer, const char *type,
	const struct tree_json_timeline *timeline, struct bytes_writer *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_begin_object(&json);
	json_key(&json, "version");
	json_unsigned(&json, 1);
	json_key(&json, "flamebearer");
	write_flamebearer(&json, flamebearer);
	json_key(&json, "metadata");
	write_metadata(&json, type, "single");
	write_timelines(&json, timeline);
	json_key(&json, "heatmap");
	json_null(&json);
	json_end_object(&json);
}

static void write_pair(struct json_writer *json, const struct flamebearer_pair *pair)
{
	const int64_t *number = pair->numbers;
	uint32_t node = 0;

	json_begin_object(json);
	write_names(json, &pair->names);
	json_begin_array(json_key(json, "levels"));
	for (uint32_t i = 0; i < pair->names.level_count; i++) {
		json_begin_array(json);
		for (; node < pair->names.level_ends[i]; node++) {
			for (int j = 0; j < FLAMEBEARER_PAIR_NUMBERS; j++)
				json_signed(json, *number++);
		}
		json_end_array(json);
	}
	json_end_array(json);
	json_signed(json_key(json, "numTicks"),
		pair->totals[COMPARISON_LEFT] + pair->totals[COMPARISON_RIGHT]);
	json_signed(json_key(json, "maxSelf"), pair->self_max);
	json_end_object(json);
}

void tree_json_render_pair(
	const struct flamebearer_pair *pair, const char *type, struct bytes_writer *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_begin_object(&json);
	json_unsigned(json_key(&json, "version"), 1);
	write_pair(json_key(&json, "flamebearer"), pair);
	write_metadata(json_key(&json, "metadata"), type, "double");
	json_null(json_key(&json, "timeline"));
	json_null(json_key(&json, "groups"));
	json_null(json_key(&json, "heatmap"));
	json_signed(json_key(&json, "leftTicks"), pair->totals[COMPARISON_LEFT]);
	json_signed(json_key(&json, "rightTicks"), pair->totals[COMPARISON_RIGHT]);
	json_end_object(&json);
}
