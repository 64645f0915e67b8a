/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   unit
 *     subprogram            level {call none, live}     -> function
 *       lexical block         the same level goes on
 *         inlined call          level {call 1, live}    -> call 1 and its ranges
 *           inlined call          level {call 2, live}  -> call 2, parent 1
 */
#include "symbolizer-server/sandbox/dwarf_walk.h"

#include <errno.h>
#include <string.h>

#include "symbolizer-server/sandbox/dwarf_constant.h"

int dwarf_walk_init(struct dwarf_walk *walk, const struct dwarf_target *target)
{
	memset(walk, 0, sizeof(*walk));
	walk->target = *target;
	return dwarf_namer_init(&walk->namer, target->strings);
}

void dwarf_walk_done(struct dwarf_walk *walk)
{
	dwarf_namer_done(&walk->namer);
	dwarf_lines_done(&walk->lines);
}

/* Discarded functions stay in DWARF at address 0, 1 or the highest ones; and damaged ranges may be
 * anything: only what lies in code counts. */
static uint64_t end_in_code(const struct dwarf_walk *walk, uint64_t start, uint64_t end)
{
	const struct code_span *span = code_ranges_find(walk->target.code, start);

	if (!span || end <= start)
		return start;
	return end < span->end ? end : span->end;
}

/* The name of the part of a function that starts at START: that of the symbol there, which may be
 * `f.cold`; else that of the part before; else what DWARF says. */
static int name_part(
	struct dwarf_walk *walk, const struct dwarf_entry *entry, uint64_t start, uint32_t *name)
{
	const struct function_list *table = walk->target.table;
	uint32_t index = function_list_from(table, start);

	if (index < table->count && table->functions[index].start == start) {
		*name = table->functions[index].name;
		return 0;
	}
	if (*name != DWARF_NAME_NONE)
		return 0;
	return dwarf_namer_name(&walk->namer, walk->unit, walk->table, entry, name);
}

static int add_function(
	struct dwarf_walk *walk, const struct dwarf_entry *entry, struct dwarf_level *level)
{
	uint32_t name = DWARF_NAME_NONE, order = walk->function_count++;
	struct dwarf_range_walk ranges;
	uint64_t start, end;
	int r = 0;

	*level = (struct dwarf_level){.call = CODE_CALL_NONE};
	dwarf_range_begin(walk->unit, &entry->extent, &ranges);
	while (r == 0 && dwarf_range_next(&ranges, &start, &end)) {
		end = end_in_code(walk, start, end);
		if (end == start)
			continue;
		level->live = true;
		r = name_part(walk, entry, start, &name);
		if (r == 0 && name != DWARF_NAME_NONE)
			r = function_list_add(walk->target.functions, start, end, name, order);
	}
	return r;
}

/* The call that ENTRY is; PARENT itself if its name stands in a file that is not here: a frame
 * without a name tells nobody anything. */
static int make_call(struct dwarf_walk *walk, const struct dwarf_entry *entry, uint32_t parent,
	uint32_t *ret_call)
{
	struct code_call call = {.parent = parent};
	int r = dwarf_namer_name(&walk->namer, walk->unit, walk->table, entry, &call.name);

	if (r == 0 && call.name == DWARF_NAME_NONE) {
		*ret_call = parent;
		return 0;
	}
	if (r == 0 && walk->has_lines && entry->call_file.form)
		r = dwarf_lines_path(&walk->lines, entry->call_file.number, &call.call_file);
	if (r < 0)
		return r;
	call.call_line = (uint32_t)entry->call_line.number;
	return code_map_add_call(walk->target.map, &call, ret_call);
}

static int add_call(
	struct dwarf_walk *walk, const struct dwarf_entry *entry, struct dwarf_level *level)
{
	struct dwarf_range_walk ranges;
	uint64_t start, end;
	uint32_t parent = level->call;
	int r = make_call(walk, entry, parent, &level->call);

	if (r < 0 || level->call == parent)
		return r;
	dwarf_range_begin(walk->unit, &entry->extent, &ranges);
	while (r == 0 && dwarf_range_next(&ranges, &start, &end)) {
		end = end_in_code(walk, start, end);
		if (end > start)
			r = code_map_add_range(walk->target.map, start, end, level->call);
	}
	return r;
}

/* Reads or skips the attributes of an entry; LEVEL is that of its parent, and becomes its own. */
static int take_entry(
	struct dwarf_walk *walk, const struct abbrev *abbrev, struct dwarf_level *level)
{
	struct dwarf_entry entry;
	bool function = abbrev->tag == DW_TAG_subprogram && abbrev->has_code;
	bool call = abbrev->tag == DW_TAG_inlined_subroutine && level->live &&
		(abbrev->has_code || abbrev->has_children);

	if ((!function && !call) || walk->depth >= DWARF_DEPTH_MAX) {
		dwarf_entry_skip(&walk->cursor, walk->unit, walk->table, abbrev);
		/* A function without code, inside of another, is only described there. */
		if (abbrev->tag == DW_TAG_subprogram)
			*level = (struct dwarf_level){0};
		return 0;
	}
	dwarf_entry_read(&walk->cursor, walk->unit, walk->table, abbrev, &entry);
	if (walk->cursor.bad)
		return 0;
	return function ? add_function(walk, &entry, level) : add_call(walk, &entry, level);
}

static struct dwarf_level *level_at(struct dwarf_walk *walk, uint32_t depth)
{
	return &walk->levels[depth < DWARF_DEPTH_MAX ? depth : DWARF_DEPTH_MAX - 1];
}

static int walk_entries(struct dwarf_walk *walk)
{
	int r = 0;

	walk->depth = 0;
	walk->levels[0] = (struct dwarf_level){0};
	do {
		uint64_t code = dwarf_cursor_uleb(&walk->cursor);
		const struct abbrev *abbrev;
		struct dwarf_level level;

		if (code == 0) {
			if (walk->depth > 0)
				walk->depth--;
			continue;
		}
		abbrev = abbrev_find(walk->table, code);
		if (!abbrev)
			return 0;
		level = *level_at(walk, walk->depth);
		r = take_entry(walk, abbrev, &level);
		if (abbrev->has_children) {
			walk->depth++;
			if (walk->depth < DWARF_DEPTH_MAX)
				walk->levels[walk->depth] = level;
		}
	} while (r == 0 && walk->depth > 0 && !walk->cursor.bad);
	return r;
}

static int begin_lines(struct dwarf_walk *walk, bool run)
{
	int r;

	walk->has_lines = false;
	if (!walk->unit->has_lines)
		return 0;
	r = dwarf_lines_open(&walk->lines, walk->unit, walk->target.strings);
	if (r == 0 && run)
		r = dwarf_lines_run(&walk->lines, walk->target.code, walk->target.map);
	walk->has_lines = r == 0;
	return r == -EBADMSG ? 0 : r;
}

int dwarf_walk_unit(struct dwarf_walk *walk, const struct dwarf_unit *unit,
	const struct abbrev_table *table, bool lines)
{
	const struct dwarf_span *info = &unit->file->sections[DWARF_INFO];
	struct dwarf_span upto = {info->bytes, unit->head.end};
	int r;

	walk->unit = unit;
	walk->table = table;
	walk->cursor = dwarf_cursor_at(&upto, unit->head.first_entry, unit->file->swapped);
	r = begin_lines(walk, lines);
	return r == 0 ? walk_entries(walk) : r;
}
