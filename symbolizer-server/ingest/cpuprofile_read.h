/* SPDX-License-Identifier: Apache-2.0 */
/* CPU profile: the `.cpuprofile` of V8, as Node and Chrome write it.
 *
 * What it is   JSON: a tree of calls as a list of nodes, and samples that name the node that ran and
 *              the time since the sample before. A sample stands for the time until the next one,
 *              the last for the time until the end; before the first nothing is known, and nothing
 *              is counted. What the inspector's protocol wraps around it is taken off.
 * Ownership    borrows the text.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/ingest/json_view.h"

/* Nodes of one tree, and samples of one recording: hours at V8's fastest. */
#define CPUPROFILE_NODE_COUNT_MAX (1u << 24)
#define CPUPROFILE_SAMPLE_COUNT_MAX (1u << 24)

struct cpuprofile;

/* Whether JSON looks like such a file. */
bool cpuprofile_is(struct json_view json);
/* Parses it. */
int cpuprofile_open(
	struct json_view json, struct cpuprofile **ret_file, struct ingest_fault *fault);
void cpuprofile_free(struct cpuprofile *file);
/* From the first sample to the end. */
uint64_t cpuprofile_duration_ns(const struct cpuprofile *file);
/* TYPE has nanoseconds for values. To one batch only: the file remembers what it has there. */
int cpuprofile_add(struct cpuprofile *file, const char *type, struct ingest_batch *batch,
	struct ingest_fault *fault);
