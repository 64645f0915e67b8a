/* SPDX-License-Identifier: Apache-2.0 */
/* Label guard counters: what was folded and why; one line each.
 *
 * What it is   the lists that the enums and the status page are made of.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none.
 */
#pragma once

/* Why labels were folded. */
enum label_guard_reason { LABEL_GUARD_VALUES, LABEL_GUARD_SERIES, LABEL_GUARD_TOTAL };

/* X(NAME, text name, meaning). Those that say "now" are levels. */
#define LABEL_GUARD_COUNTERS(X)                                                                   \
	X(FOLDED_VALUES, "labels_folded_values",                                                  \
		"label sets of batches kept as [other]: too many values of a label in a service") \
	X(FOLDED_SERIES, "labels_folded_series",                                                  \
		"label sets of batches kept as [other]: too many series of a service")            \
	X(FOLDED_TOTAL, "labels_folded_total",                                                    \
		"label sets of batches kept as [other]: too many series in all")                  \
	X(FOLDED_HOSTS, "labels_folded_hosts",                                                    \
		"batches kept as of host [other]: too many names of hosts")                       \
	X(SERIES, "labels_series", "series seen since midnight UTC, now")                         \
	X(VALUES, "labels_values", "values of labels seen since midnight UTC, now")

enum label_guard_counter {
#define LABEL_GUARD_ENUM(name, text, meaning) LABEL_GUARD_COUNTER_##name,
	LABEL_GUARD_COUNTERS(LABEL_GUARD_ENUM)
#undef LABEL_GUARD_ENUM
		LABEL_GUARD_COUNTER_COUNT
};
