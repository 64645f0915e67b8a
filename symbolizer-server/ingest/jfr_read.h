/* SPDX-License-Identifier: Apache-2.0 */
/* JFR: a flight recording of OpenJDK or async-profiler, chunk by chunk.
 *
 * What it is   samples of CPU time, of wall time, of allocations, live objects, monitors and parks
 *              become the profile types that Pyroscope knows them by; other events are passed over.
 *              Labels come from the contexts that an agent sends beside it, threads from the
 *              recording.
 * Ownership    borrows bytes and contexts.
 * Threads      one owner.
 * Errors       those of ingest_fault.h and ingest_batch.h: a recording is read whole, or refused.
 */
#pragma once

#include "symbolizer-server/ingest/jfr_chunk.h"
#include "symbolizer-server/ingest/jfr_context.h"
#include "symbolizer-server/ingest/jfr_setting.h"

/* What an execution sample stands for where neither sender nor recording tells. */
#define JFR_PERIOD_NS_DEFAULT UINT64_C(10000000)

struct jfr_options {
	const struct jfr_contexts *contexts;
	uint32_t sample_rate; /* of execution samples, a second; 0: as the recording tells */
	uint64_t now_ns; /* of a chunk that tells no time */
};

struct jfr {
	const struct jfr_options *options;
	struct ingest_text rest;
	struct jfr_chunk chunk;
	struct jfr_settings settings; /* hold on from chunk to chunk, until one says otherwise */
};

/* BYTES are not compressed; they and OPTIONS outlive the reading. */
int jfr_init(struct jfr *jfr, const struct jfr_options *options, struct ingest_text bytes,
	struct ingest_fault *fault);
/* Goes to the next chunk. 1: there is one; 0: there is none; or an error. */
int jfr_next(struct jfr *jfr, struct ingest_fault *fault);
/* When the chunk was recorded. */
void jfr_window(const struct jfr *jfr, uint64_t *ret_start_ns, uint64_t *ret_until_ns);
/* Adds all samples of the chunk. */
int jfr_add(struct jfr *jfr, struct ingest_batch *batch, struct ingest_fault *fault);
