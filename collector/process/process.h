/* SPDX-License-Identifier: Apache-2.0 */
/* Process: what is known about one running program.
 *
 * What it is   the record that process_table.h keeps: who it is, where it belongs, what it maps.
 * Ownership    the table owns it; its mapping set and its place are shared and counted.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/process/cgroup_table.h"
#include "collector/process/mapping_set.h"

/* A base name is at most NAME_MAX bytes; longer than this is cut for display anyway. */
#define PROCESS_NAME_MAX 63

struct process {
	struct process *next_in_bucket;
	struct process *newer; /* order of last use */
	struct process *older;
	uint32_t pid;
	uint32_t parent_pid;
	uint32_t thread_count; /* 0 once the last one ended */
	bool name_pending; /* exec was seen; the first file mapped after it is the program */
	bool mappings_known; /* from /proc, from the parent, or complete since exec */
	bool is_place_known;
	uint64_t started_at_ns; /* CLOCK_BOOTTIME; exact once sampled, before that to a tick; 0:
				   unknown */
	uint64_t read_at_ns; /* records of before are part of what was read */
	uint64_t exited_at_ns; /* 0: running */
	uint64_t mappings_read_at_ns;
	uint32_t scan; /* the last one that met it */
	uint64_t cgroup_id; /* as of the last sample */
	struct mapping_set *mappings;
	/* What walks were told of it; 0: nothing. */
	uint32_t told_version;
	uint64_t told_exec_number;
	struct cgroup *place; /* NULL: none of note */
	char name[PROCESS_NAME_MAX + 1]; /* base name of the program file */
	uint64_t window; /* last window that named it, and the index of its label set there */
	uint32_t labels;
};
