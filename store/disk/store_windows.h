/* SPDX-License-Identifier: Apache-2.0 */
/* Store windows: the windows that segments tell of, in one order with those of logs.
 *
 * What it is   takes the windows of all segments of a visit hour by hour, sorts each hour, and gives
 *              them up to a time, so that whoever walks the logs by time can put both together.
 * Ownership    holds copies of one hour's; borrows the pieces.
 * Threads      one owner.
 * Errors       see profile_store_visit_windows.
 */
#pragma once

#include "store/base/arena.h"
#include "store/disk/store_pieces.h"

struct store_windows {
	const struct store_pieces *pieces;
	uint64_t hour; /* the next to be read */
	struct arena texts; /* of the windows held */
	struct profile_store_window *held; /* by start */
	uint32_t count, capacity;
	uint32_t given; /* of these */
};

void store_windows_init(struct store_windows *windows, const struct store_pieces *pieces);
void store_windows_done(struct store_windows *windows);
/* Hands on every window that starts before or at UNTIL_NS and was not given yet. */
int store_windows_give(struct store_windows *windows, uint64_t until_ns);
