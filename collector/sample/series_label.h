/* SPDX-License-Identifier: Apache-2.0 */
/* Series labels: what samples of one process are told from those of another by.
 *
 * What it is   one table, a row a label: its key, and what gives its value. A new label is one row.
 *              The host is no label of a profile but stands in its head; pid, thread and CPU are
 *              columns.
 * Ownership    texts are copied into the profile.
 * Threads      the profile's owner.
 * Errors       -ENOMEM; -E2BIG: a table of the profile is full.
 */
#pragma once

#include <stdint.h>

#include "collector/process/cgroup_table.h"
#include "store/profile/profile.h"

/* What a series is of. */
struct series {
	const char *process; /* base name of the program, or of the thread where that is all */
	const struct cgroup *place; /* NULL: none of note */
};

/* The label set of SERIES; a label whose value is empty is left out. */
int series_label_add(struct profile *profile, const struct series *series, uint32_t *ret_label_set);
