/* SPDX-License-Identifier: Apache-2.0 */
/* Truth library: a shared object in the middle of a stack.
 *
 * What it is   one exported function that calls back until it is told to stop.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>

/* Calls STEP with CONTEXT until it returns false. */
void truth_library_repeat(bool (*step)(void *context), void *context);
