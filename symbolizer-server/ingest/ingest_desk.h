/* SPDX-License-Identifier: Apache-2.0 */
/* Ingest desk: where uploads of other systems enter the store.
 *
 * What it is   gives the profiles of one upload to the store, each under a key of its own, tells the
 *              symbolizer of their modules, and calls back once all of them are durable. It counts
 *              what became of them.
 * Ownership    owns the counters; borrows store, symbolizer and guard, which outlive it.
 * Threads      any.
 * Errors       of a submission: 0; -ESTALE: all of it is older than the retention; -EFBIG: larger
 *              than the store can hold; -ENOSPC, -ENOBUFS, -EIO, ...: not stored, the sender may try
 *              again. Of several profiles the first failure counts.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "store/base/counted.h"
#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/ingest/repeat_memory.h"

struct label_guard;
struct profile_store;
struct symbolizer;
struct ingest_desk;

/* X(ID, "name", "meaning"). Profiles = stored + stale + refused + failed. */
#define INGEST_COUNTERS(X)                                                                        \
	X(UPLOADS, "client_uploads", "uploads of other systems' clients that came whole")         \
	X(UPLOADS_STORED, "client_uploads_stored", "of these, stored, or without any sample")     \
	X(UPLOADS_REFUSED, "client_uploads_refused",                                              \
		"uploads refused: the body or a parameter is wrong, or too large, or too old")    \
	X(UPLOADS_FAILED, "client_uploads_failed", "uploads not stored for the server's reasons") \
	X(UPLOADS_REPEATED, "client_uploads_repeated",                                            \
		"of the stored ones, sent again within ten minutes: they count once")             \
	X(REPEATS_FORGOTTEN, "client_repeats_forgotten",                                          \
		"uploads that would have counted again if they had come again: too many to know") \
	X(BYTES, "client_upload_bytes", "bytes of uploads, as they came")                         \
	X(PROFILES_STORED, "client_profiles_stored", "profiles of uploads that are durable")      \
	X(PROFILES_STALE, "client_profiles_stale", "profiles older than the retention")           \
	X(PROFILES_FAILED, "client_profiles_failed", "profiles that could not be stored")         \
	X(SAMPLES_STORED, "client_samples_stored", "samples of uploads that are durable")

enum ingest_counter {
#define INGEST_COUNTER_ENUM(id, name, meaning) INGEST_##id,
	INGEST_COUNTERS(INGEST_COUNTER_ENUM)
#undef INGEST_COUNTER_ENUM
		INGEST_COUNTER_COUNT
};

/* GUARD: what labels go through first; NULL: they are kept as they come. */
int ingest_desk_new(struct profile_store *store, struct symbolizer *symbolizer,
	struct label_guard *guard, struct ingest_desk **ret_desk);
/* Nothing may be under way. Accepts NULL. */
void ingest_desk_free(struct ingest_desk *desk);

typedef void (*ingest_done_fn)(void *context, int result);

/* Takes COUNT profiles, and the array; DONE is called once, perhaps before this returns. */
void ingest_desk_submit(struct ingest_desk *desk, struct profile **profiles, uint32_t count,
	ingest_done_fn done, void *context);

/* Whether the upload with this key is new, being stored, or stored already, which is counted;
 * ingest_desk_end must follow where it is new. */
enum repeat_state ingest_desk_begin(
	struct ingest_desk *desk, const struct hash128 *key, uint64_t now_ns);
void ingest_desk_end(struct ingest_desk *desk, const struct hash128 *key, bool is_stored);

void ingest_desk_count(struct ingest_desk *desk, enum ingest_counter counter, uint64_t by);
void ingest_desk_note_drops(struct ingest_desk *desk, const struct ingest_drops *drops);
/* Counters and drops. */
void ingest_desk_visit_counters(struct ingest_desk *desk, counted_fn visit, void *context);
