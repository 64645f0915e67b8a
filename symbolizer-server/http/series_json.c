/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/series_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbolizer-server/http/partial_json.h"

static void write_numbers(
	struct json_writer *json, const char *key, const uint64_t *numbers, uint32_t count)
{
	json_begin_array(json_key(json, key));
	for (uint32_t i = 0; i < count; i++)
		json_unsigned(json, numbers[i]);
	json_end_array(json);
}

static void write_sums(
	struct json_writer *json, const char *key, const int64_t *sums, uint32_t count)
{
	json_begin_array(json_key(json, key));
	for (uint32_t i = 0; i < count; i++)
		json_signed(json, sums[i]);
	json_end_array(json);
}

static void write_range(struct json_writer *json, const struct query_params *params,
	const struct window_cover *cover)
{
	json_string(
		json_key(json, "unit"), flame_unit_text(flame_unit_of_type(params->selector.type)));
	json_unsigned(json_key(json, "from"), params->range.from_ns);
	json_unsigned(json_key(json, "until"), params->range.until_ns);
	json_unsigned(json_key(json, "start"), cover->steps.start_ns);
}

static const char *const plane_names[] = {
	[SERIES_ALL] = "values", [SERIES_SELF] = "self", [SERIES_IN] = "function_total"};

static void write_planes(struct json_writer *json, const struct series *series, uint32_t group)
{
	for (uint32_t i = 0; i < series->plane_count && i < SERIES_PLANE_COUNT; i++)
		write_sums(json, plane_names[i], series_sums(series, group, (enum series_plane)i),
			series->cut.steps.count);
}

static void write_totals(struct json_writer *json, const struct series_group *group)
{
	json_unsigned(json_key(json, "sample_count"), group->sample_count);
	json_signed(json_key(json, "total"), group->total);
}

/* Sums of all groups; the rest holds what has no group of its own. */
static int write_all(struct json_writer *json, const struct series *series, const uint32_t *order,
	uint32_t group_count)
{
	uint32_t step_count = series->cut.steps.count;
	int64_t *sums = calloc((size_t)step_count + 1, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	for (uint32_t plane = 0; plane < series->plane_count && plane < SERIES_PLANE_COUNT;
		plane++) {
		for (uint32_t step = 0; step < step_count; step++)
			sums[step] = series_sums(
				series, LABEL_GROUPS_REST, (enum series_plane)plane)[step];
		for (uint32_t i = 0; i < group_count; i++) {
			const int64_t *group =
				series_sums(series, order[i], (enum series_plane)plane);

			for (uint32_t step = 0; step < step_count; step++)
				sums[step] += group[step];
		}
		write_sums(json, plane_names[plane], sums, step_count);
	}
	free(sums);
	return 0;
}

static void write_group(struct json_writer *json, const struct series *series, uint32_t group)
{
	const struct label_names *names = &series->groups.names;

	json_begin_object(json);
	json_begin_object(json_key(json, "labels"));
	for (uint32_t i = 0; i < names->count; i++) {
		size_t length;
		const char *text = label_groups_text(&series->groups, group, i, &length);

		json_text(json_key(json, names->names[i]), text, length);
	}
	json_end_object(json);
	write_totals(json, &series->totals[group]);
	write_planes(json, series, group);
	json_end_object(json);
}

static void write_rest(struct json_writer *json, const struct series *series, uint32_t group_count)
{
	json_key(json, "other");
	if (series->rest.sample_count == 0 && series->rest.total == 0) {
		json_null(json);
		return;
	}
	json_begin_object(json);
	json_unsigned(json_key(json, "group_count"), group_count);
	write_totals(json, &series->rest);
	write_planes(json, series, LABEL_GROUPS_REST);
	json_end_object(json);
}

static void write_groups(struct json_writer *json, const struct series *series,
	const uint32_t *order, uint32_t listed, uint32_t count)
{
	const struct label_names *names = &series->groups.names;
	uint32_t shown = listed < count ? listed : count;

	json_begin_array(json_key(json, "by"));
	for (uint32_t i = 0; i < names->count; i++)
		json_string(json, names->names[i]);
	json_end_array(json);
	json_unsigned(json_key(json, "group_count"), names->count > 0 ? listed : 0);
	json_begin_array(json_key(json, "series"));
	for (uint32_t i = 0; names->count > 0 && i < shown; i++)
		write_group(json, series, order[i]);
	json_end_array(json);
	write_rest(json, series, listed - shown);
}

int series_json(struct series_query *query, const struct query_params *params, uint32_t count,
	struct bytes_writer *out)
{
	struct series *series = &query->series;
	const struct window_cover *cover = &query->cover;
	struct json_writer json;
	uint32_t *order, listed;
	int r;

	/* Without labels the one group is all there is. */
	if (series->groups.names.count == 0)
		count = 1;
	r = series_rank(series, count, &order, &listed);
	if (r < 0)
		return r;
	json_writer_init(&json, out);
	json_begin_object(&json);
	write_range(&json, params, cover);
	json_unsigned(json_key(&json, "step"), cover->steps.step_ns);
	json_unsigned(json_key(&json, "step_count"), cover->steps.count);
	json_unsigned(json_key(&json, "sample_count"), series->sample_count);
	json_signed(json_key(&json, "total"), series->total);
	r = write_all(&json, series, order, listed < count ? listed : count);
	write_numbers(&json, "covered", cover->covered_ns, cover->steps.count);
	write_numbers(&json, "core_ns", cover->core_ns, cover->steps.count);
	write_groups(&json, series, order, listed, count);
	partial_json(&json, &query->partial);
	json_end_object(&json);
	free(order);
	return r;
}

static void write_spread(struct json_writer *json, const struct heat_map *map)
{
	char text[200] = "";

	json_unsigned(json_key(json, "spread_count"), map->spread_count);
	json_unsigned(json_key(json, "spread_until"), map->spread_until_ns);
	if (map->spread_count > 0) {
		snprintf(text, sizeof(text),
			"of %" PRIu64 " of %" PRIu64
			" samples only the window is known: their 20 ms slots were never told, or "
			"are kept no longer; they are spread evenly over it",
			map->spread_count, map->sample_count);
	}
	json_string(json_key(json, "message"), text);
}

void series_json_heat_map(const struct heat_map_answer *of, struct bytes_writer *out)
{
	const struct heat_map *map = of->map;
	uint32_t cells = heat_map_cell_count(map);
	uint64_t count_max = 0;
	int64_t value_max = 0;
	struct json_writer json;

	for (uint32_t i = 0; i < cells; i++) {
		count_max = map->counts[i] > count_max ? map->counts[i] : count_max;
		value_max = map->values[i] > value_max ? map->values[i] : value_max;
	}
	json_writer_init(&json, out);
	json_begin_object(&json);
	write_range(&json, of->params, of->cover);
	json_unsigned(json_key(&json, "column"), map->shape.columns.step_ns);
	json_unsigned(json_key(&json, "column_count"), map->shape.columns.count);
	json_unsigned(json_key(&json, "row"), map->cut.steps.step_ns);
	json_unsigned(json_key(&json, "row_count"), map->shape.row_count);
	json_unsigned(json_key(&json, "sample_count"), map->sample_count);
	json_signed(json_key(&json, "total"), map->total);
	json_unsigned(json_key(&json, "count_max"), count_max);
	json_signed(json_key(&json, "value_max"), value_max);
	write_numbers(&json, "counts", map->counts, cells);
	write_sums(&json, "values", map->values, cells);
	write_numbers(&json, "covered", of->cover->covered_ns, of->cover->steps.count);
	write_spread(&json, map);
	partial_json(&json, of->partial);
	json_end_object(&json);
}
