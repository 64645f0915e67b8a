/* SPDX-License-Identifier: Apache-2.0 */
/* Life table: processes that started and ended, summed up by what they are called.
 *
 * What it is   rows of (command, parent's command), each once, with sums. A command is the name of
 *              a process's main thread: after it started a program that one's, else its parent's.
 *              The table has its own names, so that it can be read without the rest of a profile.
 * Ownership    names and rows live until life_table_done.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many rows, or a name too long; -EOVERFLOW: a sum leaves 63
 *              bits. Nothing is changed then.
 */
#pragma once

#include <stdint.h>

#include "store/profile/string_table.h"

/* A collector sends at most half of it. */
#define LIFE_COUNT_MAX 4096
/* A thread's name has 15 bytes in the kernel, a kernel thread's kind two brackets more. */
#define LIFE_NAME_BYTES_MAX 64

/* X(name): what is summed up. */
#define LIFE_SUMS(X)                                                            \
	X(execs) /* programs started */                                         \
	X(forks) /* processes made */                                           \
	X(exits) /* processes ended */                                          \
	X(bare_exits) /* of these, such that never started a program */         \
	X(cpu_ns) /* of all threads of processes that ended, their life long */ \
	X(lifetime_ns) /* of the processes that ended */

struct life_sums {
#define LIFE_SUM(name) uint64_t name;
	LIFE_SUMS(LIFE_SUM)
#undef LIFE_SUM
};

/* Bytes of any value, as the kernel has them. */
struct life_name {
	const char *text;
	size_t length;
};

struct life_row {
	uint32_t command; /* of names */
	uint32_t parent;
	struct life_sums sums;
};

struct life_table {
	struct string_table names;
	struct life_row *rows;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
	uint32_t count_max;
};

/* The table of a profile; a sum over many may hold more. */
int life_table_init(struct life_table *table, uint32_t count_max);
void life_table_done(struct life_table *table);

/* Adds to the row of COMMAND and PARENT. */
int life_table_add(struct life_table *table, struct life_name command, struct life_name parent,
	const struct life_sums *sums);
/* Rows by the bytes of their command, then of their parent; to be called behind the last add. */
void life_table_sort(struct life_table *table);

struct life_name life_table_command(const struct life_table *table, uint32_t row);
struct life_name life_table_parent(const struct life_table *table, uint32_t row);
/* Less than, equal to or greater than 0. */
int life_name_compare(struct life_name one, struct life_name other);

/* -EOVERFLOW: nothing is added. */
int life_sums_add(struct life_sums *to, const struct life_sums *sums);
