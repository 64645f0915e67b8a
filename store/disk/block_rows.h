/* SPDX-License-Identifier: Apache-2.0 */
/* Block rows: the sample tables of a profile as columns of varints, their slots apart.
 *
 * What it is   for each profile type one column each of stack, thread, CPU, count and value in
 *              (stack, thread, cpu) order; and, in a span of its own that may be dropped once it
 *              is old, the slots. docs/format.md describes every byte.
 * Ownership    the reader adds sealed tables to the caller's profile.
 * Threads      any.
 * Errors       writing: the writers' own faults, -ENOMEM. Reading: 0, -EBADMSG, -E2BIG or -ENOMEM.
 */
#pragma once

#include "store/base/bytes.h"
#include "store/disk/block_order.h"
#include "store/profile/profile.h"

/* PROFILE is sealed. */
int block_rows_write(struct bytes_writer *rows, struct bytes_writer *slots,
	const struct profile *profile, const struct block_order *order);
/* SLOTS is NULL if they were dropped: the tables have none then. */
int block_rows_read(struct bytes_reader *rows, struct bytes_reader *slots, struct profile *profile);
