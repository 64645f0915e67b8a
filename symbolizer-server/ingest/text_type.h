/* SPDX-License-Identifier: Apache-2.0 */
/* Text type: the profile type of a body that does not tell its own.
 *
 * What it is   the last component of an application name (`web.alloc_space`) says what was counted;
 *              where it says nothing that is known, it belongs to the name, and the parameter units
 *              tells. Counts of CPU and wall samples become time by the rate at which they were
 *              taken.
 * Ownership    texts are static; the service is borrowed.
 * Threads      any.
 * Errors       none: what says nothing is samples of CPU time.
 */
#pragma once

#include "symbolizer-server/ingest/app_name.h"

/* Where a client says nothing. */
#define TEXT_TYPE_RATE_DEFAULT 100u

struct text_type {
	struct ingest_text service; /* the application's name without the ending */
	const char *type; /* five parts */
	int64_t period; /* what one sample stands for; 1: values are what they are */
};

/* UNITS may be NULL or empty. RATE is in samples a second; 0: values are not to be scaled. */
struct text_type text_type_of(struct ingest_text app, const char *units, uint32_t rate);
/* The type of values that are in UNIT already, `nanoseconds` or `bytes`: what the name's ending tells,
 * if it is of that unit, else time that passed, or memory. Their period is 1. */
struct text_type text_type_in(struct ingest_text app, const char *unit);
