/* SPDX-License-Identifier: Apache-2.0 */
/* Push: profiles as `push.v1.PusherService/Push` brings them.
 *
 * What it is   a message of series, each with labels and pprofs; in protobuf, or as JSON with the
 *              pprofs in base64. The label `__name__` is the profile's name. Series that can be read
 *              are kept even where others cannot.
 * Ownership    borrows the bytes; profiles go to the caller's list.
 * Threads      one owner.
 * Errors       those of ingest_fault.h, of the first series that could not be read; the list holds
 *              the others.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/ingest/profile_list.h"

/* Series of one request; Alloy sends one a target. */
#define PUSH_SERIES_COUNT_MAX 4096u

struct push_target {
	struct profile_list *profiles;
	struct ingest_drops *drops; /* added to */
	struct ingest_fault *fault;
	uint64_t now_ns; /* for profiles that tell no time */
};

int push_read(struct ingest_text bytes, const struct push_target *target);
int push_read_json(struct ingest_text text, const struct push_target *target);
