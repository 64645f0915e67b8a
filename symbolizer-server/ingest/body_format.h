/* SPDX-License-Identifier: Apache-2.0 */
/* Body format: what an upload is by its first bytes, where nobody says.
 *
 * What it is   people post what their profiler wrote. Formats that begin as nothing else does, or
 *              that have members of their own, are told; all the rest is folded text.
 * Ownership    borrows the body.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"

enum body_format {
	FORMAT_FOLDED,
	FORMAT_LINES,
	FORMAT_TREE,
	FORMAT_TRIE,
	FORMAT_PPROF,
	FORMAT_JFR,
	FORMAT_SPEEDSCOPE,
	FORMAT_CPUPROFILE,
	FORMAT_PERF_SCRIPT,
};

/* BODY is not compressed. */
enum body_format body_format_guess(struct ingest_text body);
