/* SPDX-License-Identifier: Apache-2.0 */
/* pprof: the profile format of Go's tools and of most clients.
 *
 * What it is   a message of tables joined by ids, read in place: every column of values becomes a
 *              profile type, every set of string labels a series. Frames with lines keep their
 *              names, the innermost inlined first; those without are named here, by their mapping's
 *              build-ID and the address in its ELF file.
 * Ownership    borrows the bytes.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"

/* Columns of values. */
#define PPROF_TYPE_COUNT_MAX 32u

/* What one column is called, as a client may tell beside the profile. */
struct pprof_rename {
	struct ingest_text sample_type;
	struct ingest_text display_name;
};

struct pprof_options {
	/* The profile's name, first part of its types; empty: by the names of its columns. */
	struct ingest_text name;
	const struct pprof_rename *renames; /* NULL: Pyroscope's defaults */
	uint32_t rename_count;
	uint64_t start_ns, until_ns; /* where the profile tells no time; epoch */
	bool own_time_first; /* its own time goes before that, where it tells one */
};

struct pprof; /* a parsed profile */

/* Reads the tables; BYTES are not compressed and outlive the result. */
int pprof_open(struct ingest_text bytes, struct pprof **ret_pprof, struct ingest_fault *fault);
void pprof_free(struct pprof *pprof);
/* The window that the samples lie in. */
void pprof_window(const struct pprof *pprof, const struct pprof_options *options,
	uint64_t *ret_start_ns, uint64_t *ret_until_ns);
/* Adds all samples. */
int pprof_add(const struct pprof *pprof, const struct pprof_options *options,
	struct ingest_batch *batch, struct ingest_fault *fault);
