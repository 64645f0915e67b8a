/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol counters: one line each, name and meaning.
 *
 * What it is   the list that the enum and the status page are made of.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none.
 */
#pragma once

/* X(NAME, text name, meaning). Those that say "now" are levels; all others only rise. Requests
 * offered = met + declined + expired + withdrawn + open now; uploads asked = taken + refused +
 * broken + open now; questions asked = hits + misses + failures + stopped + open now; files read =
 * indexed + failed + open now; indexed = stored + unused + unstored + open now. */
#define SYMBOL_COUNTERS(X)                                                                        \
	X(MODULES_KNOWN, "symbol_modules_known", "modules the fleet named, now")                  \
	X(MODULES_NAMED, "symbol_modules_named", "of these, with an index of names, now")         \
	X(MODULES_WANTED, "symbol_modules_wanted", "of these, wanted from collectors, now")       \
	X(MODULES_REFUSED, "symbol_modules_over_limit", "modules beyond the table's limit")       \
	X(WANTS_OFFERED, "symbol_wants_offered", "requests for an upload handed to collectors")   \
	X(WANTS_MET, "symbol_wants_met", "of these, answered by an upload that began")            \
	X(WANTS_OPEN, "symbol_wants_open", "of these, not answered yet, now")                     \
	X(WANTS_DECLINED, "symbol_wants_declined", "requests that a collector refused")           \
	X(WANTS_EXPIRED, "symbol_wants_expired", "requests that a collector let pass")            \
	X(WANTS_WITHDRAWN, "symbol_wants_withdrawn",                                              \
		"requests taken back because their collector went away")                          \
	X(UPLOADS_ASKED, "symbol_uploads_asked", "uploads that were to begin")                    \
	X(UPLOADS_OPEN, "symbol_uploads_open", "uploads that are being received, now")            \
	X(UPLOADS_TAKEN, "symbol_uploads_taken", "uploads received whole")                        \
	X(UPLOADS_REFUSED, "symbol_uploads_refused", "uploads refused before their first byte")   \
	X(UPLOADS_BROKEN, "symbol_uploads_broken", "uploads that ended early or were too long")   \
	X(UPLOAD_BYTES, "symbol_upload_bytes", "bytes received by uploads")                       \
	X(FETCHES_ASKED, "symbol_debuginfod_asked", "questions put to debuginfod")                \
	X(FETCHES_OPEN, "symbol_debuginfod_open", "of these, not answered yet, now")              \
	X(FETCHES_HIT, "symbol_debuginfod_hits", "of these, answered with a file")                \
	X(FETCHES_MISSED, "symbol_debuginfod_misses", "of these, answered with not found")        \
	X(FETCHES_FAILED, "symbol_debuginfod_failures", "of these, timed out or failed")          \
	X(FETCHES_STOPPED, "symbol_debuginfod_stopped",                                           \
		"of these, given up because the server stops")                                    \
	X(FETCHES_SPARED, "symbol_debuginfod_spared",                                             \
		"questions not put because the servers had just failed")                          \
	X(FETCHED_BYTES, "symbol_debuginfod_bytes", "bytes of files from debuginfod")             \
	X(FILES_READ, "symbol_files_read", "files handed to the sandbox")                         \
	X(FILES_OPEN, "symbol_files_open", "of these, being read or waiting, now")                \
	X(INDEXED, "symbol_indexed", "files turned into an index")                                \
	X(INDEXED_FUNCTIONS, "symbol_indexed_functions", "functions in these indexes")            \
	X(INDEX_BETTERED, "symbol_index_bettered", "indexes replaced by a better source")         \
	X(INDEX_STORED, "symbol_index_stored", "indexes put into the cache")                      \
	X(INDEX_OPEN, "symbol_index_open", "indexes on their way into the cache, now")            \
	X(INDEX_UNUSED, "symbol_index_unused", "indexes no better than what was there, left out") \
	X(INDEX_UNSTORED, "symbol_index_unstored", "indexes that the cache could not take")       \
	X(INDEX_REJECTED, "symbol_index_rejected", "results of the sandbox that broke a rule")    \
	X(FILES_FAILED, "symbol_files_failed", "files that gave no names, whatever the reason")   \
	X(FILES_KEPT, "symbol_files_kept", "uploaded files put aside for debuggers")              \
	X(FILES_NOT_KEPT, "symbol_files_not_kept",                                                \
		"uploaded files not put aside: there is a better one, or no room")                \
	X(KEPT_BYTES, "symbol_kept_bytes", "bytes of files that are kept, now")                   \
	X(KEPT_EVICTED, "symbol_kept_evicted", "kept files dropped to stay within the limit")     \
	X(CACHE_BYTES, "symbol_cache_bytes", "bytes of indexes in the cache, now")                \
	X(CACHE_EVICTED, "symbol_cache_evicted", "indexes dropped to stay within the limit")      \
	X(CACHE_DAMAGED, "symbol_cache_damaged", "indexes dropped because a checksum failed")     \
	X(WARM_BYTES, "symbol_warm_bytes", "bytes of indexes kept in memory, now")                \
	X(WARM_EVICTED, "symbol_warm_evicted", "indexes that left memory to stay within a limit") \
	X(CACHE_MOVED, "symbol_cache_moved_aside", "caches moved aside because they were damaged")

enum symbol_counter {
#define SYMBOL_COUNTER_ENUM(name, text, meaning) SYMBOL_COUNTER_##name,
	SYMBOL_COUNTERS(SYMBOL_COUNTER_ENUM)
#undef SYMBOL_COUNTER_ENUM
		SYMBOL_COUNTER_COUNT
};
