/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Process: what user space has written down about the process that is walked.
 *
 * What it is   looks up its mappings, once a walk. A process that became another program since
 *              then has other mappings: those are not known.
 * Ownership    this CPU's walk record.
 * Threads      the CPU that runs the program.
 * Errors       none: without mappings, the walk ends at its first frame and user space goes on.
 */
#pragma once

#include "bpf/lib/node.bpf.h"
#include "bpf/lib/ring.bpf.h"

static __always_inline void process_find(struct walk *walk)
{
	uint32_t pid = walk->sample.pid;
	struct unwind_process *process = bpf_map_lookup_elem(&unwind_processes, &pid);

	walk->process.root = (struct unwind_reference){0, 0};
	walk->mapping.start = 0;
	walk->mapping.end = 0;
	walk->may_recall = 0;
	walk->window.byte_count = 0;
	walk->may_copy = ring_has_room_for_stack(walk->sample.cpu);
	if (!process || process->started_at_ns != walk->sample.process_started_at_ns ||
		process->exec_number != walk->sample.exec_number)
		return;
	walk->process = *process;
	/* Mappings that were taken back lead to user space, which tells of the new ones. */
	walk->may_recall = table_node(process->root) != NULL;
	walk->sample.mappings_version = process->version;
}
