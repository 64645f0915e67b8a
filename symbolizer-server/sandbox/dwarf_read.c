/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_read.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/base/index_map.h"
#include "symbolizer-server/sandbox/dwarf_constant.h"

struct reading {
	struct dwarf_file file;
	struct dwarf_walk walk;
	struct abbrev_table table;
	/* Line programs that were run, by their place: units of one may be many. */
	uint64_t *programs;
	uint32_t program_count;
	struct index_map program_map;
};

static bool has_code(const struct dwarf_unit_head *head)
{
	return head->type != DW_UT_type && head->type != DW_UT_split_type;
}

static bool is_program(const void *context, uint32_t index, const void *key)
{
	return ((const uint64_t *)context)[index] == *(const uint64_t *)key;
}

/* Whether the program of UNIT was not run yet; it counts as run from now on. */
static int take_program(struct reading *reading, const struct dwarf_unit *unit, bool *ret_first)
{
	uint64_t hash = hash_pair(unit->lines_offset, 0);

	*ret_first = false;
	if (!unit->has_lines ||
		index_map_find(&reading->program_map, hash, is_program, reading->programs,
			&unit->lines_offset) != INDEX_MAP_NONE)
		return 0;
	*ret_first = true;
	reading->programs[reading->program_count] = unit->lines_offset;
	return index_map_add(&reading->program_map, hash, reading->program_count++);
}

static int read_unit(struct reading *reading, const struct dwarf_unit_head *head)
{
	struct dwarf_file *file = &reading->file;
	struct dwarf_unit unit;
	bool first = false;
	int r = abbrev_table_read(
		&reading->table, &file->sections[DWARF_ABBREV], head, file->swapped);

	if (r == 0)
		r = dwarf_unit_open(file, head, &reading->table, &unit);
	if (r == 0)
		r = take_program(reading, &unit, &first);
	if (r == 0)
		r = dwarf_walk_unit(&reading->walk, &unit, &reading->table, first);
	dwarf_file_forget(file, head->end);
	return r == -EBADMSG ? 0 : r;
}

static int read_units(struct reading *reading, const struct dwarf_target *target)
{
	uint32_t count = reading->file.unit_count;
	int r = dwarf_walk_init(&reading->walk, target);

	index_map_init(&reading->program_map, count);
	reading->programs = calloc(count ? count : 1, sizeof(*reading->programs));
	if (r == 0 && !reading->programs)
		r = -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		target->map->order = i;
		if (has_code(&reading->file.units[i]))
			r = read_unit(reading, &reading->file.units[i]);
	}
	dwarf_walk_done(&reading->walk);
	abbrev_table_done(&reading->table);
	index_map_done(&reading->program_map);
	free(reading->programs);
	return r;
}

int dwarf_read(const struct dwarf_source *source, const struct dwarf_target *target)
{
	SCOPED_FREE struct reading *reading = calloc(1, sizeof(*reading));
	struct dwarf_scratch scratch = {.fd = source->scratch_fd};
	int r;

	if (!reading)
		return -ENOMEM;
	r = dwarf_file_open(source->image, source->names, DWARF_PLAIN, &scratch, &reading->file);
	if (r < 0)
		return r;
	r = read_units(reading, target);
	dwarf_file_done(&reading->file);
	if (r == 0 && target->functions->count == 0)
		r = -ENOENT;
	return r;
}
