/* SPDX-License-Identifier: Apache-2.0 */
/* Service counters: what came in over gRPC and what became of it; one line each.
 *
 * What it is   the list that the enum and the status page are made of, and the values.
 * Ownership    static texts; the values are a member of the services' owner.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* X(NAME, text name, meaning). Those that say "now" are levels; all others only rise. Batches
 * received = decoded + malformed + unread; samples received = stored + duplicate + stale + too
 * large + deferred + pending now. */
#define SERVICE_COUNTERS(X)                                                                       \
	X(HELLOS, "ingest_hellos", "collectors that said hello and were welcomed")                \
	X(VERSIONS_REFUSED, "ingest_versions_refused", "collectors of a version not spoken here") \
	X(STREAMS_BROKEN, "ingest_streams_broken",                                                \
		"streams ended because a message was none of the contract")                       \
	X(BATCHES_RECEIVED, "ingest_batches_received", "batches received")                        \
	X(BATCH_BYTES, "ingest_batch_bytes", "bytes of their compressed bodies")                  \
	X(BATCHES_DECODED, "ingest_batches_decoded", "batches decoded and found sound")           \
	X(SAMPLES_RECEIVED, "ingest_samples_received", "samples in these")                        \
	X(SAMPLES_PENDING, "ingest_samples_pending", "samples that wait for the store, now")      \
	X(BATCHES_STORED, "ingest_batches_stored", "batches acknowledged as durable")             \
	X(SAMPLES_STORED, "ingest_samples_stored", "samples in these")                            \
	X(BATCHES_DUPLICATE, "ingest_batches_duplicate",                                          \
		"batches that came again and were durable already")                               \
	X(SAMPLES_DUPLICATE, "ingest_samples_duplicate", "samples in these, not counted twice")   \
	X(BATCHES_MALFORMED, "ingest_batches_malformed",                                          \
		"batches refused because they were malformed or beyond a limit")                  \
	X(BATCHES_UNREAD, "ingest_batches_unread",                                                \
		"batches put off because there was no memory to decode them")                     \
	X(BATCHES_STALE, "ingest_batches_stale",                                                  \
		"batches refused because all of them is older than the retention")                \
	X(SAMPLES_STALE, "ingest_samples_stale", "samples in these")                              \
	X(BATCHES_BACKDATED, "ingest_batches_backdated",                                          \
		"of the stored batches, those whose window ended more than ten minutes before")   \
	X(SAMPLES_BACKDATED, "ingest_samples_backdated", "samples in these")                      \
	X(BATCHES_AHEAD, "ingest_batches_ahead",                                                  \
		"of the stored batches, those whose window ends more than a minute from then")    \
	X(SAMPLES_AHEAD, "ingest_samples_ahead", "samples in these")                              \
	X(BATCHES_TOO_LARGE, "ingest_batches_too_large",                                          \
		"batches refused because the store cannot hold one so large")                     \
	X(SAMPLES_TOO_LARGE, "ingest_samples_too_large", "samples in these")                      \
	X(BATCHES_DEFERRED, "ingest_batches_deferred",                                            \
		"answers `not now`: the store could not take the batch, its sender keeps it")     \
	X(SAMPLES_DEFERRED, "ingest_samples_deferred", "samples in these")                        \
	X(ACKS_LOST, "ingest_acks_lost", "answers whose stream had ended; the batch comes again") \
	X(MODULES_OVER_LIMIT, "ingest_modules_over_limit",                                        \
		"modules of batches that the symbolizer had no room for")                         \
	X(WANT_STREAMS, "want_streams", "collectors that asked what the server lacks")            \
	X(WANTS_SENT, "want_requests", "modules asked of collectors")                             \
	X(UPLOADS_TAKEN, "upload_files", "uploads taken whole")                                   \
	X(UPLOAD_BYTES, "upload_bytes", "bytes of uploads")                                       \
	X(UPLOADS_FORBIDDEN, "upload_forbidden",                                                  \
		"uploads and Want streams refused: not from loopback, and no --insecure-uploads") \
	X(UPLOADS_UNWANTED, "upload_unwanted", "uploads refused: not asked for, or not any more") \
	X(UPLOADS_BROKEN, "upload_broken", "uploads that ended early or broke a rule")            \
	X(UPLOADS_REFUSED, "upload_refusals", "modules that collectors said they would not send")

enum service_counter {
#define SERVICE_COUNTER_ENUM(name, text, meaning) SERVICE_COUNTER_##name,
	SERVICE_COUNTERS(SERVICE_COUNTER_ENUM)
#undef SERVICE_COUNTER_ENUM
		SERVICE_COUNTER_COUNT
};

struct service_counts {
	atomic_ullong values[SERVICE_COUNTER_COUNT];
};

static inline void service_count(
	struct service_counts *counts, enum service_counter counter, uint64_t how_many)
{
	atomic_fetch_add(&counts->values[counter], how_many);
}

static inline void service_count_less(
	struct service_counts *counts, enum service_counter level, uint64_t how_many)
{
	atomic_fetch_sub(&counts->values[level], how_many);
}
