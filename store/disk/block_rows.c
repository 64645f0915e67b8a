/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/block_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/disk/block_dictionary.h"

/* Value of a row beyond what its count says; 0 throughout where every sample weighs the same.
 * Unsigned, so that any two values have a difference and the way back is exact. */
static int64_t value_beyond(const struct sample_table *table, const struct sample_row *row)
{
	return (int64_t)((uint64_t)row->value - (uint64_t)row->count * (uint64_t)table->period);
}

/* Rows of a sealed table by the place of their stack (a counting sort; threads and CPUs of a stack
 * rise already). */
static int order_rows(const struct sample_table *table, const struct block_order *order,
	uint32_t stack_count, uint32_t *ret_rows)
{
	SCOPED_FREE uint32_t *next = calloc((size_t)stack_count + 1, sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->row_count; i++)
		next[order->node_places[table->rows[i].stack] + 1]++;
	for (uint32_t i = 1; i < stack_count; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < table->row_count; i++)
		ret_rows[next[order->node_places[table->rows[i].stack]]++] = i;
	return 0;
}

static void write_columns(struct bytes_writer *writer, const struct sample_table *table,
	const uint32_t *order, const uint32_t *stack_places)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < table->row_count; i++) {
		uint32_t stack = stack_places[table->rows[order[i]].stack];

		bytes_write_varint(writer, stack - before);
		before = stack;
	}
	for (uint32_t i = 0; i < table->row_count; i++)
		bytes_write_varint(writer, table->rows[order[i]].thread);
	/* Plus one wraps an unknown CPU to 0. */
	for (uint32_t i = 0; i < table->row_count; i++)
		bytes_write_varint(writer, (uint32_t)(table->rows[order[i]].cpu + 1));
	for (uint32_t i = 0; i < table->row_count; i++)
		bytes_write_varint(writer, table->rows[order[i]].count);
	for (uint32_t i = 0; i < table->row_count; i++)
		bytes_write_signed(writer, value_beyond(table, &table->rows[order[i]]));
}

static void write_slots(
	struct bytes_writer *writer, const struct sample_table *table, const uint32_t *order)
{
	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct sample_row *row = &table->rows[order[i]];
		const uint32_t *slots = sample_table_slots(table, row);
		uint32_t before = 0;

		for (uint32_t j = 0; j < row->count; j++) {
			bytes_write_varint(writer, slots[j] - before);
			before = slots[j];
		}
	}
}

static int write_table(struct bytes_writer *rows, struct bytes_writer *slots,
	const struct sample_table *table, const struct block_order *order, uint32_t stack_count)
{
	SCOPED_FREE uint32_t *row_order =
		calloc(table->row_count ? table->row_count : 1, sizeof(*row_order));
	int r;

	must(table->sealed);
	if (!row_order)
		return -ENOMEM;
	r = order_rows(table, order, stack_count, row_order);
	if (r < 0)
		return r;
	bytes_write_varint(rows, table->type);
	bytes_write_signed(rows, table->period);
	bytes_write_u8(rows, table->has_slots);
	bytes_write_varint(rows, table->row_count);
	write_columns(rows, table, row_order, order->node_places);
	if (table->has_slots)
		write_slots(slots, table, row_order);
	return 0;
}

int block_rows_write(struct bytes_writer *rows, struct bytes_writer *slots,
	const struct profile *profile, const struct block_order *order)
{
	bytes_write_varint(rows, profile->type_count);
	for (uint32_t i = 0; i < profile->type_count; i++) {
		int r = write_table(rows, slots, &profile->types[i], order, profile->stacks.count);

		if (r < 0)
			return r;
	}
	return 0;
}

static bool rows_rise(const struct sample_row *before, const struct sample_row *row)
{
	if (before->stack != row->stack)
		return before->stack < row->stack;
	if (before->thread != row->thread)
		return before->thread < row->thread;
	return before->cpu < row->cpu;
}

static void read_columns(struct bytes_reader *reader, const struct sample_table *table,
	struct sample_row *rows, uint32_t count)
{
	uint64_t stack = 0;

	for (uint32_t i = 0; i < count; i++) {
		stack += bytes_read_varint32(reader);
		if (stack > UINT32_MAX)
			bytes_reader_refuse(reader);
		rows[i].stack = (uint32_t)stack;
	}
	for (uint32_t i = 0; i < count; i++)
		rows[i].thread = bytes_read_varint32(reader);
	for (uint32_t i = 0; i < count; i++)
		rows[i].cpu = bytes_read_varint32(reader) - 1;
	for (uint32_t i = 0; i < count; i++)
		rows[i].count = bytes_read_varint32(reader);
	for (uint32_t i = 0; i < count; i++) {
		rows[i].value = (int64_t)((uint64_t)bytes_read_signed(reader) +
			(uint64_t)rows[i].count * (uint64_t)table->period);
		/* Rising rows cannot be there twice. */
		if (i > 0 && !rows_rise(&rows[i - 1], &rows[i]))
			bytes_reader_refuse(reader);
	}
}

/* Sets where each row's slots begin and answers how many there are in all. */
static int place_slots(struct sample_row *rows, uint32_t count, uint32_t *ret_slot_count)
{
	uint64_t slot_count = 0;

	for (uint32_t i = 0; i < count; i++) {
		rows[i].slot_first = (uint32_t)slot_count;
		slot_count += rows[i].count;
		if (slot_count > SAMPLE_SLOT_COUNT_MAX)
			return -E2BIG;
	}
	*ret_slot_count = (uint32_t)slot_count;
	return 0;
}

static int read_slots(struct bytes_reader *reader, struct sample_table *table)
{
	uint32_t slot_count, at = 0;
	int r = place_slots(table->rows, table->row_count, &slot_count);

	if (r < 0)
		return r;
	if (slot_count > bytes_left(reader)) {
		bytes_reader_refuse(reader);
		return -EBADMSG;
	}
	table->slots = malloc((slot_count ? slot_count : 1) * sizeof(*table->slots));
	if (!table->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->row_count; i++) {
		uint64_t slot = 0;

		for (uint32_t j = 0; j < table->rows[i].count; j++) {
			slot += bytes_read_varint32(reader);
			if (slot > UINT32_MAX)
				bytes_reader_refuse(reader);
			table->slots[at++] = (uint32_t)slot;
		}
	}
	table->slot_count = slot_count;
	return bytes_reader_fault(reader);
}

/* A fresh table of the profile for the type that is named next. */
static int read_type(
	struct bytes_reader *reader, struct profile *profile, struct sample_table **ret_table)
{
	uint32_t type = bytes_read_varint32(reader), type_count = profile->type_count;
	int64_t period = bytes_read_signed(reader);
	uint8_t has_slots = bytes_read_u8(reader);
	int r;

	if (type >= profile->strings.count || has_slots > 1)
		bytes_reader_refuse(reader);
	if (bytes_reader_fault(reader) < 0)
		return bytes_reader_fault(reader);
	r = profile_add_type(
		profile, string_table_text(&profile->strings, type), period, has_slots, ret_table);
	if (r == -EINVAL || (r == 0 && profile->type_count == type_count) ||
		(r == 0 && (*ret_table)->type != type))
		return -EBADMSG;
	return r;
}

static int read_table(
	struct bytes_reader *rows, struct bytes_reader *slots, struct profile *profile)
{
	struct sample_table *table = NULL;
	uint32_t count;
	int r = read_type(rows, profile, &table);

	/* A type that is there twice has a table, too, and its rows. */
	if (r < 0 || !table)
		return r;
	count = block_read_count(rows, SAMPLE_ROW_COUNT_MAX);
	table->rows = calloc(count ? count : 1, sizeof(*table->rows));
	if (!table->rows)
		return -ENOMEM;
	read_columns(rows, table, table->rows, count);
	if (bytes_reader_fault(rows) < 0)
		return bytes_reader_fault(rows);
	table->row_count = table->row_capacity = count;
	table->has_slots = table->has_slots && slots;
	if (table->has_slots)
		r = read_slots(slots, table);
	table->sealed = true;
	return r;
}

int block_rows_read(struct bytes_reader *rows, struct bytes_reader *slots, struct profile *profile)
{
	uint32_t type_count = block_read_count(rows, PROFILE_TYPE_COUNT_MAX);

	for (uint32_t i = 0; i < type_count; i++) {
		int r = read_table(rows, slots, profile);

		if (r < 0)
			return r;
	}
	return bytes_reader_fault(rows);
}
