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
#include <stdbool.h>
#include <stdint.h>

#include "store/base/counted.h"
#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/ingest/repeat_memory.h"

struct label_guard;
struct profile_store;
struct symbolizer;
struct ingest_desk;

/* Some of the largest bodies, or hundreds of usual ones. */
#define INGEST_HELD_BYTES_DEFAULT (UINT64_C(256) << 20)
/* Of a body from here on it matters what reading takes besides. */
#define INGEST_LARGE_BYTES (UINT64_C(4) << 20)

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
	X(UPLOADS_CROWDED, "client_uploads_crowded",                                              \
		"of the failed ones, told to come again: too many bodies were held already")      \
	X(BYTES, "client_upload_bytes", "bytes of uploads, as they came")                         \
	X(BYTES_HELD, "client_body_bytes", "bytes of bodies that are held, now")                  \
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
/* What bodies of all uploads together may hold; before the first upload. */
void ingest_desk_set_held_max(struct ingest_desk *desk, uint64_t bytes_max);
/* Nothing may be under way. Accepts NULL. */
void ingest_desk_free(struct ingest_desk *desk);

/* An upload that holds HELD bytes wants MORE. False, and counted: others hold so much that it does not
 * fit; one alone always does. */
bool ingest_desk_hold(struct ingest_desk *desk, uint64_t held, uint64_t more);
void ingest_desk_let_go(struct ingest_desk *desk, uint64_t held);
/* Around the reading of a body, which takes many times its size: of large ones one is read at a time, so
 * that begin may wait. */
void ingest_desk_read_begin(struct ingest_desk *desk, uint64_t byte_count);
void ingest_desk_read_end(struct ingest_desk *desk, uint64_t byte_count);

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
