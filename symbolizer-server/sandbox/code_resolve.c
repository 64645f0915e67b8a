/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges: a sweep over those sorted by start. A heap holds what has begun, the highest rank on top;
 * what has ended is dropped once it comes to lie there. Compilers nest nearly all ranges, but not
 * all: a call can have pieces that cross its neighbour's.
 *
 * Lines: the same with a stack, since of sequences the one that begins last is on top by itself.
 */
#include "symbolizer-server/sandbox/code_resolve.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"

/* ---- Ranges ---- */

static int compare_units(const void *one_pointer, const void *other_pointer)
{
	const struct code_unit *one = *(const struct code_unit *const *)one_pointer;
	const struct code_unit *other = *(const struct code_unit *const *)other_pointer;

	if (one->order != other->order)
		return one->order > other->order ? -1 : 1;
	return one < other ? -1 : one > other;
}

/* Numbers ranges unit by unit, highest order first, so that comparing ranks compares both. */
static int rank_ranges(struct code_map *map)
{
	SCOPED_FREE const struct code_unit **sorted = NULL;
	uint32_t rank = 0;

	if (map->unit_count == 0)
		return 0;
	sorted = calloc(map->unit_count, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < map->unit_count; i++)
		sorted[i] = &map->units[i];
	qsort(sorted, map->unit_count, sizeof(*sorted), compare_units);
	for (uint32_t i = 0; i < map->unit_count; i++) {
		const struct code_unit *unit = sorted[i];
		uint32_t end = unit + 1 < map->units + map->unit_count ? unit[1].first_range
								       : map->range_count;

		for (uint32_t j = unit->first_range; j < end; j++)
			map->ranges[j].rank = rank++;
	}
	return 0;
}

static int compare_ranges(const void *one_pointer, const void *other_pointer)
{
	const struct code_range *one = one_pointer, *other = other_pointer;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return one->rank < other->rank ? -1 : one->rank > other->rank;
}

struct range_sweep {
	const struct code_range *from;
	uint32_t from_count;
	uint32_t next;
	uint32_t *heap; /* indices of FROM */
	uint32_t heap_count;
	struct code_range *to;
	uint32_t to_count;
};

static bool ranks_above(const struct range_sweep *sweep, uint32_t one, uint32_t other)
{
	return sweep->from[sweep->heap[one]].rank > sweep->from[sweep->heap[other]].rank;
}

static void swap_places(struct range_sweep *sweep, uint32_t one, uint32_t other)
{
	uint32_t index = sweep->heap[one];

	sweep->heap[one] = sweep->heap[other];
	sweep->heap[other] = index;
}

static void heap_push(struct range_sweep *sweep, uint32_t index)
{
	uint32_t at = sweep->heap_count++;

	sweep->heap[at] = index;
	while (at > 0 && ranks_above(sweep, at, (at - 1) / 2)) {
		swap_places(sweep, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

static void heap_pop(struct range_sweep *sweep)
{
	uint32_t at = 0;

	sweep->heap[0] = sweep->heap[--sweep->heap_count];
	for (;;) {
		uint32_t best = at;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
			if (child < sweep->heap_count && ranks_above(sweep, child, best))
				best = child;
		}
		if (best == at)
			return;
		swap_places(sweep, at, best);
		at = best;
	}
}

static void emit_range(struct range_sweep *sweep, uint64_t start, uint64_t end, uint32_t call)
{
	struct code_range *last = sweep->to_count ? &sweep->to[sweep->to_count - 1] : NULL;

	must(sweep->to);
	if (last && last->end == start && last->call == call)
		last->end = end;
	else
		sweep->to[sweep->to_count++] =
			(struct code_range){.start = start, .end = end, .call = call};
}

static void sweep_ranges(struct range_sweep *sweep)
{
	const struct code_range *from = sweep->from;
	uint64_t at = 0;

	while (sweep->heap_count > 0 || sweep->next < sweep->from_count) {
		const struct code_range *top;
		uint64_t until;

		if (sweep->heap_count == 0)
			at = from[sweep->next].start;
		while (sweep->next < sweep->from_count && from[sweep->next].start <= at)
			heap_push(sweep, sweep->next++);
		top = &from[sweep->heap[0]];
		if (top->end <= at) {
			heap_pop(sweep);
			continue;
		}
		until = top->end;
		if (sweep->next < sweep->from_count && from[sweep->next].start < until)
			until = from[sweep->next].start;
		emit_range(sweep, at, until, top->call);
		at = until;
	}
}

int code_resolve_ranges(struct code_map *map)
{
	struct range_sweep sweep = {.from = map->ranges, .from_count = map->range_count};
	SCOPED_FREE uint32_t *heap = NULL;
	int r = rank_ranges(map);

	if (r < 0 || map->range_count == 0)
		return r;
	qsort(map->ranges, map->range_count, sizeof(*map->ranges), compare_ranges);
	heap = calloc(map->range_count, sizeof(*heap));
	/* A piece ends where a range starts or ends. */
	sweep.to = calloc((size_t)map->range_count * 2, sizeof(*sweep.to));
	if (!heap || !sweep.to) {
		free(sweep.to);
		return -ENOMEM;
	}
	sweep.heap = heap;
	sweep_ranges(&sweep);
	must(sweep.to_count <= map->range_count * 2);
	free(map->ranges);
	map->ranges = sweep.to;
	map->range_count = sweep.to_count;
	map->range_capacity = map->range_count;
	return 0;
}

/* ---- Lines ---- */

static int compare_sequences(const void *one_pointer, const void *other_pointer)
{
	const struct code_sequence *one = one_pointer, *other = other_pointer;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	if (one->order != other->order)
		return one->order > other->order ? -1 : 1;
	if (one->end != other->end)
		return one->end > other->end ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

struct line_sweep {
	const struct code_map *map;
	uint32_t next;
	uint32_t *open; /* a stack of sequences */
	uint32_t open_count;
	struct code_line *to;
	uint32_t to_count;
	uint64_t end; /* of what was emitted so far */
};

static void emit_line(struct line_sweep *sweep, struct code_line row)
{
	struct code_line *last = sweep->to_count ? &sweep->to[sweep->to_count - 1] : NULL;

	must(sweep->to);
	if (last && last->address == row.address)
		*last = row;
	else if (!last || last->file != row.file || last->line != row.line)
		sweep->to[sweep->to_count++] = row;
}

/* What SEQUENCE says of [start, end). */
static void emit_piece(struct line_sweep *sweep, const struct code_sequence *sequence,
	uint64_t start, uint64_t end)
{
	const struct code_line *rows = &sweep->map->lines[sequence->first_line];
	uint32_t low = 0, high = sequence->line_count;

	if (start > sweep->end && sweep->to_count > 0)
		emit_line(sweep, (struct code_line){.address = sweep->end});
	/* The first row behind START; the one before it holds START. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (rows[middle].address <= start)
			low = middle + 1;
		else
			high = middle;
	}
	must(low > 0);
	for (uint32_t i = low - 1; i < sequence->line_count && rows[i].address < end; i++) {
		struct code_line row = rows[i];

		if (row.address < start)
			row.address = start;
		emit_line(sweep, row);
	}
	sweep->end = end;
}

static void sweep_lines(struct line_sweep *sweep)
{
	const struct code_map *map = sweep->map;
	uint64_t at = 0;

	while (sweep->open_count > 0 || sweep->next < map->sequence_count) {
		const struct code_sequence *top;
		uint64_t until;

		if (sweep->open_count == 0)
			at = map->sequences[sweep->next].start;
		while (sweep->next < map->sequence_count && map->sequences[sweep->next].start <= at)
			sweep->open[sweep->open_count++] = sweep->next++;
		top = &map->sequences[sweep->open[sweep->open_count - 1]];
		if (top->end <= at) {
			sweep->open_count--;
			continue;
		}
		until = top->end;
		if (sweep->next < map->sequence_count && map->sequences[sweep->next].start < until)
			until = map->sequences[sweep->next].start;
		emit_piece(sweep, top, at, until);
		at = until;
	}
	if (sweep->to_count > 0)
		emit_line(sweep, (struct code_line){.address = sweep->end});
}

int code_resolve_lines(struct code_map *map)
{
	struct line_sweep sweep = {.map = map};
	SCOPED_FREE uint32_t *open = NULL;

	if (map->sequence_count == 0)
		return 0;
	qsort(map->sequences, map->sequence_count, sizeof(*map->sequences), compare_sequences);
	open = calloc(map->sequence_count, sizeof(*open));
	/* A row begins once of itself, and once behind each sequence that interrupts it; each
	 * sequence has a gap in front of it at most, and the last an end. */
	sweep.to = calloc(
		(size_t)map->line_count + (size_t)map->sequence_count * 2 + 1, sizeof(*sweep.to));
	if (!open || !sweep.to) {
		free(sweep.to);
		return -ENOMEM;
	}
	sweep.open = open;
	sweep_lines(&sweep);
	free(map->lines);
	map->lines = sweep.to;
	map->line_count = sweep.to_count;
	map->line_capacity = sweep.to_count;
	return 0;
}
