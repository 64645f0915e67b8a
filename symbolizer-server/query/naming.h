/* SPDX-License-Identifier: Apache-2.0 */
/* Naming: gives each raw frame of a merge its functions, once.
 *
 * What it is   a frame becomes a chain of functions: the one that holds its address, and those that
 *              the compiler inlined there. Frames are asked for module by module, in the order of
 *              their addresses, so that what holds for a range of addresses is looked up once
 *              however many of them were seen. A frame that nothing names keeps its address:
 *              `module+0x1a2b`, never a neighbour's name. Addresses outside of every module mean
 *              nothing in another process: they are joined as `[unknown]`.
 * Ownership    owns the chains; borrows the function table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many functions, or too many calls in all chains.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/build_id.h"
#include "symbolizer-server/query/call_naming.h"
#include "symbolizer-server/query/function_table.h"
#include "symbolizer-server/query/merge.h"
#include "symbolizer-server/symbol/symbol_reader.h"

/* Who knows names: the calls that the compiler put at ADDRESS of module ID. 0, or any negative
 * errno: no name is known; -ENOMEM ends the naming. Asked for one module after the other, addresses
 * rising; texts live until the next module is asked for. */
typedef int (*naming_ask_fn)(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain);

/* Of all frames together; equal chains of neighbouring addresses are held once. */
#define NAMING_LINK_COUNT_MAX (32u << 20)

struct naming_chain {
	uint32_t first; /* into links */
	uint32_t count; /* at least 1 */
};

struct naming {
	struct naming_chain *chains; /* of each frame of the merge */
	uint32_t frame_count;
	uint32_t *links; /* functions, outermost first: all but the first of a chain are inlined */
	uint32_t link_count;
	uint32_t link_capacity;
	/* Frames of a known module that have no name: one may still come. */
	uint32_t unnamed_count;
	/* Neighbours in a stack that are the same are one: of files, not of functions, which are
	 * recursive there. */
	bool joins_neighbours;
};

/* By function, whole chains. */
int naming_init(struct naming *naming, const struct merge *merge, struct function_table *functions,
	naming_ask_fn ask, void *context);
int naming_init_by(struct naming *naming, const struct merge *merge,
	struct function_table *functions, const struct naming_options *options, naming_ask_fn ask,
	void *context);
void naming_done(struct naming *naming);
