/* SPDX-License-Identifier: Apache-2.0 */
/* Counter level: which counters tell how it is now, and which only rise.
 *
 * What it is   one rule for the lists of both programs, so that no list says it twice.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>

/* By its MEANING a counter is a level: those end with `, now`. */
bool counter_is_level(const char *meaning);
