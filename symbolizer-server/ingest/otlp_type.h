/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP type: head of a profile, and what its values are called.
 *
 * What it is   counts of samples with a period of CPU time are CPU time; the rest keeps the names
 *              that its sender gave.
 * Ownership    values only.
 * Threads      any.
 * Errors       -EBADMSG: damaged; -EINVAL: fields of another numbering.
 */
#pragma once

#include "symbolizer-server/ingest/otlp_table.h"

struct otlp_value_type {
	uint64_t type; /* string */
	uint64_t unit;
};

struct otlp_head {
	struct otlp_value_type sample_type, period_type;
	int64_t period;
	uint64_t time_ns; /* epoch; 0: not told */
	uint64_t duration_ns;
};

struct otlp_type {
	char text[INGEST_TYPE_BYTES_MAX]; /* five parts */
	int64_t period; /* what one sample stands for; 0: it varies */
	int64_t weight; /* values are to be taken times this */
};

int otlp_head_read(struct ingest_text profile, struct otlp_head *ret_head);
void otlp_type_of(const struct otlp_dictionary *dictionary, const struct otlp_head *head,
	struct otlp_type *ret_type);
