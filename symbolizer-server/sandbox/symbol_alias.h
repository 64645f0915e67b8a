/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol alias: which of several names for one address is shown.
 *
 * What it is   one total order, so that every build of an index and every source of it choose the
 *              same name: visible outside before local; fewer leading underscores; global before
 *              weak; shorter; alphabetical. So `write` wins over `__write` and `__libc_write`.
 * Ownership    names are borrowed.
 * Threads      no shared state.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

enum symbol_binding {
	SYMBOL_BINDING_GLOBAL,
	SYMBOL_BINDING_WEAK,
	SYMBOL_BINDING_LOCAL,
};

struct symbol_alias {
	uint64_t start;
	uint64_t end;
	const char *name;
	uint32_t tag; /* the caller's own */
	uint8_t binding; /* enum symbol_binding */
};

/* By start, then by preference. */
void symbol_alias_sort(struct symbol_alias *aliases, uint32_t count);
