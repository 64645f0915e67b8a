/* SPDX-License-Identifier: Apache-2.0 */
/* Body selection: which entries of a profile's tables some of its rows need, and their numbers.
 *
 * What it is   for each table a number for every entry that goes into a body, in canonical order.
 * Ownership    arrays live in the caller's arena.
 * Threads      no shared state.
 * Errors       -ENOMEM; -E2BIG: beyond the limits; outputs are written on success only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/wire/canonical.h"
#include "proto/wire/profile_wire.h"
#include "store/base/arena.h"

#define BODY_UNSELECTED UINT32_MAX

/* A range of canonical->rows. */
struct body_part {
	size_t first;
	size_t count;
	bool leads; /* first of its window: carries CPUs, counters and types without rows, too */
};

struct selection {
	uint32_t *numbers; /* by index: the number in the body, or BODY_UNSELECTED */
	uint32_t count; /* entries that are sent: entry 0 is not where it is implied */
};

struct body_selection {
	struct selection texts, modules, nodes, label_sets; /* entry 0 implied */
	struct selection frames, threads;
	uint64_t sample_count;
};

int body_select(const struct profile *profile, const struct canonical *canonical,
	const struct body_part *part, const struct profile_wire_limits *limits, struct arena *arena,
	struct body_selection *ret_selection);
