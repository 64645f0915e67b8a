/* SPDX-License-Identifier: Apache-2.0 */
/* Function list: which function each address belongs to, from sources that overlap.
 *
 * What it is   intervals [start, end) with a name. A list is filled in any order, then resolved:
 *              every address belongs to at most one interval. Lists of sources of different quality
 *              are then laid over each other. An address that no source explains stays unexplained.
 * Ownership    owns its array; names are string indices of the caller's table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function {
	uint64_t start;
	uint64_t end;
	uint32_t name;
	uint32_t order; /* of functions with the same start, the lowest wins */
};

struct function_list {
	struct function *functions;
	uint32_t count;
	uint32_t capacity;
	bool resolved;
};

void function_list_done(struct function_list *list);
/* An empty or reversed interval is ignored. */
int function_list_add(
	struct function_list *list, uint64_t start, uint64_t end, uint32_t name, uint32_t order);
/* Where intervals overlap, the one that starts last holds the address: an entry point inside of a
 * function is its own, and behind its end the outer one goes on. Neighbours of the same name are
 * joined. */
int function_list_resolve(struct function_list *list);
/* Both resolved. UPPER keeps all it explains; LOWER fills the gaps. */
int function_list_overlay(struct function_list *upper, const struct function_list *lower);
/* The function of a resolved list that holds ADDRESS, or NULL. */
const struct function *function_list_find(const struct function_list *list, uint64_t address);
/* The first function of a resolved list that starts at ADDRESS or behind it; count if none does. */
uint32_t function_list_from(const struct function_list *list, uint64_t address);
