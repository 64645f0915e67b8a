/* SPDX-License-Identifier: Apache-2.0 */
/* Speedscope: the file of stacks that py-spy, pyinstrument, rbspy and many others write.
 *
 * What it is   JSON: frames, and any number of profiles that share them, each either samples with
 *              weights or events that open and close frames, in a unit of its own. All profiles are
 *              taken; the name of each is the thread of its rows. Weights may be fractions: what is
 *              rounded off one goes to the next, so that sums stay right.
 * Ownership    borrows the text.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/ingest/json_view.h"

/* Of one file, which has one for each thread. */
#define SPEEDSCOPE_PROFILE_COUNT_MAX 65536u

struct speedscope {
	struct json_view frames; /* an array */
	struct json_view profiles; /* likewise */
};

/* How values without a unit become those of a type: see text_type_of. */
struct speedscope_options {
	struct ingest_text app;
	const char *units;
	uint32_t rate;
};

int speedscope_open(struct json_view json, struct speedscope *ret_file, struct ingest_fault *fault);
/* Whether JSON looks like such a file. */
bool speedscope_is(struct json_view json);
/* The time from the first to the last moment of its longest profile; 0: it tells none. */
uint64_t speedscope_duration_ns(const struct speedscope *file);
int speedscope_add(const struct speedscope *file, const struct speedscope_options *options,
	struct ingest_batch *batch, struct ingest_fault *fault);
