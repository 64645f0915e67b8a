/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocation: what happens when memory runs out at any one place.
 *
 * What it is   malloc, calloc, realloc and strdup of our own code, as every unit test is linked with
 *              them: they give memory unless they were told to fail. See torture.h for the use.
 * Ownership    nothing is kept.
 * Threads      any; each has its own count, so that a test fails what it calls itself.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The next COUNT allocations succeed, those behind them fail; until fail_alloc_never. */
void fail_alloc_after(uint64_t count);
/* The next COUNT allocations succeed, one fails, those behind it succeed. */
void fail_alloc_once(uint64_t count);
/* True if one failed since then. */
bool fail_alloc_never(void);
