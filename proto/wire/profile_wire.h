/* SPDX-License-Identifier: Apache-2.0 */
/* Profile wire: a sealed profile as the bodies of batches, and back.
 *
 * What it is   the model <-> cairn.v1.BatchBody, compressed. A body is self-contained. Encoding is
 *              canonical: it depends on what the profile says, not on the order in which it was
 *              filled, so equal windows are equal bytes.
 * Ownership    results belong to the caller; a profile comes from profile_new.
 * Threads      no shared state.
 * Errors       0, or a negative errno; outputs are written on success only. Bodies may come from
 *              anyone: everything in them is checked, nothing is asserted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/profile/profile.h"

/* What one body may hold. The sender splits a window at the same limits at which the receiver
 * refuses, so that a batch stays below the 4 MiB that a gRPC peer takes and costs the receiver a
 * bounded amount of memory whatever stands in it. */
struct profile_wire_limits {
	size_t body_bytes_max; /* compressed */
	size_t raw_bytes_max; /* decompressed */
	size_t arena_bytes_max; /* the receiver's parsed message, before it becomes a profile */
	uint32_t text_count_max;
	uint32_t module_count_max;
	uint32_t frame_count_max;
	uint32_t node_count_max; /* of the tree of stacks */
	uint32_t thread_count_max;
	uint32_t row_count_max; /* all profile types together */
	uint32_t slot_count_max; /* likewise */
	uint32_t depth_max; /* frames of one stack: whoever reads it later walks to the root */
};

extern const struct profile_wire_limits profile_wire_limits_default;

struct profile_wire_body {
	uint8_t *bytes; /* zstd */
	size_t byte_count;
	size_t raw_byte_count;
	uint64_t sample_count;
};

/* One window: one body, or several if it was too large for one. Rows are divided among them; CPUs
 * and counters stand in the first only, so that sums over all bodies are those of the profile. */
struct profile_wire_bodies {
	struct profile_wire_body *bodies;
	uint32_t count;
	uint32_t capacity;
	uint64_t dropped_sample_count; /* of rows that fit nowhere */
};

/* PROFILE is sealed and sound (profile_check). At least one body, also without samples. A row that
 * does not fit into a body by itself is left out and counted.
 * -E2BIG: not even the head fits. */
int profile_wire_encode(const struct profile *profile, const struct profile_wire_limits *limits,
	struct profile_wire_bodies *ret_bodies);
void profile_wire_bodies_done(struct profile_wire_bodies *bodies);

/* Reads a compressed body of RAW_BYTE_COUNT bytes into a sealed profile that profile_check accepts
 * and to which nothing may be added.
 * Unknown fields are ignored. -EBADMSG: malformed.  -EFBIG, -E2BIG: beyond the limits.  Then
 * RET_WHAT (static text) names what is wrong; it is set to "" for other errors. */
int profile_wire_decode(const void *body, size_t byte_count, size_t raw_byte_count,
	const struct profile_wire_limits *limits, struct profile **ret_profile,
	const char **ret_what);
