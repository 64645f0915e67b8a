/* SPDX-License-Identifier: Apache-2.0 */
/* Store catalog: the catalogue of a profile store, fed as batches become durable.
 *
 * What it is   the thread that writes the catalogue, makes it anew from the profiles where it is
 *              missing or not to be trusted, and trims it as profiles go.
 * Ownership    owns the catalogue; borrows the store, whose writer must outlive the feeding.
 * Threads      start, stop and free: the store's owner. Note: any. Feed: the writer.
 * Errors       none that stop the store: without its catalogue it reads profiles for its lists.
 */
#pragma once

#include "store/disk/catalog.h"
#include "store/disk/profile_store.h"

struct store_catalog;

/* In the data folder PATH, before anything is appended: sets store->catalog, which stays NULL where
 * there can be none. All that follows accepts NULL. */
void store_catalog_start(struct profile_store *store, const char *path);
/* Ends the thread: no visit of its own runs afterwards. Stopping twice does nothing. */
void store_catalog_stop(struct store_catalog *catalog);
/* After the last feeding. */
void store_catalog_free(struct store_catalog *catalog);

/* What the catalogue does not know yet of PROFILE; NULL: nothing. -ENOMEM. */
int store_catalog_note(struct store_catalog *catalog, const struct profile *profile,
	struct catalog_note **ret_note);
/* Takes NOTE; what is not DURABLE is forgotten. */
void store_catalog_feed(struct store_catalog *catalog, struct catalog_note *note, bool durable);
/* Of a store without catalogue: NULL. */
struct catalog *store_catalog_get(struct store_catalog *catalog);
