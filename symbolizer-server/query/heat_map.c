/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/heat_map.h"

#include <errno.h>
#include <stdlib.h>

int heat_map_choose(struct time_range range, uint64_t column_ns, uint32_t row_count,
	uint32_t column_count_max, struct heat_map_shape *ret_shape)
{
	struct heat_map_shape shape = {.row_count = row_count};
	int r = time_steps_init(range, column_ns, column_count_max, &shape.columns);

	if (r < 0)
		return r;
	while (shape.row_count > 1 && column_ns % (shape.row_count * PROFILE_SLOT_NS) != 0)
		shape.row_count--;
	*ret_shape = shape;
	return 0;
}

static struct time_steps cells_of(const struct heat_map_shape *shape)
{
	return (struct time_steps){.start_ns = shape->columns.start_ns,
		.step_ns = shape->columns.step_ns / shape->row_count,
		.count = shape->columns.count * shape->row_count};
}

int heat_map_init(struct heat_map *map, const struct selector *selector, struct time_range range,
	const struct heat_map_shape *shape)
{
	struct time_steps cells = cells_of(shape);

	*map = (struct heat_map){.shape = *shape};
	row_filter_init(&map->filter, selector, range);
	step_cut_init(&map->cut, &cells, range);
	/* One more than needed, so that none is no special case. */
	map->counts = calloc((size_t)cells.count + 1, sizeof(*map->counts));
	map->values = calloc((size_t)cells.count + 1, sizeof(*map->values));
	if (map->counts && map->values)
		return 0;
	heat_map_done(map);
	return -ENOMEM;
}

void heat_map_done(struct heat_map *map)
{
	row_filter_done(&map->filter);
	step_cut_done(&map->cut);
	free(map->counts);
	free(map->values);
	*map = (struct heat_map){0};
}

static void add_part(void *context, uint32_t step, struct sample_part part)
{
	struct heat_map *map = context;

	/* No cell can overflow if the sum of all does not. */
	if (__builtin_add_overflow(map->total, part.value, &map->total))
		map->overflow = true;
	map->sample_count += part.count;
	map->counts[step] += part.count;
	map->values[step] += part.value;
}

static int add_slots(struct heat_map *map, const struct sample_table *table)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < table->row_count; i++) {
		const struct sample_row *row = &table->rows[i];
		bool accepted;

		r = row_filter_accepts(&map->filter, row, &accepted);
		if (r == 0 && accepted && row->value >= 0)
			step_cut_row(&map->cut, table, row, add_part, map);
	}
	return r;
}

/* Rows are summed first: spreading each by itself over a second's cells would take fifty times as
 * long and say no more. */
static int add_spread(struct heat_map *map, const struct sample_table *table)
{
	struct sample_part sum = {0}, part;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < table->row_count; i++) {
		r = row_filter_part(&map->filter, table, &table->rows[i], &part);
		if (r < 0 || part.value < 0)
			continue;
		sum.count += part.count;
		if (__builtin_add_overflow(sum.value, part.value, &sum.value))
			return -EOVERFLOW;
	}
	if (r < 0)
		return r;
	step_cut_spread(&map->cut, sum, add_part, map);
	/* Whatever lies in one cell as a whole needs no slots. */
	if (sum.count > 0 && map->cut.count > 1) {
		uint64_t end_ns = profile_window_end_epoch_ns(map->filter.profile);

		map->spread_count += sum.count;
		if (end_ns > map->spread_until_ns)
			map->spread_until_ns = end_ns;
	}
	return 0;
}

int heat_map_add(struct heat_map *map, const struct profile *profile)
{
	int r = row_filter_open(&map->filter, profile);

	if (r == 0)
		r = step_cut_open(&map->cut, profile);
	for (uint32_t i = 0; r == 0 && i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];
		bool takes = false;

		r = row_filter_takes_type(&map->filter, table, &takes);
		if (r == 0 && takes)
			r = table->has_slots ? add_slots(map, table) : add_spread(map, table);
	}
	return r == 0 && map->overflow ? -EOVERFLOW : r;
}

uint32_t heat_map_cell_count(const struct heat_map *map)
{
	return map->cut.steps.count;
}
