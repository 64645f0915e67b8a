/* SPDX-License-Identifier: Apache-2.0 */
/* Sample table: the rows of one profile type.
 *
 * What it is   one row for each distinct {stack, thread, cpu}, with the number of its samples, the
 *              sum of their values and, where the table keeps them, the time slot of each sample.
 *              While open, rows grow in any order; sealing sorts rows by (stack, thread, cpu) and
 *              the slots of each row upwards.
 * Ownership    indices into the profile's stack and thread tables.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many rows or samples; -EOVERFLOW: a sum would not fit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/index_map.h"

#define SAMPLE_ROW_COUNT_MAX (16u << 20)
#define SAMPLE_SLOT_COUNT_MAX (64u << 20)
#define SAMPLE_CPU_UNKNOWN UINT32_MAX

struct sample_row {
	uint32_t stack;
	uint32_t thread;
	uint32_t cpu; /* SAMPLE_CPU_UNKNOWN if not known */
	uint32_t count; /* samples */
	int64_t value; /* sum, in the type's own unit, weight included */
	uint32_t slot_first; /* sealed: its count slots start here in slots */
};

struct sample_slot {
	uint32_t row;
	uint32_t slot;
};

struct sample_table {
	uint32_t type; /* string index of the five-part profile type */
	int64_t period; /* what one sample stands for, in the type's own unit; 0 if it varies */
	bool has_slots; /* false: the samples lie anywhere in the window */
	bool sealed;
	struct sample_row *rows;
	uint32_t row_count;
	uint32_t row_capacity;
	struct sample_slot *pending; /* open: in order of arrival */
	uint32_t pending_count;
	uint32_t pending_capacity;
	uint32_t *slots; /* sealed: slot numbers from the start of the window, grouped by row */
	uint32_t slot_count;
	struct index_map map;
};

int sample_table_init(struct sample_table *table, uint32_t type, int64_t period, bool has_slots);
void sample_table_done(struct sample_table *table);
/* Adds one sample to an open table. SLOT is ignored if the table keeps none. */
int sample_table_add(struct sample_table *table, uint32_t stack, uint32_t thread, uint32_t cpu,
	int64_t value, uint32_t slot);
/* Adds a whole row to an open table: COUNT samples whose values sum to VALUE; SLOTS holds COUNT
 * slots, or is NULL if the table keeps none. */
int sample_table_add_row(
	struct sample_table *table, const struct sample_row *row, const uint32_t *slots);
/* The same samples as an open table has, as those of stack STACKS[i] where it has stack i. The table
 * stays as it is. */
int sample_table_restack(
	const struct sample_table *table, const uint32_t *stacks, struct sample_table *ret_table);
/* Sorts and closes; sealing a sealed table does nothing. */
int sample_table_seal(struct sample_table *table);
/* The slots of a row of a sealed table that keeps them: row->count of them, upwards. */
const uint32_t *sample_table_slots(const struct sample_table *table, const struct sample_row *row);
