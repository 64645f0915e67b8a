/* SPDX-License-Identifier: Apache-2.0 */
/* Code resolve: overlapping ranges and sequences of lines become one answer for each address.
 *
 * What it is   the two sweeps behind code_map_resolve, which calls them.
 * Ownership    arrays are replaced within the map; what only filling it needed is freed.
 * Threads      one owner.
 * Errors       -ENOMEM; on failure the map can only be released.
 */
#pragma once

#include "symbolizer-server/sandbox/code_map.h"

/* Of units the one with the lowest order holds an address, within a unit the range added last. */
int code_resolve_ranges(struct code_map *map);
/* The sequence that starts last holds an address; of those that start together the one of the
 * lowest order, then the shortest, then the one added last. */
int code_resolve_lines(struct code_map *map);
