/* SPDX-License-Identifier: Apache-2.0 */
/* Thread table: who was sampled.
 *
 * What it is   {pid, tid, thread name, label set} each once. The labels name the series (process,
 *              service), the rest are columns of rows: they filter and group but make no series.
 * Ownership    indices into the profile's string and label tables.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many threads.
 */
#pragma once

#include <stdint.h>

#include "store/base/index_map.h"

#define THREAD_COUNT_MAX (4u << 20)

struct thread {
	uint32_t pid; /* 0 if not known, as in ingested profiles */
	uint32_t tid;
	uint32_t name; /* string index */
	uint32_t labels; /* label set index */
};

struct thread_table {
	struct thread *threads;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
};

int thread_table_init(struct thread_table *table);
void thread_table_done(struct thread_table *table);
int thread_table_add(struct thread_table *table, const struct thread *thread, uint32_t *ret_index);
