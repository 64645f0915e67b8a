/* SPDX-License-Identifier: Apache-2.0 */
/* Torture: a piece of code with each of its allocations failing in turn.
 *
 * What it is   runs a scenario again and again. Each time one more allocation of our own code
 *              succeeds before one fails, until none does: first the one alone fails, then, from the
 *              start, it and all behind it.
 * Ownership    a scenario releases all that it made, so that the sanitizer sees what was forgotten.
 * Threads      one: what other threads allocate does not fail.
 * Errors       failed checks; see check.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Makes what it needs, checks what must hold after a failure (outputs untouched, objects usable),
 * and gives the result of what is under test. */
typedef int (*torture_fn)(void *context);

/* SCENARIO must give -ENOMEM if an allocation failed, else 0. At least COUNT_MIN allocations must
 * have been there to fail. */
#define torture(scenario, context, count_min) \
	torture_named(#scenario, scenario, context, count_min, true)
/* The same for code that may also get over it: with memory it gives 0. */
#define torture_tolerant(scenario, context, count_min) \
	torture_named(#scenario, scenario, context, count_min, false)

void torture_named(
	const char *name, torture_fn scenario, void *context, uint64_t count_min, bool is_strict);
