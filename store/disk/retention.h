/* SPDX-License-Identifier: Apache-2.0 */
/* Retention: what to delete, decided purely; done elsewhere.
 *
 * What it is   the rule by which files go: first those whose newest data are too old, then,
 *              oldest first, as many as it takes to stay within the bytes and records allowed.
 * Ownership    values only.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum retention_verdict {
	RETENTION_KEEP,
	RETENTION_EXPIRED,
	RETENTION_EVICTED,
	RETENTION_REPLACED, /* by a segment: never decided here */
};

struct retention_file {
	uint64_t newest_ns; /* end of its newest data, never later than received; epoch */
	uint64_t bytes;
	uint64_t record_count;
	enum retention_verdict verdict;
};

struct retention_limits {
	uint64_t now_ns; /* epoch */
	uint64_t age_ns;
	uint64_t bytes;
	uint64_t record_count;
};

/* The time before which data are past LIMITS' age; 0 if none are. */
uint64_t retention_edge_ns(const struct retention_limits *limits);
/* Sets each file's verdict. FILES may be in any order; equally old ones go in the order given. */
void retention_decide(
	struct retention_file *files, size_t file_count, const struct retention_limits *limits);
