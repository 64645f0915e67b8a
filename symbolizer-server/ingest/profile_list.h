/* SPDX-License-Identifier: Apache-2.0 */
/* Profile list: what an upload has become so far.
 *
 * What it is   a growing array of profiles. A batch whose window is longer than a profile's may be
 *              is divided among several: its samples lie anywhere in its window, so each part gets
 *              its share, and the shares add up to the whole.
 * Ownership    owns the profiles until the array is handed on.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many profiles; those of ingest_batch_take.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"

/* Of one upload; a window is an hour at most, and recordings may be of days. */
#define PROFILE_LIST_COUNT_MAX 4096u

struct profile_list {
	struct profile **profiles;
	uint32_t count;
	uint32_t capacity;
};

void profile_list_done(struct profile_list *list);
/* Takes the profile of BATCH, if it has samples. */
int profile_list_take(struct profile_list *list, struct ingest_batch *batch);
/* Ends a batch in any case: takes its profile where R is 0, adds what it dropped to DROPS, and gives
 * R, or the error that came of it, with a sentence in FAULT. */
int ingest_batch_finish(struct ingest_batch *batch, int r, struct profile_list *list,
	struct ingest_drops *drops, struct ingest_fault *fault);
