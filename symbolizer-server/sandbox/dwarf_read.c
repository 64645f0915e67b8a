/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_read.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/base/index_map.h"
#include "symbolizer-server/sandbox/dwarf_constant.h"
#include "symbolizer-server/sandbox/dwarf_split.h"
#include "symbolizer-server/sandbox/dwarf_supplementary.h"

/* A file of split DWARF. */
struct package {
	struct image image; /* of a file of its own */
	struct section_names names;
	struct dwarf_split split;
	bool is_open;
};

struct reading {
	struct dwarf_scratch scratch;
	struct dwarf_missing missing;
	struct dwarf_file file;
	struct dwarf_supplementary supplementary;
	struct package packages[2]; /* the one that was given, and the file itself */
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
	/* What dwz took out of a unit names the unit's program, too, but may lack its directory. */
	if (!unit->has_lines || unit->tag == DW_TAG_partial_unit)
		return 0;
	if (index_map_find(&reading->program_map, hash, is_program, reading->programs,
		    &unit->lines_offset) != INDEX_MAP_NONE)
		return 0;
	*ret_first = true;
	reading->programs[reading->program_count] = unit->lines_offset;
	return index_map_add(&reading->program_map, hash, reading->program_count++);
}

/* Walks the unit that SKELETON stands for. -ENOENT: it is nowhere. */
static int read_split(struct reading *reading, const struct dwarf_unit *skeleton, bool lines)
{
	for (size_t i = 0; i < 2; i++) {
		struct package *package = &reading->packages[i];
		const struct dwarf_unit_head *head;
		struct dwarf_parts parts;
		struct dwarf_unit unit;
		int r;

		head = package->is_open
			? dwarf_split_find(&package->split, skeleton->dwo_id, &parts)
			: NULL;
		if (!head)
			continue;
		r = abbrev_table_read(
			&reading->table, &parts.abbrev, head, package->split.file.swapped);
		if (r == 0)
			r = dwarf_unit_open_split(&package->split.file, head, &parts, skeleton,
				&reading->table, &unit);
		if (r == 0)
			r = dwarf_walk_unit(&reading->walk, &unit, &reading->table, lines);
		dwarf_file_forget(&package->split.file, head->end);
		return r;
	}
	return -ENOENT;
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
	if (r == 0 && unit.wants_split) {
		r = read_split(reading, &unit, first);
		if (r == -ENOENT)
			reading->missing.package = true;
	}
	/* Lines stand in the skeleton in any case; and clang leaves its inlined calls there. */
	if (r == -ENOENT || (r == 0 && !unit.wants_split))
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

/* A file that is not what it should be is none; only our own trouble counts. */
static int forgive(int error)
{
	return error == -ENOMEM || error == -EFBIG || error == -E2BIG || error == -EIO ? error : 0;
}

static int open_supplementary(struct reading *reading, const struct dwarf_source *source)
{
	struct build_id id;
	int r = dwarf_supplementary_id(source->image, source->names, &id);

	if (r < 0)
		return forgive(r);
	reading->missing.supplementary = id;
	if (source->supplementary_fd <= 0)
		return 0;
	r = dwarf_supplementary_open(
		source->supplementary_fd, &id, &reading->scratch, &reading->supplementary);
	if (r < 0)
		return forgive(r);
	reading->missing.supplementary = (struct build_id){0};
	reading->file.supplementary = &reading->supplementary.file;
	return 0;
}

static int open_package(struct reading *reading, int fd)
{
	struct package *package = &reading->packages[0];
	int r;

	if (fd <= 0)
		return 0;
	r = image_open(fd, true, &package->image);
	if (r == 0)
		r = section_names_read(&package->image, &package->names);
	if (r == 0)
		r = dwarf_split_open(
			&package->image, &package->names, &reading->scratch, &package->split);
	package->is_open = r == 0 && package->split.file.swapped == reading->file.swapped;
	return forgive(r);
}

/* Programs that were linked from objects with `.dwo` sections in them may still have these. */
static int open_own_split(struct reading *reading, const struct dwarf_source *source)
{
	struct package *package = &reading->packages[1];
	int r = dwarf_split_open(source->image, source->names, &reading->scratch, &package->split);

	package->is_open = r == 0;
	return forgive(r);
}

static void reading_done(struct reading *reading)
{
	for (size_t i = 0; i < 2; i++) {
		dwarf_split_done(&reading->packages[i].split);
		section_names_done(&reading->packages[i].names);
		image_done(&reading->packages[i].image);
	}
	dwarf_supplementary_done(&reading->supplementary);
	dwarf_file_done(&reading->file);
}

int dwarf_read(const struct dwarf_source *source, const struct dwarf_target *target,
	struct dwarf_missing *ret_missing)
{
	SCOPED_FREE struct reading *reading = calloc(1, sizeof(*reading));
	int r;

	*ret_missing = (struct dwarf_missing){0};
	if (!reading)
		return -ENOMEM;
	reading->scratch.fd = source->scratch_fd;
	r = dwarf_file_open(
		source->image, source->names, DWARF_PLAIN, &reading->scratch, &reading->file);
	if (r == 0)
		r = open_supplementary(reading, source);
	if (r == 0)
		r = open_package(reading, source->package_fd);
	if (r == 0)
		r = open_own_split(reading, source);
	if (r == 0)
		r = read_units(reading, target);
	*ret_missing = reading->missing;
	reading_done(reading);
	if (r == 0 && target->functions->count == 0 && target->map->line_count == 0)
		r = -ENOENT;
	return r;
}
