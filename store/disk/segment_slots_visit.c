/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_slots_visit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/disk/segment_chunk_visit.h"

/* One row of the chunk. */
struct row_place {
	uint32_t type;
	uint32_t row;
};

/* Numbers of the group or chunk -> of the window at hand; an entry counts if its stamp does. */
struct renaming {
	uint32_t *stamps;
	uint32_t *numbers;
	uint32_t count;
};

struct slots_work {
	struct segment_visit *visit;
	struct segment_chunk chunk;
	const struct segment_windows *windows;
	struct row_place *rows; /* by window, then as in the chunk */
	uint32_t *first; /* of each window */
	struct renaming nodes, frames, threads;
	uint32_t stamp;
	uint32_t *path;
	/* Of the window at hand. */
	struct stack_node *own_nodes;
	struct frame *own_frames;
	struct thread *own_threads;
};

static int renaming_init(struct renaming *renaming, uint32_t count)
{
	renaming->stamps = calloc((size_t)count + 1, sizeof(*renaming->stamps));
	renaming->numbers = calloc((size_t)count + 1, sizeof(*renaming->numbers));
	return renaming->stamps && renaming->numbers ? 0 : -ENOMEM;
}

static void renaming_done(struct renaming *renaming)
{
	free(renaming->stamps);
	free(renaming->numbers);
}

static bool is_wanted(const struct slots_work *work, uint32_t type, const struct segment_row *row)
{
	const struct segment_visit *visit = work->visit;

	return visit->types[type] &&
		(!visit->sets || visit->sets[work->chunk.threads[row->thread].labels]);
}

/* Deals the rows out to their windows. */
static int group_rows(struct slots_work *work)
{
	SCOPED_FREE uint32_t *next = calloc(work->windows->count + 1, sizeof(*next));

	work->first = calloc(work->windows->count + 1, sizeof(*work->first));
	work->rows = malloc(((size_t)work->chunk.row_count + 1) * sizeof(*work->rows));
	if (!next || !work->first || !work->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < work->chunk.table_count; i++) {
		const struct segment_table *table = &work->chunk.tables[i];

		for (uint32_t j = 0; j < table->row_count; j++)
			work->first[table->rows[j].window + 1] +=
				is_wanted(work, i, &table->rows[j]);
	}
	for (uint32_t i = 0; i < work->windows->count; i++) {
		next[i] = work->first[i];
		work->first[i + 1] += work->first[i];
	}
	for (uint32_t i = 0; i < work->chunk.table_count; i++) {
		const struct segment_table *table = &work->chunk.tables[i];

		for (uint32_t j = 0; j < table->row_count; j++) {
			if (is_wanted(work, i, &table->rows[j]))
				work->rows[next[table->rows[j].window]++] =
					(struct row_place){i, j};
		}
	}
	return 0;
}

static int prepare(struct slots_work *work)
{
	const struct profile *tables = work->visit->group->tables;
	int r = renaming_init(&work->nodes, tables->stacks.count);

	if (r == 0)
		r = renaming_init(&work->frames, tables->frames.count);
	if (r == 0)
		r = renaming_init(&work->threads, work->chunk.thread_count);
	work->path = malloc(((size_t)tables->stacks.count + 1) * sizeof(*work->path));
	work->own_nodes = malloc(((size_t)tables->stacks.count + 1) * sizeof(*work->own_nodes));
	work->own_frames = malloc(((size_t)tables->frames.count + 1) * sizeof(*work->own_frames));
	work->own_threads =
		malloc(((size_t)work->chunk.thread_count + 1) * sizeof(*work->own_threads));
	if (!work->path || !work->own_nodes || !work->own_frames || !work->own_threads)
		r = -ENOMEM;
	return r == 0 ? group_rows(work) : r;
}

static void work_done(struct slots_work *work)
{
	segment_chunk_done(&work->chunk);
	renaming_done(&work->nodes);
	renaming_done(&work->frames);
	renaming_done(&work->threads);
	free(work->rows);
	free(work->first);
	free(work->path);
	free(work->own_nodes);
	free(work->own_frames);
	free(work->own_threads);
}

/* True: NUMBER was new, and has the next one now. */
static bool rename_next(struct renaming *renaming, uint32_t stamp, uint32_t number)
{
	if (renaming->stamps[number] == stamp)
		return false;
	renaming->stamps[number] = stamp;
	renaming->numbers[number] = renaming->count++;
	return true;
}

static void add_node(struct slots_work *work, uint32_t node)
{
	const struct profile *tables = work->visit->group->tables;
	const struct stack_node *of = &tables->stacks.nodes[node];

	if (rename_next(&work->frames, work->stamp, of->frame))
		work->own_frames[work->frames.numbers[of->frame]] =
			tables->frames.frames[of->frame];
	rename_next(&work->nodes, work->stamp, node);
	work->own_nodes[work->nodes.numbers[node]] = (struct stack_node){
		work->nodes.numbers[of->parent], work->frames.numbers[of->frame]};
}

/* Forebears come first, and stacks in their order: so numbers rise as they did. */
static void add_stack(struct slots_work *work, uint32_t node)
{
	const struct stack_node *nodes = work->visit->group->tables->stacks.nodes;
	uint32_t depth = 0;

	for (; work->nodes.stamps[node] != work->stamp; node = nodes[node].parent)
		work->path[depth++] = node;
	while (depth > 0)
		add_node(work, work->path[--depth]);
}

/* Threads keep their order. */
static void add_threads(struct slots_work *work, const struct row_place *rows, uint32_t count)
{
	struct renaming *threads = &work->threads;

	for (uint32_t i = 0; i < count; i++)
		threads->stamps[work->chunk.tables[rows[i].type].rows[rows[i].row].thread] =
			work->stamp;
	for (uint32_t i = 0; i < work->chunk.thread_count; i++) {
		if (threads->stamps[i] != work->stamp)
			continue;
		threads->numbers[i] = threads->count;
		work->own_threads[threads->count++] = work->chunk.threads[i];
	}
}

static int row_compare(const void *left, const void *right)
{
	const struct sample_row *one = left, *other = right;

	if (one->stack != other->stack)
		return one->stack < other->stack ? -1 : 1;
	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	return (one->cpu > other->cpu) - (one->cpu < other->cpu);
}

/* The table of one type: its rows begin at ROWS and are COUNT. */
static int make_table(struct slots_work *work, const struct row_place *rows, uint32_t count,
	struct sample_table *table)
{
	const struct segment_table *from = &work->chunk.tables[rows[0].type];
	const struct segment_type *type = &work->visit->group->head.types[rows[0].type];
	uint32_t slot_count = 0;

	*table = (struct sample_table){.type = type->name,
		.period = type->period,
		.has_slots = from->slots,
		.sealed = true};
	for (uint32_t i = 0; from->slots && i < count; i++)
		slot_count += from->rows[rows[i].row].count;
	table->rows = calloc(count, sizeof(*table->rows));
	table->slots = from->slots ? malloc(((size_t)slot_count + 1) * sizeof(uint32_t)) : NULL;
	if (!table->rows || (from->slots && !table->slots))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct segment_row *row = &from->rows[rows[i].row];

		table->rows[i] = (struct sample_row){.stack = work->nodes.numbers[row->stack],
			.thread = work->threads.numbers[row->thread],
			.cpu = row->cpu,
			.count = row->count,
			.value = row->value,
			.slot_first = table->slot_count};
		if (!from->slots)
			continue;
		memcpy(table->slots + table->slot_count, from->slots + row->slot_first,
			row->count * sizeof(uint32_t));
		table->slot_count += row->count;
	}
	table->row_count = table->row_capacity = count;
	qsort(table->rows, count, sizeof(*table->rows), row_compare);
	return 0;
}

static void set_head(struct profile *profile, const struct segment_window *window)
{
	segment_set_window(profile, window->start_ns, window->until_ns);
	profile->head.received_at_ns = window->received_at_ns;
	profile->head.online_cpu_count = window->online_cpu_count;
}

/* Up to PROFILE_TYPE_COUNT_MAX types from row *AT on become tables. */
static int make_tables(struct slots_work *work, uint32_t *at, uint32_t end, struct profile *profile)
{
	int r = 0;

	while (r == 0 && *at < end && profile->type_count < PROFILE_TYPE_COUNT_MAX) {
		const struct row_place *rows = &work->rows[*at];
		uint32_t count = 1;

		while (*at + count < end && rows[count].type == rows[0].type)
			count++;
		r = make_table(work, rows, count, &profile->types[profile->type_count++]);
		*at += count;
	}
	return r;
}

static void free_tables(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->type_count; i++) {
		free(profile->types[i].rows);
		free(profile->types[i].slots);
	}
}

/* The tables that all types of the window share. */
static void begin_window(struct slots_work *work, uint32_t window, struct profile *profile)
{
	const struct row_place *rows = work->rows + work->first[window];
	uint32_t count = work->first[window + 1] - work->first[window];

	work->stamp++;
	work->nodes.count = work->frames.count = work->threads.count = 0;
	rename_next(&work->nodes, work->stamp, STACK_EMPTY);
	work->own_nodes[0] = (struct stack_node){0};
	add_threads(work, rows, count);
	for (uint32_t i = 0; i < count; i++)
		add_stack(work, work->chunk.tables[rows[i].type].rows[rows[i].row].stack);
	*profile = *work->visit->group->tables;
	profile->head = (struct profile_head){0};
	/* Its stacks and frames are its own. */
	profile->dictionary = 0;
	set_head(profile, &work->windows->windows[window]);
	profile->stacks =
		(struct stack_table){.nodes = work->own_nodes, .count = work->nodes.count};
	profile->frames =
		(struct frame_table){.frames = work->own_frames, .count = work->frames.count};
	profile->threads =
		(struct thread_table){.threads = work->own_threads, .count = work->threads.count};
}

static int visit_window(struct slots_work *work, uint32_t window)
{
	struct segment_visit *visit = work->visit;
	uint32_t at = work->first[window], end = work->first[window + 1];
	struct profile profile;
	int r = 0;

	if (at == end)
		return 0;
	begin_window(work, window, &profile);
	while (r == 0 && visit->answer == 0 && at < end) {
		profile.type_count = 0;
		r = make_tables(work, &at, end, &profile);
		if (r == 0) {
			visit->visited.piece_count++;
			visit->answer = visit->piece(visit->context, &profile);
		}
		free_tables(&profile);
	}
	return r;
}

int segment_slots_visit(
	struct segment_visit *visit, uint32_t place, const struct segment_range *range)
{
	struct slots_work work = {.visit = visit};
	int r = segment_chunk_load(visit, place, range, 1, &work.chunk, &work.windows);

	if (r < 0)
		return r;
	visit->visited.chunks_read++;
	visit->visited.row_count += work.chunk.row_count;
	r = prepare(&work);
	for (uint32_t i = 0; r == 0 && visit->answer == 0 && i < work.windows->count; i++) {
		const struct segment_window *window = &work.windows->windows[i];

		if (window->start_ns < range->until_ns &&
			segment_window_slots_end_ns(window) > range->from_ns)
			r = visit_window(&work, i);
	}
	work_done(&work);
	return r;
}
