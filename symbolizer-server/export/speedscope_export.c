/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/speedscope_export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/json_writer.h"
#include "symbolizer-server/export/stack_walk.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"
#define NO_FRAME UINT32_MAX

/* What speedscope knows; a count is a weight without a unit. */
static const char *unit_of(const char *type)
{
	size_t length;
	const char *unit = export_type_part(type, TYPE_UNIT, &length);

	if (length == strlen("nanoseconds") && strncmp(unit, "nanoseconds", length) == 0)
		return "nanoseconds";
	if (length == strlen("bytes") && strncmp(unit, "bytes", length) == 0)
		return "bytes";
	return "none";
}

static void write_frame(struct json_writer *json, const struct function_table *functions,
	const struct function *function)
{
	uint32_t name = function->plain ? function->plain : function->name;

	json_begin_object(json);
	json_text(json_key(json, "name"), string_table_text(&functions->strings, name),
		string_table_length(&functions->strings, name));
	if (function->file != 0) {
		json_text(json_key(json, "file"),
			string_table_text(&functions->strings, function->file),
			string_table_length(&functions->strings, function->file));
	}
	if (function->line != 0)
		json_unsigned(json_key(json, "line"), function->line);
	json_end_object(json);
}

/* Numbers the functions that some node has, in the order of the table. */
static void write_frames(struct json_writer *json, const struct level_tree *tree, uint32_t *frames)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < tree->functions->count; i++)
		frames[i] = NO_FRAME;
	for (uint32_t i = 1; i < tree->count; i++)
		frames[tree->nodes[i].function] = 0;
	json_begin_array(json_key(json, "frames"));
	for (uint32_t i = 0; i < tree->functions->count; i++) {
		if (frames[i] == NO_FRAME)
			continue;
		frames[i] = count++;
		write_frame(json, tree->functions, &tree->functions->functions[i]);
	}
	json_end_array(json);
}

static int write_stacks(
	struct json_writer *json, const struct level_tree *tree, const uint32_t *frames)
{
	struct stack_walk walk;
	int r;

	json_begin_array(json_key(json, "samples"));
	stack_walk_init(&walk, tree);
	while ((r = stack_walk_next(&walk)) > 0) {
		json_begin_array(json);
		for (uint32_t i = 0; i < walk.node_count; i++)
			json_unsigned(json, frames[tree->nodes[walk.nodes[i]].function]);
		json_end_array(json);
	}
	stack_walk_done(&walk);
	json_end_array(json);
	return r;
}

static int write_weights(struct json_writer *json, const struct level_tree *tree)
{
	struct stack_walk walk;
	int r;

	json_begin_array(json_key(json, "weights"));
	stack_walk_init(&walk, tree);
	while ((r = stack_walk_next(&walk)) > 0)
		json_signed(json, walk.value);
	stack_walk_done(&walk);
	json_end_array(json);
	return r;
}

static int write_profile(struct json_writer *json, const struct level_tree *tree,
	const struct export_about *about, const uint32_t *frames)
{
	size_t length;
	const char *name = export_type_part(about->type, TYPE_SAMPLE, &length);
	int r;

	json_begin_object(json);
	json_string(json_key(json, "type"), "sampled");
	json_text(json_key(json, "name"), name, length);
	json_string(json_key(json, "unit"), unit_of(about->type));
	json_unsigned(json_key(json, "startValue"), 0);
	json_signed(json_key(json, "endValue"), tree->nodes[0].total);
	r = write_stacks(json, tree, frames);
	if (r == 0)
		r = write_weights(json, tree);
	json_end_object(json);
	return r;
}

int speedscope_export_write(
	struct bytes_writer *out, const struct level_tree *tree, const struct export_about *about)
{
	uint32_t *frames = malloc((tree->functions->count + (size_t)1) * sizeof(*frames));
	struct json_writer json;
	int r;

	if (!frames)
		return -ENOMEM;
	json_writer_init(&json, out);
	json_begin_object(&json);
	/* A key that is no plain word. */
	json_string(json_key(&json, "$schema"), SCHEMA);
	json_begin_object(json_key(&json, "shared"));
	write_frames(&json, tree, frames);
	json_end_object(&json);
	json_begin_array(json_key(&json, "profiles"));
	r = write_profile(&json, tree, about, frames);
	json_end_array(&json);
	json_string(json_key(&json, "name"), about->name);
	json_string(json_key(&json, "exporter"), "cairn");
	json_end_object(&json);
	free(frames);
	return r;
}
