/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage: how much of a range lies in frames that have no name, module by module.
 *
 * What it is   for each module of a merge the value of the stacks that go through it, of those that
 *              go through it without a name, and the same for the innermost frame alone. A stack
 *              counts once for a module, however often it goes through it.
 * Ownership    owns its rows; names are strings of the function table.
 * Threads      one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/function_table.h"
#include "symbolizer-server/query/merge.h"
#include "symbolizer-server/query/naming.h"

struct coverage_sums {
	int64_t total; /* of stacks with at least one frame of it */
	int64_t self; /* of stacks whose innermost frame is of it */
	int64_t unnamed_total; /* of stacks with at least one unnamed frame of it */
	int64_t unnamed_self;
};

struct coverage_module {
	struct build_id build_id; /* unknown: addresses in no module, or a file without any id */
	uint32_t name; /* string of the function table; 0: in no module */
	uint32_t address_count;
	uint32_t unnamed_count; /* of these */
	struct coverage_sums sums;
};

struct coverage {
	struct coverage_module *modules; /* the most unnamed_total first, then total, then name */
	uint32_t count;
	struct coverage_sums all; /* of the whole range */
};

/* NAMING is that of MERGE, with FUNCTIONS. */
int coverage_init(struct coverage *coverage, const struct merge *merge, const struct naming *naming,
	const struct function_table *functions);
void coverage_done(struct coverage *coverage);
