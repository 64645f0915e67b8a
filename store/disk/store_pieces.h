/* SPDX-License-Identifier: Apache-2.0 */
/* Store pieces: what a visit gets from segments.
 *
 * What it is   the segments that a visit sees, as they were when it began; of each, group by group,
 *              what the visitor needs and no more. Dictionaries come from the store's cache, opened
 *              ahead of the visitor.
 * Ownership    borrows the store's files, which stay while the visit is registered.
 * Threads      one owner; the store's lock is held for counting only.
 * Errors       see profile_store_visit.
 */
#pragma once

#include "store/disk/store_visit.h"

struct store_pieces {
	struct profile_store *store;
	const struct store_visitor *visitor;
	const struct store_file **files; /* by the start of their first windows */
	uint32_t file_count;
};

/* PIECES is fit for store_pieces_done on failure as well. */
int store_pieces_list(struct store_pieces *pieces, struct profile_store *store,
	uint64_t visit_serial, const struct store_visitor *visitor);
void store_pieces_done(struct store_pieces *pieces);
/* Hands on all profiles, or all lives. */
int store_pieces_give(const struct store_pieces *pieces);
/* What came of reading a segment, other than what the visitor answered: counts DAMAGED parts, and
 * an ERROR that is the file's own as one more. 0: go on. */
int store_pieces_account(const struct store_pieces *pieces, uint64_t damaged, int error);
