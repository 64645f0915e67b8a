/* SPDX-License-Identifier: Apache-2.0 */
/* Sampler: what every CPU was doing, as a stream of samples.
 *
 * What it is   gives each online CPU a timer of a fixed period, hands the samples on and counts all
 *              that was lost. Stacks are walked in the kernel, by BPF programs; where these are
 *              refused, pieces of the stacks come along for user space to walk. Nothing is pinned:
 *              when the process dies, however it dies, the kernel takes everything down.
 * Ownership    sampler_open makes it, sampler_free ends it.
 * Threads      one: the one that opened it.
 * Errors       negative errno; sampler_open adds one line that says what to do.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/abi/counter.h"
#include "bpf/abi/event.h"
#include "collector/kernel/ability.h"

/* The kernel gives a cpu-clock timer no shorter period than 10 us; 10 kHz is ten times above what
 * anybody profiles with and costs some percent of a CPU already. */
#define SAMPLER_HZ_MAX 10000

/* sampler_drain and sampler_cpus_changed are to be called about once in this time, whether the
 * descriptor is ready or not: records wait without waking anybody until many are pending. */
#define SAMPLER_INTERVAL_NS UINT64_C(1000000000)

/* What copies of stacks may take in all: some 480 of them a second. */
#define SAMPLER_STACK_BYTES_USUAL (UINT64_C(8) << 20)

enum sampler_way {
	SAMPLER_AUTO, /* BPF, or perf events alone where BPF is refused */
	SAMPLER_BPF,
	SAMPLER_PERF,
};

struct sampler_config {
	enum sampler_way way;
	uint32_t hz; /* samples per CPU and second, 1..SAMPLER_HZ_MAX */
	/* Without BPF, HZ is lowered until stacks take no more than this, if all online CPUs are
	 * busy. 0: SAMPLER_STACK_BYTES_USUAL. */
	uint64_t stack_bytes_per_s;
	uint32_t cpus_per_ring; /* 0: a default that suits most machines */
	uint32_t ring_bytes; /* a power of two of at least 64 KiB; 0: from CPUs and rate. Without
				BPF, of each CPU */
	uint64_t rings_bytes_max; /* of all rings; 0: no limit */
	/* NULL: /sys/devices/system/cpu. Its file `online` lists the CPUs to sample. */
	const char *cpu_folder;
	/* NULL: the kernel's own type information, /sys/kernel/btf/vmlinux. */
	const char *btf_path;
};

/* One line, without a full stop and without a line break. */
struct sampler_reason {
	char text[512];
};

struct sampler;
struct unwind_memory;

/* Starts to sample. When it fails, REASON says why and what to do.
 * -EINVAL: a bad config.  -EPERM, -EACCES: a privilege is missing.  -ENOENT: no BTF.
 * Others as the kernel gave them. */
int sampler_open(const struct sampler_config *config, struct sampler_reason *reason,
	struct sampler **ret_sampler);
void sampler_free(struct sampler *sampler);

/* Readable when many records are pending; for epoll, level-triggered. Borrowed. */
int sampler_poll_fd(const struct sampler *sampler);

/* Gives each pending sample to FN, ring by ring: in order of time within a CPU, not between CPUs.
 * The sample is whole and checked (frame counts within limits and within the record, known stop
 * reasons, comm closed), and borrowed until FN returns. FN returns 0, or a negative errno that
 * ends the drain; this sample and the rest stay pending.
 * Gives the number of samples handed over, or that negative errno. */
typedef int (*sampler_sample_fn)(void *context, const struct event_sample *sample);
int sampler_drain(struct sampler *sampler, sampler_sample_fn fn, void *context);

/* Ends the timers: nothing is sampled any more. What is pending can still be drained. */
void sampler_halt(struct sampler *sampler);

/* Every counter since sampler_open, summed over the CPUs that there are and were. */
int sampler_counters(struct sampler *sampler, uint64_t ret_values[COUNTER_MAX]);

/* Follows CPUs that came online or went, and restarts those whose timer is dead (a CPU that went
 * and came back between two calls, as in a suspend). A CPU that can't be sampled is retried by the
 * next call; such a fault is the result, but the others are sampled and the count is written. */
int sampler_cpus_changed(struct sampler *sampler, uint32_t *ret_online_count);

/* False: BPF was refused, or not wanted, and every sample brings its stack. Then samples know neither
 * the name of their thread nor start and number of execs of their process. */
bool sampler_walks_in_kernel(const struct sampler *sampler);
/* Why it does not: one line, empty if it does; and the negative errno, 0 if nobody refused. As long
 * as the sampler lives. */
const char *sampler_refusal(const struct sampler *sampler, int *ret_error);

/* What this kernel lets the programs do; as long as the sampler lives. NULL: there are none. */
const struct abilities *sampler_abilities(const struct sampler *sampler);

/* The memory by which walks find their way; it lasts as long as the sampler. */
void sampler_lend_memory(struct sampler *sampler, struct unwind_memory *ret_memory);

/* Time between two samples of a CPU, and the weight of each sample. */
uint64_t sampler_period_ns(const struct sampler *sampler);
