/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog: which series there are in which hours, kept beside the profiles.
 *
 * What it is   a queue of notes, tables that they are written into by one thread, and lists read
 *              from the tables by anyone. All of it can be made again from the profiles.
 * Ownership    owns its folder and the notes that it is fed with.
 * Threads      feed and the lists: any. Open, apply, trim, set_reach: one thread. New, free: an owner
 *              while nobody else uses it.
 * Errors       -EAGAIN: it does not reach so far, or cannot be read: ask the profiles; and those of
 *              each function.
 */
#pragma once

#include "store/disk/catalog_known.h"
#include "store/disk/catalog_note.h"
#include "store/disk/profile_store_labels.h"

/* Notes that may wait; with more, what they told is looked up in the profiles afterwards. */
#define CATALOG_QUEUE_BYTES_MAX ((size_t)32 << 20)
/* A list waits so long for what was fed before it. */
#define CATALOG_WAIT_NS (2 * NS_PER_S)

struct catalog;

/* FOLDER is made if it is missing. QUEUE_BYTES_MAX of notes may wait. */
int catalog_new(const char *folder, size_t queue_bytes_max, struct catalog **ret_catalog);
/* Writes what waits; leaves the mark with WATERMARK if all that was fed is in it, so that the next
 * start trusts it. Accepts NULL. */
void catalog_free(struct catalog *catalog, uint64_t watermark);

/* Takes up what the folder has, if it was closed in order with this WATERMARK; else begins anew.
 * RET_WHOLE: nothing is missing. */
int catalog_open(struct catalog *catalog, uint64_t watermark, bool *ret_whole);

const struct catalog_known *catalog_known(const struct catalog *catalog);
/* Takes NOTE, which may be NULL. */
void catalog_feed(struct catalog *catalog, struct catalog_note *note);
/* Waits at most TIMEOUT_NS for notes, then writes those that wait. RET_LOST: some found no room in
 * the queue, or in the file. */
int catalog_apply(struct catalog *catalog, uint64_t timeout_ns, bool *ret_lost);
/* Ends a wait of catalog_apply. */
void catalog_wake(struct catalog *catalog);
/* All of the hours from FROM_NS on is there; UINT64_MAX: of none. */
void catalog_set_reach(struct catalog *catalog, uint64_t from_ns);
/* Forgets a part of the days that end at EDGE_NS or before; RET_DONE: no more of them is left. */
int catalog_trim(struct catalog *catalog, uint64_t edge_ns, bool *ret_done);

/* What the file takes on the disk; 0 before it is opened. Any thread. */
uint64_t catalog_bytes(struct catalog *catalog);

/* As profile_store_labels.h has them. */
int catalog_names(struct catalog *catalog, const struct profile_store_label_query *query,
	profile_store_label_fn visit, void *context, bool *ret_more);
int catalog_values(struct catalog *catalog, const char *name,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more);
