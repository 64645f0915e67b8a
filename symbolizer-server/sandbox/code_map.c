/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept while units are read, for 630 MB of DWARF:
 *
 *   calls      [parent name file line]   1 M x 16 bytes, each once; slots: 2 M x 4 bytes
 *   ranges     [start end call rank]     1.4 M x 24 bytes      units: where an order begins
 *   lines      [address file line]       2 M x 16 bytes        sequences: runs of lines
 *
 * Arrays grow by realloc, which moves pages of such sizes without a copy, and what was not yet
 * written takes no memory.
 */
#include "symbolizer-server/sandbox/code_map.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/code_resolve.h"

/* Ten times what the largest programs of today have; the sandbox's limit on memory is lower. */
#define CALL_COUNT_MAX (32u << 20)
#define RANGE_COUNT_MAX (32u << 20)
#define LINE_COUNT_MAX (64u << 20)
#define UNIT_COUNT_MAX (16u << 20)
#define SLOT_COUNT_FIRST 1024u

int code_map_init(struct code_map *map)
{
	*map = (struct code_map){0};
	map->slots = calloc(SLOT_COUNT_FIRST, sizeof(*map->slots));
	map->calls = calloc(SLOT_COUNT_FIRST, sizeof(*map->calls));
	if (!map->slots || !map->calls) {
		code_map_done(map);
		return -ENOMEM;
	}
	map->slot_count = SLOT_COUNT_FIRST;
	map->call_capacity = SLOT_COUNT_FIRST;
	map->call_count = 1;
	return 0;
}

void code_map_done(struct code_map *map)
{
	free(map->calls);
	free(map->ranges);
	free(map->lines);
	free(map->slots);
	free(map->sequences);
	free(map->units);
	*map = (struct code_map){0};
}

/* The slot that holds CALL, or the free one where it would stand. */
static uint32_t *slot_of(
	uint32_t *slots, uint32_t slot_count, const struct code_call *calls, struct code_call call)
{
	uint32_t mask = slot_count - 1;
	uint64_t hash = hash_pair((uint64_t)call.parent << 32 | call.name,
		(uint64_t)call.call_file << 32 | call.call_line);

	for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
		const struct code_call *other = &calls[slots[at]];

		if (slots[at] == 0 ||
			(other->parent == call.parent && other->name == call.name &&
				other->call_file == call.call_file &&
				other->call_line == call.call_line))
			return &slots[at];
	}
}

static int grow_slots(struct code_map *map)
{
	uint32_t slot_count = map->slot_count * 2;
	uint32_t *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 1; i < map->call_count; i++)
		*slot_of(slots, slot_count, map->calls, map->calls[i]) = i;
	free(map->slots);
	map->slots = slots;
	map->slot_count = slot_count;
	return 0;
}

int code_map_add_call(struct code_map *map, const struct code_call *call, uint32_t *ret_call)
{
	uint32_t *slot;
	int r;

	must(!map->resolved && call->parent < map->call_count);
	slot = slot_of(map->slots, map->slot_count, map->calls, *call);
	if (*slot) {
		*ret_call = *slot;
		return 0;
	}
	/* At most half full: probes stay short. */
	if (map->call_count >= map->slot_count / 2) {
		r = grow_slots(map);
		if (r < 0)
			return r;
		slot = slot_of(map->slots, map->slot_count, map->calls, *call);
	}
	r = grow_array(&map->calls, &map->call_capacity, map->call_count, CALL_COUNT_MAX);
	if (r < 0)
		return r;
	*slot = map->call_count;
	map->calls[map->call_count] = *call;
	*ret_call = map->call_count++;
	return 0;
}

int code_map_add_range(struct code_map *map, uint64_t start, uint64_t end, uint32_t call)
{
	int r;

	must(!map->resolved && call != CODE_CALL_NONE && call < map->call_count);
	if (end <= start)
		return 0;
	if (map->unit_count == 0 || map->units[map->unit_count - 1].order != map->order) {
		r = grow_array(&map->units, &map->unit_capacity, map->unit_count, UNIT_COUNT_MAX);
		if (r < 0)
			return r;
		map->units[map->unit_count++] =
			(struct code_unit){.first_range = map->range_count, .order = map->order};
	}
	r = grow_array(&map->ranges, &map->range_capacity, map->range_count, RANGE_COUNT_MAX);
	if (r < 0)
		return r;
	map->ranges[map->range_count++] =
		(struct code_range){.start = start, .end = end, .call = call};
	return 0;
}

/* Ends the open sequence before ADDRESS; without a row in front of it nothing is left of it. */
static void close_sequence(struct code_map *map, uint64_t address)
{
	struct code_sequence *sequence = &map->sequences[map->sequence_count - 1];

	while (map->line_count > sequence->first_line &&
		map->lines[map->line_count - 1].address >= address)
		map->line_count--;
	sequence->end = address;
	sequence->line_count = map->line_count - sequence->first_line;
	map->sequence_open = false;
	if (sequence->line_count == 0)
		map->sequence_count--;
}

/* A line program that breaks off: nothing tells how far its last row reaches. */
static void abandon_sequence(struct code_map *map)
{
	if (map->sequence_open)
		close_sequence(map, map->lines[map->line_count - 1].address);
}

static int open_sequence(struct code_map *map, uint64_t address)
{
	int r = grow_array(
		&map->sequences, &map->sequence_capacity, map->sequence_count, UNIT_COUNT_MAX);

	if (r < 0)
		return r;
	map->sequences[map->sequence_count] = (struct code_sequence){
		.start = address,
		.first_line = map->line_count,
		.order = map->order,
		.number = map->sequence_count,
	};
	map->sequence_count++;
	map->sequence_open = true;
	return 0;
}

int code_map_add_line(struct code_map *map, uint64_t address, uint32_t file, uint32_t line)
{
	struct code_line row = {.address = address, .file = file, .line = line};
	struct code_line *last;
	bool first;
	int r;

	must(!map->resolved);
	if (map->sequence_open && map->sequences[map->sequence_count - 1].order != map->order)
		abandon_sequence(map);
	/* Before the sequence is opened: an open one has a row. */
	r = grow_array(&map->lines, &map->line_capacity, map->line_count, LINE_COUNT_MAX);
	first = !map->sequence_open;
	if (r == 0 && first)
		r = open_sequence(map, address);
	if (r < 0)
		return r;
	must(map->lines);
	last = first ? NULL : &map->lines[map->line_count - 1];
	if (last && address < last->address)
		return 0;
	if (last && address == last->address)
		*last = row;
	else if (!last || last->file != file || last->line != line)
		map->lines[map->line_count++] = row;
	return 0;
}

int code_map_end_lines(struct code_map *map, uint64_t address)
{
	must(!map->resolved);
	if (map->sequence_open)
		close_sequence(map, address);
	return 0;
}

/* What only filling it needed. */
static void drop_scaffold(struct code_map *map)
{
	free(map->slots);
	free(map->sequences);
	free(map->units);
	map->slots = NULL;
	map->sequences = NULL;
	map->units = NULL;
	map->slot_count = map->sequence_count = map->sequence_capacity = 0;
	map->unit_count = map->unit_capacity = 0;
}

int code_map_resolve(struct code_map *map)
{
	int r;

	must(!map->resolved);
	abandon_sequence(map);
	free(map->slots);
	map->slots = NULL;
	r = code_resolve_ranges(map);
	if (r == 0)
		r = code_resolve_lines(map);
	if (r < 0)
		return r;
	drop_scaffold(map);
	map->resolved = true;
	return 0;
}

void code_map_move(struct code_map *map, uint64_t start)
{
	uint32_t kept = 0;

	must(map->resolved || (map->range_count == 0 && map->line_count == 0));
	for (uint32_t i = 0; i < map->range_count; i++) {
		struct code_range range = map->ranges[i];

		if (range.start < start)
			continue;
		range.start -= start;
		range.end -= start;
		map->ranges[kept++] = range;
	}
	map->range_count = kept;
	kept = 0;
	for (uint32_t i = 0; i < map->line_count; i++) {
		struct code_line line = map->lines[i];

		if (line.address < start)
			continue;
		line.address -= start;
		map->lines[kept++] = line;
	}
	map->line_count = kept;
}
