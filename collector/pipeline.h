/* SPDX-License-Identifier: Apache-2.0 */
/* Pipeline: samples and the life of processes, in order of time, into windows.
 *
 * What it is   holds samples until every record that they depend on is in, applies records and
 *              samples by time, and closes windows on the clock: at multiples of their length, and
 *              early when a clock was set or the host slept.
 * Ownership    owns the samples held and the open window; a finished profile is given away.
 * Threads      one owner.
 * Errors       -ENOMEM and what /proc/stat gives at the start; later ones are counted.
 *
 * A round: pipeline_begin reads the clock, then the owner adds all samples that there are, then
 * pipeline_end works off what is older than the clock by PIPELINE_SLACK_NS. Records are read after
 * the samples, so none that a sample depends on is missing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/process/task_record.h"
#include "collector/process/thread_names.h"
#include "collector/sample/cpu_times.h"
#include "collector/sample/hold.h"
#include "collector/sample/window.h"

/* A sample stands in its ring so long after its time at the latest: a walk is cut off after 0.2 ms,
 * but a hypervisor may hold its CPU back. */
#define PIPELINE_SLACK_NS (20 * NS_PER_MS)
/* An exited process is kept so long for samples that come late. */
#define PIPELINE_EXITED_NS NS_PER_S

/* As task_events_next: 1 and the oldest record not younger than UNTIL_NS, or 0. */
typedef int (*pipeline_record_fn)(void *context, uint64_t until_ns, struct task_record *ret_record);

struct pipeline_config {
	struct window_config window;
	uint64_t window_ns;
	size_t hold_bytes_max; /* 0: HOLD_BYTES_MAX */
	struct clock clock;
	struct clock_reading started; /* read before the first sample was taken */
	const char *stat_path; /* NULL: /proc/stat */
	struct cpu_times *cpus_started; /* read together with STARTED; taken over. NULL: read now */
	struct thread_names *thread_names; /* NULL: samples tell the name of their thread */
	pipeline_record_fn next_record; /* NULL: there are no records */
	void *record_context;
	/* Adds what was counted, and what works, to a profile that is about to be closed. */
	window_status_fn add_status;
	/* Takes a finished profile. */
	void (*emit)(void *context, struct profile *profile);
	void *context;
};

struct pipeline {
	struct pipeline_config config;
	struct hold hold;
	struct window window;
	struct window_span span;
	struct window_span next; /* while a window is closed: the one that follows */
	struct clock_reading clocks; /* of this round */
	struct clock_reading last; /* of the round before */
	struct cpu_times before; /* at the start of the window */
	struct cpu_times after;
	uint32_t online_cpu_count; /* kept up to date by the owner */
	uint64_t last_window_samples;
	uint64_t busy_ns; /* of all CPUs, summed over all windows */
	uint64_t idle_ns;
	bool records_lost; /* set when it happens; cleared by the owner */
	bool host_slept; /* likewise */
};

int pipeline_init(struct pipeline *pipeline, const struct pipeline_config *config);
void pipeline_done(struct pipeline *pipeline);

void pipeline_begin(struct pipeline *pipeline);
/* Matches sampler_sample_fn; CONTEXT is the pipeline. -ENOBUFS: end the round first. */
int pipeline_add(void *context, const struct event_sample *sample);
void pipeline_end(struct pipeline *pipeline);
/* The last round: works off everything and closes the window now. */
void pipeline_finish(struct pipeline *pipeline);

/* When the open window can be closed, on CLOCK_MONOTONIC. */
uint64_t pipeline_deadline_ns(const struct pipeline *pipeline);
