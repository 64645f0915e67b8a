/* SPDX-License-Identifier: Apache-2.0 */
/* Sink counters: one line each, name and meaning.
 *
 * What it is   the list that the enum, the names and the status page are made of.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none.
 */
#pragma once

/* X(NAME, text name, meaning). Those that say "now" are levels; all others only rise. Received =
 * acknowledged + duplicate + dropped by one of the reasons + queued now, in samples. */
#define SINK_COUNTERS(X)                                                                         \
	X(WINDOWS_RECEIVED, "sink_windows_received", "windows handed to the sink")               \
	X(SAMPLES_RECEIVED, "sink_samples_received", "samples in these windows")                 \
	X(BATCHES_ENCODED, "sink_batches_encoded", "batches made of them")                       \
	X(BATCHES_QUEUED, "sink_batches_queued", "batches not yet acknowledged, now")            \
	X(SAMPLES_QUEUED, "sink_samples_queued", "samples not yet acknowledged, now")            \
	X(BYTES_QUEUED, "sink_bytes_queued", "bytes of these batches, now")                      \
	X(BATCHES_SENT, "sink_batches_sent", "batches sent, those sent again included")          \
	X(BATCHES_RESENT, "sink_batches_resent", "of these, sent again")                         \
	X(BYTES_SENT, "sink_bytes_sent", "bytes of batches sent")                                \
	X(BATCHES_ACKNOWLEDGED, "sink_batches_acknowledged", "batches durable at the server")    \
	X(SAMPLES_ACKNOWLEDGED, "sink_samples_acknowledged", "samples durable at the server")    \
	X(SAMPLES_DUPLICATE, "sink_samples_duplicate",                                           \
		"samples that the server had already, from before a break")                      \
	X(BATCHES_DEFERRED, "sink_batches_deferred", "answers `not now`; the batch was kept")    \
	X(DROPPED_FULL, "sink_samples_dropped_queue_full",                                       \
		"samples dropped, oldest first: the queue was full")                             \
	X(DROPPED_REFUSED, "sink_samples_dropped_refused",                                       \
		"samples dropped: the server called their batch malformed")                      \
	X(DROPPED_UNENCODED, "sink_samples_dropped_unencoded",                                   \
		"samples dropped: no batch could be made of their window")                       \
	X(DROPPED_STOPPED, "sink_samples_dropped_at_stop",                                       \
		"samples dropped: not acknowledged when the collector had to end")               \
	X(STREAMS_OPENED, "sink_streams_opened", "streams that the server accepted")             \
	X(STREAMS_FAILED, "sink_streams_failed", "attempts that got no welcome from a server")   \
	X(STREAMS_BROKEN, "sink_streams_broken", "streams that broke after their welcome")       \
	X(VERSIONS_REFUSED, "sink_versions_refused", "attempts that the server's version ended") \
	X(WANTS_RECEIVED, "sink_wants_received", "modules that the server asked for")            \
	X(UPLOADS_SENT, "sink_uploads_sent", "uploads that the server took whole")               \
	X(UPLOADS_FAILED, "sink_uploads_failed", "uploads that broke or were refused")           \
	X(UPLOADS_DROPPED, "sink_uploads_dropped", "uploads dropped: too many waited")           \
	X(UPLOAD_BYTES, "sink_upload_bytes", "bytes of uploads sent")

enum sink_counter {
#define SINK_COUNTER_ENUM(name, text, meaning) SINK_COUNTER_##name,
	SINK_COUNTERS(SINK_COUNTER_ENUM)
#undef SINK_COUNTER_ENUM
		SINK_COUNTER_COUNT
};

/* Both for a COUNTER below SINK_COUNTER_COUNT. */
const char *sink_counter_name(enum sink_counter counter);
const char *sink_counter_meaning(enum sink_counter counter);
