/* SPDX-License-Identifier: Apache-2.0 */
/* Naming: gives each raw frame of a merge its function, once.
 *
 * What it is   frames are asked for module by module, in the order of their addresses, so that a
 *              function is looked up once however many of its addresses were seen. A frame that
 *              nothing names keeps its address: `module+0x1a2b`, never a neighbour's name.
 *              Addresses outside of every module mean nothing in another process: they are joined
 *              as `[unknown]`.
 * Ownership    owns the function of each frame; borrows the function table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/build_id.h"
#include "symbolizer-server/query/function_table.h"
#include "symbolizer-server/query/merge.h"

struct naming_answer {
	const char *name; /* for people; borrowed until the next question */
	uint64_t start; /* the name is that of every address in [start, end) */
	uint64_t end;
};

/* Who knows names: the function of module ID that holds ADDRESS. 0, or any negative errno: no name
 * is known; -ENOMEM ends the naming. Asked for one module after the other, addresses rising. */
typedef int (*naming_ask_fn)(void *context, const struct build_id *id, uint64_t address,
	struct naming_answer *ret_answer);

struct naming {
	uint32_t *functions; /* of each frame of the merge */
	uint32_t frame_count;
	/* Frames of a known module that have no name: one may still come. */
	uint32_t unnamed_count;
};

int naming_init(struct naming *naming, const struct merge *merge, struct function_table *functions,
	naming_ask_fn ask, void *context);
void naming_done(struct naming *naming);
