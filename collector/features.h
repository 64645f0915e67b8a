/* SPDX-License-Identifier: Apache-2.0 */
/* Features: what of the collector works, and what does not, why, and what to do.
 *
 * What it is   each of the list in proto/wire is on or off; whoever finds that one is off says so
 *              here, once, and the collector goes on without it.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>

#include "proto/wire/collector_feature.h"

struct feature_fault {
	char reason[FEATURE_REASON_BYTES_MAX + 1]; /* empty: it is on */
	char remedy[FEATURE_REMEDY_BYTES_MAX + 1];
};

/* All zero: everything is on. */
struct features {
	struct feature_fault faults[FEATURE_COUNT];
};

/* Notes that FEATURE is off because of what FORMAT says, and logs it in one line; saying the same
 * again does nothing. REMEDY completes "to have it, ...". */
void features_switch_off(struct features *features, enum feature feature, const char *remedy,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
bool features_is_on(const struct features *features, enum feature feature);
