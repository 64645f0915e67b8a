/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   range     |-------------------------|          steps: the cells that a range is cut into
 *   cells     |   0   |   1   |   2   |3|
 *   windows    [0] [0-1] [1] ...                   each row goes to the cells of its window,
 *   rows      0: a b d | 1: b c | ...              stays in its order there, and is summed up
 */
#include "store/disk/segment_chunk_visit.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/profile/grow.h"

/* Row numbers that are dealt out at a time: 32 MiB. */
#define DEALT_COUNT_MAX (8u << 20)
#define CELL_COUNT_MAX 4096u

struct cell {
	uint64_t from_ns;
	uint64_t until_ns;
};

/* How a window lies to one cell. */
struct window_cut {
	struct sample_range range;
	bool outside;
};

/* A row's share while its stack goes on; threads of rows or label sets. */
struct share {
	uint32_t thread;
	uint32_t cpu;
	uint64_t count;
	int64_t value;
};

struct chunk_work {
	struct segment_visit *visit;
	struct segment_chunk chunk;
	const struct segment_windows *windows;
	struct segment_piece piece;
	struct window_cut *cuts; /* of the windows, for the cell at hand */
	struct share *shares; /* of the stack at hand */
	uint32_t share_count;
	uint32_t share_capacity;
	uint32_t *known; /* series: label set -> its share + 1 */
};

static bool is_cut(const struct segment_window *window, uint64_t at_ns)
{
	uint64_t last_ns = segment_window_slots_end_ns(window) - PROFILE_SLOT_NS;

	return at_ns > window->start_ns && at_ns <= last_ns;
}

/* Whether an edge of the range or of a step lies inside a window: its rows are divided by slots. */
static bool needs_slots(const struct segment_visit *visit, const struct segment_windows *windows,
	const struct segment_range *range)
{
	for (uint32_t i = 0; i < windows->count; i++) {
		const struct segment_window *window = &windows->windows[i];

		if (is_cut(window, range->from_ns) || is_cut(window, range->until_ns) ||
			is_cut(window, segment_step_end(visit->request, window->start_ns)))
			return true;
	}
	return false;
}

/* What lies behind its window would be in no range. */
static bool slots_fit(const struct segment_chunk *chunk, const struct segment_windows *windows)
{
	for (uint32_t i = 0; i < chunk->table_count; i++) {
		const struct segment_table *table = &chunk->tables[i];

		for (uint32_t j = 0; table->slots && j < table->row_count; j++) {
			const struct segment_row *row = &table->rows[j];
			uint32_t last = table->slots[row->slot_first + row->count - 1];

			if (last >= segment_window_slot_count(&windows->windows[row->window]))
				return false;
		}
	}
	return true;
}

/* Threads' names become those of pieces; where no texts were read nobody asks for them. */
static void name_threads(const struct segment_group *group, struct segment_chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->thread_count; i++) {
		struct thread *thread = &chunk->threads[i];

		thread->name = group->texts ? group->texts[thread->name] : 0;
	}
}

int segment_chunk_load(const struct segment_visit *visit, uint32_t place,
	const struct segment_range *ranges, uint32_t range_count, struct segment_chunk *ret_chunk,
	const struct segment_windows **ret_windows)
{
	uint64_t hour = visit->group->head.sections[place].hour;
	const struct segment_windows *windows = NULL;
	struct segment_chunk chunk;
	bool slots = visit->request->detail == SEGMENT_DETAIL_SLOTS;
	int r = segment_hours_get(visit->hours, visit->group->reader, hour, &windows);

	if (r < 0)
		return r;
	for (uint32_t i = 0; !slots && i < range_count; i++)
		slots = needs_slots(visit, windows, &ranges[i]);
	r = segment_group_chunk(visit->group, place, windows->count, slots, &chunk);
	if (r < 0)
		return r;
	if (!slots_fit(&chunk, windows)) {
		segment_chunk_done(&chunk);
		return -EBADMSG;
	}
	name_threads(visit->group, &chunk);
	*ret_chunk = chunk;
	*ret_windows = windows;
	return 0;
}

static void cut_windows(struct chunk_work *work, const struct cell *cell)
{
	for (uint32_t i = 0; i < work->windows->count; i++) {
		const struct segment_window *window = &work->windows->windows[i];
		struct window_cut *cut = &work->cuts[i];

		sample_range_of(&cut->range, window->start_ns, segment_window_slot_count(window),
			cell->from_ns, cell->until_ns);
		cut->outside = cut->range.slot_from == cut->range.slot_until;
	}
}

static int share_compare(const void *left, const void *right)
{
	const struct share *one = left, *other = right;

	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	return (one->cpu > other->cpu) - (one->cpu < other->cpu);
}

static bool join(struct share *to, const struct share *share)
{
	struct share whole = *to;

	if (to->thread != share->thread || to->cpu != share->cpu ||
		__builtin_add_overflow(to->count, share->count, &whole.count) ||
		__builtin_add_overflow(to->value, share->value, &whole.value))
		return false;
	*to = whole;
	return true;
}

/* Hands the shares of STACK on: it is over. */
static int end_stack(struct chunk_work *work, uint32_t type, uint32_t stack)
{
	struct share *shares = work->shares;
	uint32_t count = work->share_count, kept = 0;
	int r = 0;

	work->share_count = 0;
	if (count > 1)
		qsort(shares, count, sizeof(*shares), share_compare);
	for (uint32_t i = 0; i < count; i++) {
		work->known[shares[i].thread] = 0;
		if (kept == 0 || !join(&shares[kept - 1], &shares[i]))
			shares[kept++] = shares[i];
	}
	for (uint32_t i = 0; r == 0 && i < kept; i++) {
		struct sample_row row = {.stack = stack,
			.thread = shares[i].thread,
			.cpu = shares[i].cpu,
			.value = shares[i].value};

		r = segment_piece_add(&work->piece, type, &row, shares[i].count);
	}
	return r;
}

/* By series there is one share for each label set; by thread and CPU they are joined at the end. */
static int add_share(struct chunk_work *work, const struct share *share)
{
	bool by_thread = work->visit->request->detail == SEGMENT_DETAIL_ROWS;
	uint32_t *known = &work->known[share->thread];
	int r;

	if (share->count == 0 && share->value == 0)
		return 0;
	if (!by_thread && *known != 0 && join(&work->shares[*known - 1], share))
		return 0;
	if (by_thread && work->share_count > 0 && join(&work->shares[work->share_count - 1], share))
		return 0;
	r = grow_array(
		&work->shares, &work->share_capacity, work->share_count, SAMPLE_ROW_COUNT_MAX);
	if (r < 0)
		return r;
	work->shares[work->share_count++] = *share;
	*known = work->share_count;
	return 0;
}

static int add_row(struct chunk_work *work, uint32_t type, const struct segment_row *row)
{
	const struct segment_visit *visit = work->visit;
	const struct window_cut *cut = &work->cuts[row->window];
	uint32_t set = work->chunk.threads[row->thread].labels;
	bool by_thread = visit->request->detail == SEGMENT_DETAIL_ROWS;
	struct sample_part part = {row->count, row->value};
	struct share share;

	if (cut->outside || (visit->sets && !visit->sets[set]))
		return 0;
	if (!cut->range.whole)
		part = segment_row_part(row, work->chunk.tables[type].slots, &cut->range);
	share = (struct share){.thread = by_thread ? row->thread : set,
		.cpu = by_thread ? row->cpu : SAMPLE_CPU_UNKNOWN,
		.count = part.count,
		.value = part.value};
	return add_share(work, &share);
}

/* ROWS: which of the table's; NULL: all. */
static int add_rows(struct chunk_work *work, uint32_t type, const uint32_t *numbers, uint32_t count)
{
	const struct segment_row *rows = work->chunk.tables[type].rows;
	bool series = work->visit->request->detail == SEGMENT_DETAIL_SERIES;
	uint32_t stack = STACK_EMPTY;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct segment_row *row = &rows[numbers ? numbers[i] : i];

		if (!series && row->stack != stack) {
			r = end_stack(work, type, stack);
			stack = row->stack;
		}
		if (r == 0)
			r = add_row(work, type, row);
	}
	return r == 0 ? end_stack(work, type, stack) : r;
}

static void emit(struct chunk_work *work, const struct cell *cell)
{
	bool by_thread = work->visit->request->detail == SEGMENT_DETAIL_ROWS;
	const struct label_table *labels = &work->visit->group->tables->labels;

	segment_piece_emit(&work->piece, by_thread ? work->chunk.threads : work->visit->series,
		by_thread ? work->chunk.thread_count : labels->count, cell->from_ns,
		cell->until_ns);
}

static int visit_cell(struct chunk_work *work, const struct cell *cell)
{
	int r = 0;

	cut_windows(work, cell);
	for (uint32_t i = 0; r == 0 && i < work->chunk.table_count; i++) {
		if (work->visit->types[i])
			r = add_rows(work, i, NULL, work->chunk.tables[i].row_count);
	}
	if (r == 0)
		emit(work, cell);
	return r;
}

/* Rows dealt out: those of cell i of type t start at first[t * (cells + 1) + i]. */
struct dealing {
	const struct cell *cells;
	uint32_t cell_count;
	uint32_t *first;
	uint32_t **numbers; /* of each type */
};

static void dealing_done(struct dealing *dealing, uint32_t type_count)
{
	for (uint32_t i = 0; dealing->numbers && i < type_count; i++)
		free(dealing->numbers[i]);
	free(dealing->numbers);
	free(dealing->first);
}

/* From one cell up to another. */
struct cell_span {
	uint32_t first;
	uint32_t end;
};

/* The cells in which slots of WINDOW start. */
static struct cell_span cells_of(const struct dealing *dealing, const struct segment_window *window)
{
	uint64_t last_ns = segment_window_slots_end_ns(window) - PROFILE_SLOT_NS;
	uint32_t low = 0, high = dealing->cell_count, end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (dealing->cells[middle].until_ns <= window->start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	end = low;
	while (end < dealing->cell_count && dealing->cells[end].from_ns <= last_ns)
		end++;
	return (struct cell_span){low, end};
}

/* Which cells each window lies in. */
static int find_cells(
	const struct chunk_work *work, const struct dealing *dealing, struct cell_span **ret_spans)
{
	struct cell_span *of_windows =
		calloc((size_t)work->windows->count + 1, sizeof(*of_windows));

	if (!of_windows)
		return -ENOMEM;
	for (uint32_t i = 0; i < work->windows->count; i++)
		of_windows[i] = cells_of(dealing, &work->windows->windows[i]);
	*ret_spans = of_windows;
	return 0;
}

static int deal_table(const struct chunk_work *work, struct dealing *dealing, uint32_t type,
	const struct cell_span *of_windows)
{
	const struct segment_table *table = &work->chunk.tables[type];
	uint32_t *first = dealing->first + type * ((size_t)dealing->cell_count + 1);
	SCOPED_FREE uint32_t *next = calloc((size_t)dealing->cell_count + 1, sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->row_count; i++) {
		struct cell_span cells = of_windows[table->rows[i].window];

		for (uint32_t j = cells.first; j < cells.end; j++)
			first[j + 1]++;
	}
	for (uint32_t i = 0; i < dealing->cell_count; i++) {
		first[i + 1] += first[i];
		next[i] = first[i];
	}
	dealing->numbers[type] =
		malloc(((size_t)first[dealing->cell_count] + 1) * sizeof(uint32_t));
	if (!dealing->numbers[type])
		return -ENOMEM;
	for (uint32_t i = 0; i < table->row_count; i++) {
		struct cell_span cells = of_windows[table->rows[i].window];

		for (uint32_t j = cells.first; j < cells.end; j++)
			dealing->numbers[type][next[j]++] = i;
	}
	return 0;
}

static int deal(const struct chunk_work *work, struct dealing *dealing)
{
	uint32_t type_count = work->chunk.table_count;
	SCOPED_FREE struct cell_span *of_windows = NULL;
	int r = find_cells(work, dealing, &of_windows);

	if (r < 0)
		return r;
	dealing->first = calloc(
		(size_t)type_count * ((size_t)dealing->cell_count + 1) + 1, sizeof(uint32_t));
	dealing->numbers = calloc(type_count + 1, sizeof(*dealing->numbers));
	if (!dealing->first || !dealing->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < type_count; i++) {
		if (work->visit->types[i])
			r = deal_table(work, dealing, i, of_windows);
	}
	return r;
}

static int visit_dealt(struct chunk_work *work, const struct dealing *dealing, uint32_t index)
{
	int r = 0;

	cut_windows(work, &dealing->cells[index]);
	for (uint32_t i = 0; r == 0 && i < work->chunk.table_count; i++) {
		const uint32_t *first = dealing->first + i * ((size_t)dealing->cell_count + 1);

		if (dealing->numbers[i])
			r = add_rows(work, i, dealing->numbers[i] + first[index],
				first[index + 1] - first[index]);
	}
	if (r == 0)
		emit(work, &dealing->cells[index]);
	return r;
}

static int visit_cells(struct chunk_work *work, const struct cell *cells, uint32_t count)
{
	struct dealing dealing = {.cells = cells, .cell_count = count};
	int r;

	if (count == 1)
		return visit_cell(work, &cells[0]);
	r = deal(work, &dealing);
	for (uint32_t i = 0; r == 0 && work->visit->answer == 0 && i < count; i++)
		r = visit_dealt(work, &dealing, i);
	dealing_done(&dealing, work->chunk.table_count);
	return r;
}

/* How many cells may be dealt out together: each row goes to as many as its window reaches into. */
static uint32_t cells_at_a_time(const struct chunk_work *work)
{
	uint64_t step_ns = work->visit->request->step_ns, longest_ns = 0, reach, count;

	if (step_ns == 0)
		return 1;
	for (uint32_t i = 0; i < work->windows->count; i++) {
		const struct segment_window *window = &work->windows->windows[i];
		uint64_t length_ns = segment_window_slots_end_ns(window) - window->start_ns;

		longest_ns = length_ns > longest_ns ? length_ns : longest_ns;
	}
	reach = longest_ns / step_ns + 2;
	if ((uint64_t)work->chunk.row_count * reach <= DEALT_COUNT_MAX)
		return CELL_COUNT_MAX;
	count = DEALT_COUNT_MAX / (work->chunk.row_count + 1);
	return count > 0 ? (uint32_t)count : 1;
}

/* Only where windows are there can be samples. */
static struct segment_range clip(const struct chunk_work *work, const struct segment_range *range)
{
	struct segment_range clipped = {UINT64_MAX, 0};

	for (uint32_t i = 0; i < work->windows->count; i++) {
		const struct segment_window *window = &work->windows->windows[i];
		uint64_t end_ns = segment_window_slots_end_ns(window);

		clipped.from_ns =
			window->start_ns < clipped.from_ns ? window->start_ns : clipped.from_ns;
		clipped.until_ns = end_ns > clipped.until_ns ? end_ns : clipped.until_ns;
	}
	if (clipped.from_ns < range->from_ns)
		clipped.from_ns = range->from_ns;
	if (clipped.until_ns > range->until_ns)
		clipped.until_ns = range->until_ns;
	return clipped;
}

static int visit_range(struct chunk_work *work, const struct segment_range *range)
{
	uint32_t count_max = cells_at_a_time(work), count = 0;
	SCOPED_FREE struct cell *cells = calloc(count_max, sizeof(*cells));
	struct segment_range clipped = clip(work, range);
	uint64_t at_ns = clipped.from_ns;
	int r = cells ? 0 : -ENOMEM;

	while (r == 0 && work->visit->answer == 0 && at_ns < clipped.until_ns) {
		uint64_t end_ns = segment_step_end(work->visit->request, at_ns);

		end_ns = end_ns < clipped.until_ns ? end_ns : clipped.until_ns;
		cells[count++] = (struct cell){at_ns, end_ns};
		at_ns = end_ns;
		if (count == count_max || at_ns >= clipped.until_ns) {
			r = visit_cells(work, cells, count);
			count = 0;
		}
	}
	return r;
}

static int prepare(struct chunk_work *work)
{
	uint32_t set_count = work->visit->group->tables->labels.count;
	uint32_t thread_count = work->chunk.thread_count;
	int r = segment_piece_init(&work->piece, work->visit);

	work->cuts = calloc(work->windows->count + 1, sizeof(*work->cuts));
	work->known = calloc(
		(thread_count > set_count ? thread_count : set_count) + 1, sizeof(*work->known));
	return r == 0 && (!work->cuts || !work->known) ? -ENOMEM : r;
}

int segment_chunk_visit(struct segment_visit *visit, uint32_t place,
	const struct segment_range *ranges, uint32_t range_count)
{
	struct chunk_work work = {.visit = visit};
	int r = segment_chunk_load(visit, place, ranges, range_count, &work.chunk, &work.windows);

	if (r < 0)
		return r;
	visit->visited.chunks_read++;
	visit->visited.row_count += work.chunk.row_count;
	r = prepare(&work);
	for (uint32_t i = 0; r == 0 && visit->answer == 0 && i < range_count; i++)
		r = visit_range(&work, &ranges[i]);
	segment_piece_done(&work.piece);
	segment_chunk_done(&work.chunk);
	free(work.cuts);
	free(work.shares);
	free(work.known);
	return r;
}
