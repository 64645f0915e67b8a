/* SPDX-License-Identifier: Apache-2.0 */
/* perf script: what `perf script` prints of a recording.
 *
 * What it is   a line that tells thread, time and event, and below it a line a frame, leaf first:
 *
 *                  comm 123/124 [000]  1172.349569:   34482758 cpu-clock:
 *                          11ed hash_loop+0x44 (/srv/app/burn)
 *                    burn.c:9
 *
 *              Process, CPU, period, offsets, files, source lines and the frames themselves may be
 *              missing. Each event is a profile type: clocks are time on the CPU, others count what
 *              they count.
 * Ownership    borrows the text.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"

/* Whether TEXT begins as such a text does. */
bool perf_script_is(struct ingest_text text);
/* From the first to the last sample. */
uint64_t perf_script_duration_ns(struct ingest_text text);
/* RATE, in samples a second, makes samples of a clock time where the text tells no period; 0: they
 * stay a count. */
int perf_script_read(struct ingest_batch *batch, uint32_t rate, struct ingest_text text,
	struct ingest_fault *fault);
