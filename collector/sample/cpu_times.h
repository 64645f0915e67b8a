/* SPDX-License-Identifier: Apache-2.0 */
/* CPU times: how long each CPU was busy, idle or not given to us.
 *
 * What it is   reads /proc/stat and gives differences between two readings: against these the
 *              samples are weighed (coverage).
 * Ownership    owns its tables.
 * Threads      one owner.
 * Errors       negative errno; -EBADMSG: no CPU in the text.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cpu_time {
	uint32_t cpu;
	uint64_t busy_ns; /* user, system, interrupts */
	uint64_t idle_ns; /* waiting for disks included */
	uint64_t steal_ns; /* the hypervisor ran somebody else */
};

struct cpu_times {
	struct cpu_time *items; /* by CPU */
	uint32_t count;
	uint32_t capacity;
};

/* PATH: NULL for /proc/stat. The old contents are replaced, also by nothing after a failure. */
int cpu_times_read(struct cpu_times *times, const char *path);
void cpu_times_done(struct cpu_times *times);
/* Pure: the text of that file up to its first line that is not about a CPU. */
int cpu_times_parse(struct cpu_times *times, const char *text, size_t length, uint64_t tick_ns);
/* What passed on CPU number NOW->cpu since BEFORE; a CPU that was not there then began at zero.
 * Counters of the kernel that ran backwards (idle may, a little) count as zero. */
struct cpu_time cpu_time_since(const struct cpu_times *before, const struct cpu_time *now);
