/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   threads   set pid tid name | ...
 *   table     type, rows; then columns: stack, window, thread, cpu + 1, count, value - count x period
 *
 * In (stack, window) order the first column is nearly all zeros, the second small steps, and what a
 * stack does (its thread, its CPU) stands together.
 */
#include "store/disk/segment_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/disk/block_dictionary.h"
#include "store/disk/segment_column.h"
#include "store/profile/grow.h"

int segment_chunk_init(struct segment_chunk *chunk, uint64_t hour, uint32_t type_count)
{
	*chunk = (struct segment_chunk){.hour = hour};
	chunk->tables = calloc(type_count ? type_count : 1, sizeof(*chunk->tables));
	if (!chunk->tables)
		return -ENOMEM;
	chunk->table_count = type_count;
	return 0;
}

void segment_chunk_done(struct segment_chunk *chunk)
{
	for (uint32_t i = 0; chunk->tables && i < chunk->table_count; i++) {
		free(chunk->tables[i].rows);
		free(chunk->tables[i].slots);
	}
	free(chunk->tables);
	free(chunk->threads);
	*chunk = (struct segment_chunk){0};
}

/* Types may come while rows do. */
static int reserve_table(struct segment_chunk *chunk, uint32_t type)
{
	uint32_t count = chunk->table_count;
	struct segment_table *tables;

	if (type < count)
		return 0;
	tables = reallocarray(chunk->tables, (size_t)type + 1, sizeof(*tables));
	if (!tables)
		return -ENOMEM;
	memset(tables + count, 0, (type + 1 - count) * sizeof(*tables));
	chunk->tables = tables;
	chunk->table_count = type + 1;
	return 0;
}

static int add_slots(struct segment_table *table, const uint32_t *slots, uint32_t count)
{
	if (count > SAMPLE_SLOT_COUNT_MAX - table->slot_count)
		return -E2BIG;
	while (table->slot_capacity - table->slot_count < count) {
		int r = grow_array(&table->slots, &table->slot_capacity, table->slot_capacity,
			SAMPLE_SLOT_COUNT_MAX);

		if (r < 0)
			return r;
	}
	memcpy(table->slots + table->slot_count, slots, count * sizeof(*slots));
	table->slot_count += count;
	return 0;
}

int segment_chunk_add(struct segment_chunk *chunk, uint32_t type, const struct segment_row *row,
	const uint32_t *slots)
{
	struct segment_table *table;
	uint32_t slot_first;
	int r;

	r = reserve_table(chunk, type);
	if (r < 0)
		return r;
	table = &chunk->tables[type];
	slot_first = table->slot_count;
	r = grow_array(&table->rows, &table->row_capacity, table->row_count, SAMPLE_ROW_COUNT_MAX);
	if (r == 0 && slots)
		r = add_slots(table, slots, row->count);
	if (r < 0)
		return r;
	table->rows[table->row_count] = *row;
	table->rows[table->row_count++].slot_first = slot_first;
	chunk->row_count++;
	chunk->slot_count += slots ? row->count : 0;
	return 0;
}

bool segment_chunk_is_full(const struct segment_chunk *chunk, uint32_t slot_count)
{
	return chunk->row_count >= SEGMENT_CHUNK_ROWS ||
		(chunk->row_count > 0 && chunk->slot_count + slot_count > SEGMENT_CHUNK_SLOTS);
}

static int thread_compare(const struct thread *one, const struct thread *other)
{
	if (one->labels != other->labels)
		return one->labels < other->labels ? -1 : 1;
	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	if (one->tid != other->tid)
		return one->tid < other->tid ? -1 : 1;
	return (one->name > other->name) - (one->name < other->name);
}

static int place_compare(const void *left, const void *right, void *context)
{
	const struct thread *threads = context;

	return thread_compare(
		&threads[*(const uint32_t *)left], &threads[*(const uint32_t *)right]);
}

/* Also joins equal ones, which chunks of other files may have become. */
static int sort_threads(struct segment_chunk *chunk)
{
	uint32_t count = chunk->thread_count, kept = 0;
	SCOPED_FREE uint32_t *order = malloc((count + 1) * sizeof(*order));
	SCOPED_FREE uint32_t *places = malloc((count + 1) * sizeof(*places));
	SCOPED_FREE struct thread *sorted = malloc((count + 1) * sizeof(*sorted));

	if (!order || !places || !sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (count > 0)
		qsort_r(order, count, sizeof(*order), place_compare, chunk->threads);
	for (uint32_t i = 0; i < count; i++) {
		const struct thread *thread = &chunk->threads[order[i]];

		if (kept == 0 || thread_compare(&sorted[kept - 1], thread) != 0)
			sorted[kept++] = *thread;
		places[order[i]] = kept - 1;
	}
	for (uint32_t i = 0; i < chunk->table_count; i++) {
		struct segment_table *table = &chunk->tables[i];

		for (uint32_t j = 0; j < table->row_count; j++)
			table->rows[j].thread = places[table->rows[j].thread];
	}
	free(chunk->threads);
	chunk->threads = TAKE(sorted);
	chunk->thread_count = kept;
	return 0;
}

static int row_compare(const void *left, const void *right)
{
	const struct segment_row *one = left, *other = right;

	if (one->stack != other->stack)
		return one->stack < other->stack ? -1 : 1;
	if (one->window != other->window)
		return one->window < other->window ? -1 : 1;
	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	return (one->cpu > other->cpu) - (one->cpu < other->cpu);
}

#define KEY_FIELDS 4u

/* A field of what rows are ordered by; field 0 weighs least. */
static uint32_t key_field(const struct segment_row *row, unsigned field)
{
	switch (field) {
	case 0:
		return row->cpu;
	case 1:
		return row->thread;
	case 2:
		return row->window;
	default:
		return row->stack;
	}
}

/* One pass of a radix sort: stable, by eight bits of one field. */
static void sort_by_digit(const struct segment_row *from, struct segment_row *to, uint32_t count,
	unsigned field, unsigned shift)
{
	uint32_t next[257] = {0};

	for (uint32_t i = 0; i < count; i++)
		next[(key_field(&from[i], field) >> shift & 0xff) + 1]++;
	for (unsigned i = 1; i < 257; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < count; i++)
		to[next[key_field(&from[i], field) >> shift & 0xff]++] = from[i];
}

/* Of sixteen bytes of the key seven differ anywhere; comparing a million rows in pairs takes five
 * times as long. */
static int radix_sort(struct segment_table *table)
{
	uint32_t count = table->row_count, varying[KEY_FIELDS] = {0};
	struct segment_row *other = malloc(table->row_capacity * sizeof(*other));

	if (!other)
		return -ENOMEM;
	for (uint32_t i = 1; i < count; i++) {
		for (unsigned field = 0; field < KEY_FIELDS; field++)
			varying[field] |= key_field(&table->rows[i], field) ^
				key_field(&table->rows[0], field);
	}
	for (unsigned pass = 0; pass < 4 * KEY_FIELDS; pass++) {
		unsigned field = pass / 4, shift = pass % 4 * 8;
		struct segment_row *sorted = other;

		if ((varying[field] >> shift & 0xff) == 0)
			continue;
		sort_by_digit(table->rows, sorted, count, field, shift);
		other = table->rows;
		table->rows = sorted;
	}
	free(other);
	return 0;
}

#define RADIX_ROWS_MIN 256u

static int sort_rows(struct segment_table *table)
{
	bool sorted = true;

	for (uint32_t i = 1; sorted && i < table->row_count; i++)
		sorted = row_compare(&table->rows[i - 1], &table->rows[i]) <= 0;
	if (sorted)
		return 0;
	if (table->row_count >= RADIX_ROWS_MIN)
		return radix_sort(table);
	qsort(table->rows, table->row_count, sizeof(*table->rows), row_compare);
	return 0;
}

int segment_chunk_sort(struct segment_chunk *chunk)
{
	int r = sort_threads(chunk);

	for (uint32_t i = 0; r == 0 && i < chunk->table_count; i++)
		r = sort_rows(&chunk->tables[i]);
	return r;
}

static void write_threads(struct bytes_writer *writer, const struct segment_chunk *chunk)
{
	uint32_t before = 0;

	bytes_write_varint(writer, chunk->thread_count);
	for (uint32_t i = 0; i < chunk->thread_count; i++) {
		const struct thread *thread = &chunk->threads[i];

		bytes_write_varint(writer, thread->labels - before);
		bytes_write_varint(writer, thread->pid);
		bytes_write_signed(writer, (int64_t)thread->tid - thread->pid);
		bytes_write_varint(writer, thread->name);
		before = thread->labels;
	}
}

static void write_columns(
	struct bytes_writer *writer, const struct segment_table *table, int64_t period)
{
	const struct segment_row *rows = table->rows;
	uint32_t count = table->row_count;

	for (uint32_t i = 0; i < count; i++)
		bytes_write_varint(writer, rows[i].stack - (i ? rows[i - 1].stack : 0));
	for (uint32_t i = 0; i < count; i++) {
		bool same = i > 0 && rows[i - 1].stack == rows[i].stack;

		bytes_write_varint(writer, rows[i].window - (same ? rows[i - 1].window : 0));
	}
	for (uint32_t i = 0; i < count; i++)
		bytes_write_varint(writer, rows[i].thread);
	/* Wraps to 0 for an unknown CPU. */
	for (uint32_t i = 0; i < count; i++)
		bytes_write_varint(writer, rows[i].cpu + 1);
	for (uint32_t i = 0; i < count; i++)
		bytes_write_varint(writer, rows[i].count);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t regular = (uint64_t)rows[i].count * (uint64_t)period;

		bytes_write_signed(writer, (int64_t)((uint64_t)rows[i].value - regular));
	}
}

static void write_slots(struct bytes_writer *writer, const struct segment_table *table)
{
	for (uint32_t i = 0; i < table->row_count; i++) {
		const uint32_t *slots = table->slots + table->rows[i].slot_first;

		for (uint32_t j = 0; j < table->rows[i].count; j++)
			bytes_write_varint(writer, slots[j] - (j ? slots[j - 1] : 0));
	}
}

int segment_chunk_write(struct bytes_writer *rows, struct bytes_writer *slots,
	const struct segment_chunk *chunk, const struct segment_type *types)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < chunk->table_count; i++)
		used += chunk->tables[i].row_count > 0;
	write_threads(rows, chunk);
	bytes_write_varint(rows, used);
	for (uint32_t i = 0; i < chunk->table_count; i++) {
		const struct segment_table *table = &chunk->tables[i];

		if (table->row_count == 0)
			continue;
		bytes_write_varint(rows, i);
		bytes_write_varint(rows, table->row_count);
		write_columns(rows, table, types[i].period);
		if (types[i].has_slots)
			write_slots(slots, table);
	}
	return bytes_writer_fault(rows) < 0 ? bytes_writer_fault(rows) : bytes_writer_fault(slots);
}

static int read_threads(struct bytes_reader *reader, const struct segment_bounds *bounds,
	struct segment_chunk *chunk)
{
	uint32_t count = block_read_count(reader, THREAD_COUNT_MAX);
	uint64_t set = 0;

	chunk->threads = calloc(count ? count : 1, sizeof(*chunk->threads));
	if (!chunk->threads)
		return -ENOMEM;
	chunk->thread_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct thread *thread = &chunk->threads[i];
		uint64_t tid;

		set += segment_column_u32(reader);
		thread->labels = (uint32_t)set;
		thread->pid = segment_column_u32(reader);
		tid = thread->pid + (uint64_t)segment_column_signed(reader);
		thread->tid = (uint32_t)tid;
		thread->name = segment_column_u32(reader);
		if (set >= bounds->set_count || tid > UINT32_MAX ||
			thread->name >= bounds->text_count ||
			(i > 0 && thread_compare(thread - 1, thread) >= 0))
			bytes_reader_refuse(reader);
		if (bytes_reader_fault(reader) < 0)
			return bytes_reader_fault(reader);
	}
	return 0;
}

/* Rising rows cannot be there twice. */
static void check_order(struct bytes_reader *reader, const struct segment_table *table)
{
	for (uint32_t i = 1; i < table->row_count; i++) {
		if (row_compare(&table->rows[i - 1], &table->rows[i]) >= 0) {
			bytes_reader_refuse(reader);
			return;
		}
	}
}

static void read_columns(struct bytes_reader *reader, const struct segment_bounds *bounds,
	const struct segment_chunk *chunk, struct segment_table *table, int64_t period)
{
	struct segment_row *rows = table->rows;
	uint32_t count = table->row_count, beyond = 0;
	uint64_t stack = 0, window = 0;

	for (uint32_t i = 0; i < count; i++) {
		stack += segment_column_u32(reader);
		beyond |= stack >= bounds->stack_count;
		rows[i].stack = (uint32_t)stack;
	}
	for (uint32_t i = 0; i < count; i++) {
		bool same = i > 0 && rows[i - 1].stack == rows[i].stack;

		window = (same ? window : 0) + segment_column_u32(reader);
		beyond |= window >= bounds->window_count;
		rows[i].window = (uint32_t)window;
	}
	for (uint32_t i = 0; i < count; i++) {
		rows[i].thread = segment_column_u32(reader);
		beyond |= rows[i].thread >= chunk->thread_count;
	}
	for (uint32_t i = 0; i < count; i++)
		rows[i].cpu = segment_column_u32(reader) - 1;
	for (uint32_t i = 0; i < count; i++)
		rows[i].count = segment_column_u32(reader);
	for (uint32_t i = 0; i < count; i++)
		rows[i].value = (int64_t)((uint64_t)segment_column_signed(reader) +
			(uint64_t)rows[i].count * (uint64_t)period);
	if (beyond)
		bytes_reader_refuse(reader);
	check_order(reader, table);
}

/* Where each row's slots begin, whether they are read or not. */
static int place_slots(struct segment_table *table)
{
	uint64_t slot_count = 0;

	for (uint32_t i = 0; i < table->row_count; i++) {
		/* Slots carry the value: without any, a range could not find it. */
		if (table->rows[i].count == 0)
			return -EBADMSG;
		table->rows[i].slot_first = (uint32_t)slot_count;
		slot_count += table->rows[i].count;
		if (slot_count > SAMPLE_SLOT_COUNT_MAX)
			return -EBADMSG;
	}
	table->slot_count = (uint32_t)slot_count;
	return 0;
}

static int read_slots(struct bytes_reader *reader, struct segment_table *table)
{
	uint32_t at = 0, beyond = 0;

	if (table->slot_count > bytes_left(reader)) {
		bytes_reader_refuse(reader);
		return -EBADMSG;
	}
	table->slots = malloc((table->slot_count ? table->slot_count : 1) * sizeof(*table->slots));
	if (!table->slots)
		return -ENOMEM;
	table->slot_capacity = table->slot_count;
	for (uint32_t i = 0; i < table->row_count; i++) {
		uint64_t slot = 0;

		for (uint32_t j = 0; j < table->rows[i].count; j++) {
			slot += segment_column_u32(reader);
			beyond |= slot > UINT32_MAX;
			table->slots[at++] = (uint32_t)slot;
		}
	}
	if (beyond)
		bytes_reader_refuse(reader);
	return bytes_reader_fault(reader);
}

static int read_table(struct bytes_reader *rows, struct bytes_reader *slots,
	const struct segment_bounds *bounds, struct segment_chunk *chunk)
{
	uint32_t type = segment_column_u32(rows);
	uint32_t count = block_read_count(rows, SAMPLE_ROW_COUNT_MAX);
	struct segment_table *table;
	int r = 0;

	if (type >= chunk->table_count || count == 0 || chunk->tables[type].rows)
		bytes_reader_refuse(rows);
	if (bytes_reader_fault(rows) < 0)
		return bytes_reader_fault(rows);
	table = &chunk->tables[type];
	table->rows = malloc((size_t)count * sizeof(*table->rows) + 1);
	if (!table->rows)
		return -ENOMEM;
	table->row_count = table->row_capacity = count;
	read_columns(rows, bounds, chunk, table, bounds->types[type].period);
	if (bytes_reader_fault(rows) < 0)
		return bytes_reader_fault(rows);
	for (uint32_t i = 0; i < count; i++)
		table->rows[i].slot_first = 0;
	if (bounds->types[type].has_slots)
		r = place_slots(table);
	if (r == 0 && bounds->types[type].has_slots && slots)
		r = read_slots(slots, table);
	chunk->row_count += count;
	chunk->slot_count += table->slot_count;
	return r;
}

int segment_chunk_read(struct bytes_reader *rows, struct bytes_reader *slots,
	const struct segment_bounds *bounds, struct segment_chunk *chunk)
{
	uint32_t used;
	int r = read_threads(rows, bounds, chunk);

	if (r < 0)
		return r;
	used = block_read_count(rows, SEGMENT_TYPE_COUNT_MAX);
	for (uint32_t i = 0; r == 0 && i < used; i++)
		r = read_table(rows, slots, bounds, chunk);
	if (r == 0 && (bytes_left(rows) > 0 || (slots && bytes_left(slots) > 0)))
		r = -EBADMSG;
	return r == 0 ? bytes_reader_fault(rows) : r;
}

struct sample_part segment_row_part(
	const struct segment_row *row, const uint32_t *slots, const struct sample_range *range)
{
	struct sample_row same = {
		.count = row->count, .value = row->value, .slot_first = row->slot_first};
	/* Never written through: sample_range_part takes them as what they are, too. */
	struct sample_table table = {
		.has_slots = slots, .sealed = true, .slots = (uint32_t *)(uintptr_t)slots};

	return sample_range_part(range, &table, &same);
}
