/* SPDX-License-Identifier: Apache-2.0 */
/* Task ring: the buffer in which the kernel leaves the records of one CPU.
 *
 * What it is   a perf event that counts nothing and reports mappings, names, forks and exits, on
 *              CLOCK_MONOTONIC as samples are; and the reader of its ring buffer.
 * Ownership    the ring owns its event.
 * Threads      one owner; the kernel writes meanwhile.
 * Errors       negative errno. A ring whose contents make no sense is emptied and counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/kernel/perf_ring.h"
#include "collector/process/task_record.h"
#include "collector/tally.h"

struct task_ring {
	struct perf_ring perf;
	uint32_t cpu;
	struct tally *tally;
	uint64_t next_time_ns; /* of the record at the tail, if next_bytes is not 0 */
	size_t next_bytes;
};

/* DATA_BYTES is a power of two of at least a page. WITH_BUILD_IDS: the kernel shall say the
 * build-ID of each mapped file. -EINVAL: this kernel can't.  -EACCES, -EPERM: CAP_PERFMON is
 * missing. -ENODEV: the CPU is offline. */
int task_ring_open(struct task_ring *ring, uint32_t cpu, size_t data_bytes, bool with_build_ids,
	struct tally *tally);
void task_ring_close(struct task_ring *ring);

/* True if a record waits; its time stands in next_time_ns. */
bool task_ring_peek(struct task_ring *ring);
/* Reads the record that task_ring_peek found and moves on behind it; what RET_RECORD points to
 * stays valid until task_ring_release. Errors of task_record_parse. */
int task_ring_take(struct task_ring *ring, struct task_record *ret_record);
/* Gives the room of the record taken last back to the kernel. */
void task_ring_release(struct task_ring *ring);
