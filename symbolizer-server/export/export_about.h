/* SPDX-License-Identifier: Apache-2.0 */
/* Export about: what a writer must know of a tree beside the tree.
 *
 * What it is   type, range and labels of the query, and the name of the file.
 * Ownership    borrowed.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/label_groups.h"
#include "symbolizer-server/query/time_range.h"

struct export_about {
	const char *type; /* five parts */
	const char *name; /* of what is shown: the query */
	struct time_range range;
	int64_t period; /* what one sample stands for; 0: it varies */
	struct label_names labels; /* whose values stand above the functions */
};

/* Parts of a profile type, by number: name, sample type, unit, period type, period unit. */
enum type_part { TYPE_NAME, TYPE_SAMPLE, TYPE_UNIT, TYPE_PERIOD, TYPE_PERIOD_UNIT };
const char *export_type_part(const char *type, enum type_part part, size_t *ret_length);
