/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog note: which series of which types a profile has samples of, in which hours.
 *
 * What it is   what the catalogue is fed with: made from a profile before it is appended, handed
 *              over once it is durable. What the catalogue knows already is left out.
 * Ownership    a note owns its bytes.
 * Threads      one owner at a time.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/disk/catalog_known.h"
#include "store/profile/profile.h"

#define CATALOG_HOUR_NS (UINT64_C(3600) * NS_PER_S)
#define CATALOG_DAY_HOURS 24u

/* One series in one hour. */
struct catalog_note_entry {
	uint64_t fingerprint;
	uint32_t hour; /* since the epoch */
	/* Spans of the note's bytes. */
	uint32_t type_at, type_bytes; /* the profile type */
	uint32_t set_at, set_bytes; /* the label set, host included: see catalog_set.h */
};

struct catalog_note {
	struct catalog_note *next; /* of whoever queues it */
	struct catalog_note_entry *entries;
	uint32_t count;
	uint32_t capacity;
	uint8_t *bytes;
	size_t byte_count;
};

/* PROFILE must be sealed and checked. NULL: nothing of it is new. */
int catalog_note_new(const struct catalog_known *known, const struct profile *profile,
	struct catalog_note **ret_note);
/* Accepts NULL. */
void catalog_note_free(struct catalog_note *note);
/* What it takes in memory. */
size_t catalog_note_size(const struct catalog_note *note);
