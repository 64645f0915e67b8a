/* SPDX-License-Identifier: Apache-2.0 */
/* Counted: a number that a part counts, with its name and what it means.
 *
 * What it is   the one face of all lists of counters. A list is an X-list of lines
 *              X(ID, "name", "meaning"): a part expands it to an enum, and whoever shows its numbers
 *              to rows of these. A meaning that ends with `, now` is a level's; all others only
 *              rise.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counted {
	const char *name;
	const char *meaning;
	uint64_t value;
};

typedef void (*counted_fn)(void *context, const struct counted *counted);

#define COUNTED_ROW(id, name, meaning) {name, meaning, 0},

/* Gives each of COUNT rows with its value, in their order. */
void counted_visit(const struct counted *rows, const uint64_t *values, size_t count,
	counted_fn visit, void *context);
/* By its MEANING. */
bool counted_is_level(const char *meaning);
