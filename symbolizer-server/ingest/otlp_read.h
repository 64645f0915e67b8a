/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP: profiles as OpenTelemetry's collectors and profilers export them.
 *
 * What it is   an ExportProfilesServiceRequest: profiles below resources, joined with one dictionary
 *              that stands before or behind them. Each profile becomes a batch of its own time;
 *              attributes of resource and samples become labels, but those of thread and CPU, which
 *              are columns.
 * Ownership    borrows the bytes; profiles go to the caller's list.
 * Threads      one owner.
 * Errors       those of ingest_fault.h, of the first profile that could not be read; the list holds
 *              the others. Field numbers of before 1.10 are told apart and refused.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/ingest/profile_list.h"

struct otlp_target {
	struct profile_list *profiles;
	struct ingest_drops *drops; /* added to */
	struct ingest_fault *fault;
	uint64_t now_ns; /* for profiles that tell no time */
	uint64_t rejected_count; /* profiles that could not be read, added to */
};

int otlp_read(struct ingest_text bytes, struct otlp_target *target);

/* The message that answers a request of which all but REJECTED_COUNT profiles are stored: empty
 * where that is none, else a partial success with FAULT. */
void otlp_write_response(struct bytes_writer *writer, uint64_t rejected_count, const char *fault);
