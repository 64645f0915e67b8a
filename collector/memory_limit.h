/* SPDX-License-Identifier: Apache-2.0 */
/* Memory limit: what the collector's own cgroup allows, and how it is divided.
 *
 * What it is   the least limit of the cgroup that this process is in and of those above it, of
 *              cgroup v2 or v1; and shares of it for all that can grow, so that the whole stays
 *              below. Memory of BPF maps counts, from Linux 5.11 on.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       none: what can't be read does not limit.
 */
#pragma once

#include <stdint.h>

#define MEMORY_UNLIMITED UINT64_MAX
/* Below this the least of everything does not fit for sure. */
#define MEMORY_LIMIT_LEAST (UINT64_C(24) << 20)

/* PROC_FOLDER: NULL: /proc. ROOT_FOLDER goes before the places where cgroups are mounted; NULL: "". */
uint64_t memory_limit_read(const char *proc_folder, const char *root_folder);

/* What may take how much. */
struct memory_plan {
	uint64_t limit; /* MEMORY_UNLIMITED: none, or none that matters */
	uint64_t unwind_bytes_max;
	uint64_t queue_bytes_max;
	uint64_t hold_bytes_max;
	uint64_t jit_bytes_max;
	uint64_t ring_bytes_max; /* all rings together */
};

/* Pure: USUAL, with less of it where LIMIT asks for that. */
struct memory_plan memory_plan_make(uint64_t limit, const struct memory_plan *usual);
/* Of this process, where unwind tables may take UNWIND_BYTES_MAX; a limit is a line in the log. */
struct memory_plan memory_plan_own(uint64_t unwind_bytes_max);
