/* SPDX-License-Identifier: Apache-2.0 */
/* Store load: what is in the folder, when a store opens.
 *
 * What it is   opens the segments and reads the headers of all logs into the index and the set of
 *              seen batches; what a crash left unfinished of a log is cut and the file sealed,
 *              before anything in it counts as durable; what a segment replaced is deleted.
 * Ownership    fills the store's.
 * Threads      before the writer starts.
 * Errors       0 or a negative errno with a text for people. A file that cannot be read is counted
 *              as damage and left alone.
 */
#pragma once

#include "store/disk/store_state.h"

int store_load(struct profile_store *store, struct profile_store_report *report);
