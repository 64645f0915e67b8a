/* SPDX-License-Identifier: Apache-2.0 */
/* Relabel: other label sets for the threads of a sealed profile.
 *
 * What it is   for whoever may not keep every label as it came. Threads that become equal are
 *              joined, and so are their rows: no sample is lost, none is made.
 * Ownership    the profile's own tables.
 * Threads      one owner.
 * Errors       -ENOMEM, -EOVERFLOW: nothing has changed then.
 */
#pragma once

#include "store/profile/profile.h"

/* The sets of LABELS, whose texts are the profile's, take the place of its own: SETS[i] is that of
 * set i. LABELS is empty afterwards, and the caller's still. */
int profile_relabel(struct profile *profile, struct label_table *labels, const uint32_t *sets);
