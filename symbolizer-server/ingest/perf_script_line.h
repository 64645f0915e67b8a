/* SPDX-License-Identifier: Apache-2.0 */
/* A line of `perf script`: the two kinds that tell something.
 *
 * What it is   names may hold blanks, colons and parentheses, so a line is taken apart from the
 *              side where it has none.
 * Ownership    pieces are borrowed from the line.
 * Threads      any.
 * Errors       none: false is a line of another kind.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"

/* `comm pid/tid [cpu] time: period event: rest` */
struct perf_script_head {
	struct ingest_text comm;
	uint32_t pid; /* 0: not told */
	uint32_t tid;
	uint32_t cpu; /* SAMPLE_CPU_UNKNOWN: not told */
	uint64_t time_ns;
	bool has_period;
	int64_t period;
	struct ingest_text event; /* without the last colon; PERF_RECORD_...: no sample */
	struct ingest_text rest; /* without blanks around it */
};

/* `address symbol+0xoffset (file)` */
struct perf_script_frame {
	bool has_address;
	uint64_t address;
	struct ingest_text symbol; /* empty: not known */
	struct ingest_text file; /* empty: not told or not known */
	bool is_inlined; /* the file is that of a later frame */
};

bool perf_script_head_read(struct ingest_text line, struct perf_script_head *ret_head);
/* LINE without blanks before it. */
bool perf_script_frame_read(struct ingest_text line, struct perf_script_frame *ret_frame);
/* `file.c:12`; what perf could not find, `??:0`, is none. */
bool perf_script_source_read(
	struct ingest_text line, struct ingest_text *ret_file, uint32_t *ret_line);
struct ingest_text perf_script_trim(struct ingest_text text);
