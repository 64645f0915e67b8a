/* SPDX-License-Identifier: Apache-2.0 */
/* Store visit: reads the records that a selection picks.
 *
 * What it is   hands on pieces of segments (store_pieces.h), then goes through the index hour by
 *              hour, reads and decodes one record at a time and hands it on; the lock is held for
 *              the index only.
 * Ownership    borrows the store's files, which stay while the visit is registered.
 * Threads      any.
 * Errors       see profile_store_visit.
 */
#pragma once

#include "store/disk/store_state.h"

/* What is read of each record, and who gets it: one of the three. */
struct store_visitor {
	profile_store_visit_fn profile;
	profile_store_lives_fn lives;
	profile_store_window_fn window;
	void *context;
	struct profile_store_filter filter;
	uint64_t from_ns;
	uint64_t until_ns;
};

/* VISIT_SERIAL is that of the registered visit. SELECTION is of the index; NULL: nothing in it
 * matches. */
int store_visit_run(struct profile_store *store, const struct time_selection *selection,
	uint64_t visit_serial, const struct store_visitor *visitor);
