/* SPDX-License-Identifier: Apache-2.0 */
/* Store visit: reads the records that a selection picks.
 *
 * What it is   goes through the index hour by hour, reads and decodes one record at a time and
 *              hands it on; the lock is held for the index only.
 * Ownership    borrows the store's files, which stay while the visit is registered.
 * Threads      any.
 * Errors       see profile_store_visit.
 */
#pragma once

#include "store/disk/store_state.h"

/* VISIT_SERIAL is that of the registered visit. */
int store_visit_run(struct profile_store *store, const struct time_selection *selection,
	uint64_t visit_serial, profile_store_visit_fn visit, void *context);
