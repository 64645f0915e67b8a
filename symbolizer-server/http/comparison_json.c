/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/comparison_json.h"

#include "store/base/json_writer.h"
#include "symbolizer-server/http/partial_json.h"
#include "symbolizer-server/http/tree_json.h"

static void write_side(struct json_writer *json, const struct comparison_query *query,
	const char *name, enum comparison_sides which)
{
	const struct comparison_side *side = &query->comparison.sides[which];

	json_begin_object(json_key(json, name));
	json_signed(json_key(json, "total"),
		comparison_value(&query->comparison, which, query->tree->calls.lanes));
	json_unsigned(json_key(json, "sample_count"), side->sample_count);
	json_signed(json_key(json, "period"), side->period);
	json_unsigned(json_key(json, "from"), side->covered.from_ns);
	json_unsigned(json_key(json, "until"), side->covered.until_ns);
	json_unsigned(json_key(json, "core_ns"), side->core_ns);
	json_unsigned(json_key(json, "groups"), side->group_count);
	partial_json(json, &side->partial);
	json_end_object(json);
}

static void write_about(struct json_writer *json, const struct comparison_query *query)
{
	json_string(json_key(json, "unit"), flame_unit_text(query->tree->about.unit));
	write_side(json, query, "left", COMPARISON_LEFT);
	write_side(json, query, "right", COMPARISON_RIGHT);
	json_boolean(json_key(json, "partial_symbols"), query->tree->about.partial_symbols);
}

static void write_values(struct json_writer *json, const struct comparison_query *query,
	const struct level_tree *levels, const char *name, enum comparison_sides side)
{
	json_begin_array(json_key(json, name));
	for (uint32_t i = 0; i < levels->count; i++) {
		const int64_t *lanes = levels->lanes + (size_t)i * levels->lane_count;

		json_signed(json, comparison_value(&query->comparison, side, lanes));
	}
	json_end_array(json);
}

static void write_changes(struct json_writer *json, const struct comparison_query *query,
	const struct level_tree *levels)
{
	json_begin_array(json_key(json, "p"));
	for (uint32_t i = 0; i < levels->count; i++) {
		struct share_change change = comparison_change(&query->comparison,
			levels->lanes + (size_t)i * levels->lane_count, levels->lanes);

		json_decimal(json, change.p);
	}
	json_end_array(json);
}

int comparison_json_tree(const struct comparison_query *query, const struct level_tree *levels,
	struct bytes_writer *out)
{
	struct json_writer json;
	struct flame flame;
	int r = flame_init(&flame, levels, &query->tree->about);

	if (r < 0)
		return r;
	json_writer_init(&json, out);
	json_begin_object(&json);
	json_unsigned(json_key(&json, "version"), FLAME_VERSION);
	write_about(&json, query);
	json_boolean(json_key(&json, "trimmed"), levels->small_count > 0);
	tree_json_names(&json, &flame);
	tree_json_shape(&json, &flame);
	write_values(&json, query, levels, "left_totals", COMPARISON_LEFT);
	write_values(&json, query, levels, "right_totals", COMPARISON_RIGHT);
	write_changes(&json, query, levels);
	json_end_object(&json);
	flame_done(&flame);
	return 0;
}

static void write_function(struct json_writer *json, const struct comparison_query *query,
	const struct comparison_row *row)
{
	const struct comparison *comparison = &query->comparison;
	const struct function_table *functions = &query->tree->functions;
	const struct function *function = &functions->functions[row->function];
	const struct string_table *strings = &functions->strings;
	const int64_t *root = query->tree->calls.lanes;
	struct share_change self = comparison_change(comparison, row->self, root);
	struct share_change total = comparison_change(comparison, row->total, root);

	json_begin_object(json);
	json_text(json_key(json, "name"), string_table_text(strings, function->name),
		string_table_length(strings, function->name));
	json_text(json_key(json, "module"), string_table_text(strings, function->module),
		string_table_length(strings, function->module));
	json_string(json_key(json, "kind"), function_kind_text((enum function_kind)function->kind));
	json_signed(json_key(json, "left_self"),
		comparison_value(comparison, COMPARISON_LEFT, row->self));
	json_signed(json_key(json, "right_self"),
		comparison_value(comparison, COMPARISON_RIGHT, row->self));
	json_decimal(json_key(json, "self_p"), self.p);
	json_signed(json_key(json, "left_total"),
		comparison_value(comparison, COMPARISON_LEFT, row->total));
	json_signed(json_key(json, "right_total"),
		comparison_value(comparison, COMPARISON_RIGHT, row->total));
	json_decimal(json_key(json, "left_share"), total.left);
	json_decimal(json_key(json, "right_share"), total.right);
	json_decimal(json_key(json, "share_error"), total.error);
	json_decimal(json_key(json, "p"), total.p);
	json_boolean(json_key(json, "changed"), share_change_is_real(&total));
	json_end_object(json);
}

void comparison_json_functions(const struct comparison_query *query,
	const struct comparison_table *table, uint32_t row_count, struct bytes_writer *out)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_begin_object(&json);
	write_about(&json, query);
	json_unsigned(json_key(&json, "function_count"), table->count);
	json_begin_array(json_key(&json, "functions"));
	for (uint32_t i = 0; i < table->count && i < row_count; i++)
		write_function(&json, query, &table->rows[i]);
	json_end_array(&json);
	json_end_object(&json);
}
