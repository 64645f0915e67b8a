/* SPDX-License-Identifier: Apache-2.0 */
/* Hold: samples on their way into a window, in order of time.
 *
 * What it is   keeps copies of what came from the rings of many CPUs until everything that a sample
 *              depends on is known to be in, and gives them back oldest first.
 * Ownership    owns the copies; a sample given back is borrowed until the next call.
 * Threads      one owner.
 * Errors       -ENOBUFS: full; the caller takes some out first.  -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/abi/event.h"

/* A second of 128 CPUs at 97 Hz with stacks of 60 frames is 7 MB. */
#define HOLD_BYTES_MAX ((size_t)16 << 20)

struct hold_entry {
	uint64_t taken_at_ns;
	size_t offset; /* in bytes */
};

struct hold {
	uint8_t *bytes;
	size_t byte_count;
	size_t capacity;
	size_t bytes_max; /* HOLD_BYTES_MAX, if the owner sets no less */
	struct hold_entry *entries;
	uint32_t count;
	uint32_t entry_capacity;
	uint32_t next; /* entries before it were given back */
	bool is_sorted;
};

void hold_init(struct hold *hold);
void hold_done(struct hold *hold);
int hold_add(struct hold *hold, const struct event_sample *sample);
/* The oldest sample, if it was taken before UNTIL_NS; else NULL. The caller may add what it knows. */
struct event_sample *hold_next(struct hold *hold, uint64_t until_ns);
/* Makes room: forgets what was given back. To be called after a round. */
void hold_compact(struct hold *hold);
/* Samples not yet given back. */
uint32_t hold_count(const struct hold *hold);
