/* SPDX-License-Identifier: Apache-2.0 */
/* CPU list: which CPUs there are, as the kernel writes it (`0-3,8,10-11`).
 *
 * What it is   a set of CPU numbers, held by value.
 * Ownership    no function here allocates.
 * Threads      no shared state.
 * Errors       0, or a negative errno; outputs are written on success only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that the kernel can be built for (NR_CPUS on x86-64). */
#define CPU_LIST_MAX 8192

struct cpu_list {
	uint64_t bits[CPU_LIST_MAX / 64];
};

/* Reads TEXT of TEXT_LENGTH characters; a line break may close it, an empty list is a list.
 * -EINVAL: not such a list.  -E2BIG: a CPU number of CPU_LIST_MAX or more. */
int cpu_list_parse(const char *text, size_t text_length, struct cpu_list *ret_list);

/* Reads the list that is the content of the file at PATH. Errors of cpu_list_parse and of open. */
int cpu_list_read(const char *path, struct cpu_list *ret_list);

bool cpu_list_has(const struct cpu_list *list, uint32_t cpu);
uint32_t cpu_list_count(const struct cpu_list *list);
