/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocation: what happens when memory runs out at any one place.
 *
 * What it is   for tests that are linked with malloc, calloc and realloc wrapped (CMakeLists.txt
 *              lists them): the N-th allocation of our own code fails, and all that follow.
 * Ownership    nothing is kept.
 * Threads      one.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The next COUNT allocations succeed, those behind them fail; until fail_alloc_never. */
void fail_alloc_after(uint64_t count);
/* True if one failed since fail_alloc_after. */
bool fail_alloc_never(void);
