/* SPDX-License-Identifier: Apache-2.0 */
/* JFR chunk: one of the self-contained pieces that a flight recording consists of.
 *
 * What it is   the header, and a walk over the events behind it. Recordings of OpenJDK (2.1) and of
 *              async-profiler (2.0) have the same layout. Fields of the header are big-endian:
 *
 *                 0  `FLR\0`              8  size              16  of the last checkpoint
 *                 4  version, 2 x u16    24  of the metadata   32  start, ns
 *                40  duration, ns        48  start, ticks      56  ticks a second   64  flags
 *
 * Ownership    borrows the bytes.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include <stdbool.h>

#include "store/base/bytes.h"
#include "symbolizer-server/ingest/ingest_batch.h"

#define JFR_HEADER_BYTES 68u
/* Of one recording: a day of one a minute is 1440. */
#define JFR_CHUNK_COUNT_MAX 4096u

/* Types of events that every recording has. */
enum { JFR_EVENT_METADATA = 0, JFR_EVENT_CHECKPOINT = 1 };

struct jfr_chunk {
	uint32_t number; /* from 1 on, for messages */
	struct ingest_text bytes; /* header included */
	uint64_t metadata_at; /* offset of its event */
	uint64_t start_ns; /* epoch */
	uint64_t duration_ns;
	uint64_t ticks_per_second; /* never 0 */
};

struct jfr_event {
	uint64_t type;
	struct bytes_reader fields; /* what is behind the type */
};

bool jfr_is(struct ingest_text body);
/* Says what is wrong with a part of a chunk. */
int jfr_refuse(struct ingest_fault *fault, int error, const struct jfr_chunk *chunk,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The chunk in front of REST, which moves behind it; RET_CHUNK's number counts on from what it was.
 * 1: a chunk; 0: there are no more; or an error. */
int jfr_chunk_next(
	struct ingest_text *rest, struct jfr_chunk *ret_chunk, struct ingest_fault *fault);

/* All events of CHUNK. */
void jfr_events_init(struct bytes_reader *events, const struct jfr_chunk *chunk);
/* 1: an event; 0: there are no more; -EBADMSG: its size cannot be. */
int jfr_event_next(struct bytes_reader *events, struct jfr_event *ret_event);
