/* SPDX-License-Identifier: Apache-2.0 */
/* Store compactor: puts logs and segments together into segments.
 *
 * What it is   the thread that looks every few seconds for what compaction.h says is to be done, writes
 *              one segment after another and puts each in the place of what it replaces, at one
 *              moment for those who visit and for a crash. What fails is tried again later; what it
 *              was to replace stays.
 * Ownership    registers itself as a visit, so that its input stays.
 * Threads      store_compact_run is the thread.
 * Errors       counted, and kept as the store's compact_error.
 */
#pragma once

#include "store/disk/store_state.h"

/* Looked for so often, and when somebody asks; after a failure less often. */
#define STORE_COMPACT_PERIOD_NS (5 * NS_PER_S)
#define STORE_COMPACT_RETRY_NS (60 * NS_PER_S)

/* Thread body; returns soon after the store is closing. */
void *store_compact_run(void *store);
