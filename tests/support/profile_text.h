/* SPDX-License-Identifier: Apache-2.0 */
/* Profile text: what a profile says, whatever its indices are.
 *
 * What it is   one line for each fact (head, CPUs, counters, types, rows with their whole stacks,
 *              slots and labels), sorted: two profiles say the same if their texts are equal.
 * Ownership    the caller frees the text.
 * Threads      no shared state.
 * Errors       none: a failure ends the test.
 */
#pragma once

#include "store/profile/profile.h"

/* The lines of COUNT sealed profiles together; the head is taken from each. */
char *profile_text(const struct profile *const *profiles, size_t count);
/* Likewise without the lines about the host, so that parts of a window can be compared with it. */
char *profile_rows_text(const struct profile *const *profiles, size_t count);
