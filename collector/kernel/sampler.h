/* SPDX-License-Identifier: Apache-2.0 */
/* Sampler: what every CPU was doing, as a stream of samples.
 *
 * What it is   loads the BPF programs, gives each online CPU a timer of a fixed period, hands the
 *              samples on and counts all that was lost. Nothing is pinned: when the process dies,
 *              however it dies, the kernel takes everything down.
 * Ownership    sampler_open makes it, sampler_free ends it.
 * Threads      one: the one that opened it.
 * Errors       negative errno; sampler_open adds one line that says what to do.
 */
#pragma once

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

struct sampler_config {
	uint32_t hz; /* samples per CPU and second, 1..SAMPLER_HZ_MAX */
	uint32_t cpus_per_ring; /* 0: a default that suits most machines */
	uint32_t ring_bytes; /* a power of two of at least 64 KiB; 0: from CPUs and rate */
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

/* What this kernel lets the programs do; as long as the sampler lives. */
const struct abilities *sampler_abilities(const struct sampler *sampler);

/* The maps by which walks find their way; borrowed. */
struct unwind_maps *sampler_unwind_maps(struct sampler *sampler);

/* Time between two samples of a CPU, and the weight of each sample. */
uint64_t sampler_period_ns(const struct sampler *sampler);
