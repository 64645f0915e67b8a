/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows come by stack: while a stack goes on, its sums stand in one place for each label set. Totals
 * of series stand in cells, label set times bucket, unless there are too many of these.
 */
#include "store/disk/segment_tally.h"

#include <errno.h>
#include <stdlib.h>

/* 16 MiB; beyond it totals are sorted together, which takes longer. */
#define CELL_COUNT_MAX (1u << 20)

int segment_tally_init(struct segment_tally *tally, uint64_t hour, uint32_t type_count)
{
	int r;

	*tally = (struct segment_tally){.hour = hour};
	r = segment_sums_init(&tally->sums, type_count);
	if (r == 0)
		r = segment_sums_init(&tally->series, type_count);
	return r;
}

void segment_tally_done(struct segment_tally *tally)
{
	segment_sums_done(&tally->sums);
	segment_sums_done(&tally->series);
	*tally = (struct segment_tally){0};
}

/* The sums of the stack at hand. */
struct stack_run {
	struct segment_sum *of_sets;
	bool *is_touched;
	uint32_t *touched; /* sets that have any */
	uint32_t touched_count;
};

/* The totals of one type in one hour. */
struct cell {
	uint64_t count;
	int64_t value;
};

/* One of the two hours that a chunk reaches into, for the type at hand. */
struct side {
	struct segment_tally *tally;
	uint64_t start_ns;
	uint32_t type; /* that stands for it in sums */
	struct stack_run run;
	struct cell *cells; /* NULL: too many */
};

struct work {
	struct side sides[2];
	const struct segment_hour_spans *spans;
	const struct segment_chunk *chunk;
	const uint32_t *slots;
	uint32_t set_count;
};

static bool is_nothing(struct sample_part part)
{
	return part.count == 0 && part.value == 0;
}

static int add_to_run(struct side *side, uint32_t stack, uint32_t set, struct sample_part part)
{
	struct segment_sum *sum = &side->run.of_sets[set];
	struct segment_sum fresh = {stack, set, part.count, part.value}, whole = *sum;
	int r;

	if (is_nothing(part))
		return 0;
	if (!side->run.is_touched[set]) {
		side->run.is_touched[set] = true;
		side->run.touched[side->run.touched_count++] = set;
		*sum = fresh;
		return 0;
	}
	if (!__builtin_add_overflow(sum->count, part.count, &whole.count) &&
		!__builtin_add_overflow(sum->value, part.value, &whole.value)) {
		*sum = whole;
		return 0;
	}
	r = segment_sums_add(&side->tally->sums, side->type, sum);
	*sum = fresh;
	return r;
}

static int set_compare(const void *left, const void *right)
{
	uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;

	return (one > other) - (one < other);
}

static int end_run(struct side *side)
{
	struct stack_run *run = &side->run;
	int r = 0;

	if (run->touched_count > 1)
		qsort(run->touched, run->touched_count, sizeof(*run->touched), set_compare);
	for (uint32_t i = 0; r == 0 && i < run->touched_count; i++) {
		struct segment_sum *sum = &run->of_sets[run->touched[i]];

		if (!is_nothing((struct sample_part){sum->count, sum->value}))
			r = segment_sums_add(&side->tally->sums, side->type, sum);
		run->is_touched[run->touched[i]] = false;
	}
	run->touched_count = 0;
	return r;
}

static int add_to_bucket(struct side *side, uint32_t set, uint32_t bucket, struct sample_part part)
{
	struct segment_sum sum = {set, bucket, part.count, part.value};
	struct cell *cell, whole;

	if (is_nothing(part))
		return 0;
	if (!side->cells)
		return segment_sums_add(&side->tally->series, side->type, &sum);
	cell = &side->cells[(size_t)set * SEGMENT_BUCKETS_OF_HOUR + bucket];
	if (__builtin_add_overflow(cell->count, part.count, &whole.count) ||
		__builtin_add_overflow(cell->value, part.value, &whole.value))
		return segment_sums_add(&side->tally->series, side->type, &sum);
	*cell = whole;
	return 0;
}

static int empty_cells(struct side *side, uint32_t set_count)
{
	int r = 0;

	for (uint32_t i = 0; side->cells && i < set_count * SEGMENT_BUCKETS_OF_HOUR; i++) {
		struct cell *cell = &side->cells[i];
		struct segment_sum sum = {i / SEGMENT_BUCKETS_OF_HOUR, i % SEGMENT_BUCKETS_OF_HOUR,
			cell->count, cell->value};

		if (cell->count == 0 && cell->value == 0)
			continue;
		r = segment_sums_add(&side->tally->series, side->type, &sum);
		if (r < 0)
			return r;
		*cell = (struct cell){0};
	}
	return r;
}

static struct sample_part part_of(const struct work *work, const struct segment_row *row,
	const struct segment_span *span, uint64_t from_ns, uint64_t until_ns)
{
	struct sample_range range;

	sample_range_of(&range, span->start_ns, span->slot_count, from_ns, until_ns);
	return segment_row_part(row, work->slots, &range);
}

static int add_buckets(struct work *work, const struct segment_row *row,
	const struct segment_span *span, uint32_t set)
{
	uint64_t last_ns = span->start_ns + (uint64_t)(span->slot_count - 1) * PROFILE_SLOT_NS;
	uint64_t first = (span->start_ns - work->sides[0].start_ns) / SEGMENT_BUCKET_NS;
	uint64_t last = (last_ns - work->sides[0].start_ns) / SEGMENT_BUCKET_NS;
	int r = 0;

	if (first == last)
		return add_to_bucket(&work->sides[0], set, (uint32_t)first,
			(struct sample_part){row->count, row->value});
	for (uint64_t i = first; r == 0 && i <= last; i++) {
		uint64_t from_ns = work->sides[0].start_ns + i * SEGMENT_BUCKET_NS;
		struct side *side = &work->sides[i / SEGMENT_BUCKETS_OF_HOUR];

		r = add_to_bucket(side, set, (uint32_t)(i % SEGMENT_BUCKETS_OF_HOUR),
			part_of(work, row, span, from_ns, from_ns + SEGMENT_BUCKET_NS));
	}
	return r;
}

static int add_row(struct work *work, const struct segment_row *row)
{
	const struct segment_span *span = &work->spans->spans[row->window];
	uint64_t last_ns = span->start_ns + (uint64_t)(span->slot_count - 1) * PROFILE_SLOT_NS;
	uint32_t set = work->chunk->threads[row->thread].labels;
	int r = 0;

	if (last_ns < work->sides[1].start_ns)
		r = add_to_run(&work->sides[0], row->stack, set,
			(struct sample_part){row->count, row->value});
	for (int i = 0; r == 0 && last_ns >= work->sides[1].start_ns && i < 2; i++) {
		uint64_t from_ns = work->sides[i].start_ns;

		r = add_to_run(&work->sides[i], row->stack, set,
			part_of(work, row, span, from_ns, from_ns + SEGMENT_HOUR_NS));
	}
	return r == 0 ? add_buckets(work, row, span, set) : r;
}

static int add_table(struct work *work, const struct segment_table *table)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < table->row_count; i++) {
		bool goes_on = i + 1 < table->row_count &&
			table->rows[i + 1].stack == table->rows[i].stack;

		r = add_row(work, &table->rows[i]);
		for (int j = 0; r == 0 && !goes_on && j < 2; j++)
			r = end_run(&work->sides[j]);
	}
	for (int j = 0; r == 0 && j < 2; j++)
		r = empty_cells(&work->sides[j], work->set_count);
	return r;
}

static int open_side(struct side *side, struct segment_tally *tally, uint32_t set_count)
{
	*side = (struct side){.tally = tally, .start_ns = tally->hour * SEGMENT_HOUR_NS};
	side->run.of_sets = calloc(set_count, sizeof(*side->run.of_sets));
	side->run.is_touched = calloc(set_count, sizeof(*side->run.is_touched));
	side->run.touched = calloc(set_count, sizeof(*side->run.touched));
	if (set_count <= CELL_COUNT_MAX / SEGMENT_BUCKETS_OF_HOUR) {
		side->cells =
			calloc((size_t)set_count * SEGMENT_BUCKETS_OF_HOUR, sizeof(*side->cells));
		if (!side->cells)
			return -ENOMEM;
	}
	return side->run.of_sets && side->run.is_touched && side->run.touched ? 0 : -ENOMEM;
}

static void close_side(struct side *side)
{
	free(side->run.of_sets);
	free(side->run.is_touched);
	free(side->run.touched);
	free(side->cells);
}

int segment_tally_chunk(const struct segment_head *head, const struct segment_chunk *chunk,
	const struct segment_hour_spans *spans, struct segment_tally *now,
	struct segment_tally *next)
{
	struct work work = {
		.spans = spans, .chunk = chunk, .set_count = head->labels->labels.count};
	int r = open_side(&work.sides[0], now, work.set_count);

	if (r == 0)
		r = open_side(&work.sides[1], next, work.set_count);
	for (uint32_t i = 0; r == 0 && i < chunk->table_count; i++) {
		work.slots = head->types[i].has_slots ? chunk->tables[i].slots : NULL;
		for (int j = 0; j < 2; j++)
			work.sides[j].type = segment_head_sum_type(head, i);
		r = add_table(&work, &chunk->tables[i]);
	}
	close_side(&work.sides[0]);
	close_side(&work.sides[1]);
	return r;
}
