/* SPDX-License-Identifier: Apache-2.0 */
/* Reframe: other frames in the stacks of an open profile.
 *
 * What it is   for what is known of a frame only after its samples were counted. Stacks that become
 *              equal are joined, and so are their rows: no sample is lost, none is made.
 * Ownership    the profile's own tables.
 * Threads      one owner.
 * Errors       -ENOMEM, -EOVERFLOW: nothing has changed then.
 */
#pragma once

#include "store/profile/profile.h"

/* Frame FRAMES[i] takes the place of frame i; COUNT frames at least that any stack uses. No sample
 * table may be sealed. */
int profile_reframe(struct profile *profile, const uint32_t *frames, uint32_t count);
