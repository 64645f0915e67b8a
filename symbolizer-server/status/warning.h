/* SPDX-License-Identifier: Apache-2.0 */
/* Warning: what of the status a person should look at first, and what to do about it.
 *
 * What it is   rules over what the status knows anyway; each gives one sentence and one remedy.
 * Ownership    a warning lives for the call that it is given to.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/disk/profile_store.h"
#include "symbolizer-server/guard/label_guard.h"
#include "symbolizer-server/status/chain.h"
#include "symbolizer-server/status/host_board.h"

/* Less is not worth a line: the chain shows it all the same. */
#define WARNING_LOST_SHARE 0.001
/* What the log of a busy hour may need. */
#define WARNING_DISK_FREE_BYTES (UINT64_C(1) << 30)
/* Clocks that differ less agree, as far as a batch's way can tell. */
#define WARNING_SKEW_NS (2 * NS_PER_S)
/* Sampled over busy time; so much busy time is needed to tell (3 standard deviations at 19 Hz). */
#define WARNING_COVERAGE_LOW 0.8
#define WARNING_COVERAGE_HIGH 1.25
#define WARNING_COVERAGE_BUSY_NS (30 * NS_PER_S)
/* A host is silent after three windows and so much; after a day it is taken to be gone. */
#define WARNING_SILENT_NS (30 * NS_PER_S)
#define WARNING_GONE_NS (UINT64_C(24) * 3600 * NS_PER_S)

struct warning {
	bool is_error; /* something is broken; else something is less than it could be */
	const char *host; /* NULL: the server */
	char text[256];
	const char *remedy;
};

typedef void (*warning_fn)(void *context, const struct warning *warning);

void warning_of_store(const struct profile_store_stats *stats, warning_fn fn, void *context);
/* HOST: NULL for a stage of the server. */
void warning_of_stage(
	const struct chain_reading *reading, const char *host, warning_fn fn, void *context);
void warning_of_labels(const struct label_guard_case *one, warning_fn fn, void *context);
void warning_of_host(const struct host_entry *host, uint64_t now_ns, warning_fn fn, void *context);
