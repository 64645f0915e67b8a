/* SPDX-License-Identifier: Apache-2.0 */
/* Label guard: keeps labels with ever new values from growing the store's lists without end.
 *
 * What it is   counts, over a day (UTC), the values of each label of each service, the series of
 *              each service and all series. What comes above a cap keeps its samples under the
 *              value `[other]`. Fingerprints are all that is kept of what is below.
 * Ownership    owns what it counts; a profile stays the caller's.
 * Threads      any.
 * Errors       -ENOMEM; -EFBIG: what was joined has sums that do not fit. It is as it was then.
 */
#pragma once

#include <stdint.h>

#include "store/profile/profile.h"
#include "symbolizer-server/guard/label_guard_counter.h"

struct label_guard;

/* What takes the place of a value. */
#define LABEL_GUARD_OTHER "[other]"

/* Pods of one service in a day, deployed every few minutes, are some thousands; a request's id is a
 * million. */
#define LABEL_GUARD_VALUES_MAX_DEFAULT 10000
/* 200 hosts with 100 processes each under one service. */
#define LABEL_GUARD_SERIES_MAX_DEFAULT 20000
/* A large fleet has 1,000 hosts with 200 processes each. A catalogue takes 0.4 KB for each of them
 * that is new in a day. */
#define LABEL_GUARD_TOTAL_MAX_DEFAULT 200000

struct label_guard_limits {
	uint32_t values_max; /* of one label of one service */
	uint32_t series_max; /* of one service, hosts told apart */
	uint32_t total_max; /* series of all services */
};

int label_guard_new(const struct label_guard_limits *limits, struct label_guard **ret_guard);
/* Accepts NULL. */
void label_guard_free(struct label_guard *guard);

/* Folds what is above the caps in PROFILE, the name of its host included, which is sealed and checked, received at NOW_NS (epoch). */
int label_guard_apply(struct label_guard *guard, struct profile *profile, uint64_t now_ns);

/* A label of a service that was folded today. */
struct label_guard_case {
	const char *service; /* any bytes, cut to their room */
	const char *label; /* empty: the service has too many series */
	enum label_guard_reason reason;
	uint32_t limit;
	uint64_t label_set_count; /* of batches, since midnight */
};

typedef void (*label_guard_fn)(void *context, const struct label_guard_case *one);

/* Those with the most first seen first; called with a lock held. */
void label_guard_visit(struct label_guard *guard, label_guard_fn visit, void *context);
void label_guard_read(struct label_guard *guard, uint64_t counts[LABEL_GUARD_COUNTER_COUNT]);
