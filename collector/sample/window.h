/* SPDX-License-Identifier: Apache-2.0 */
/* Window: samples of some seconds become one profile.
 *
 * What it is   translates the addresses of each sample, joins kernel and user part, and adds it to
 *              the open profile with its weight, its thread and its 20 ms slot. The weights of a
 *              profile are those of its samples: nothing is scaled, nothing made up for what was
 *              lost.
 * Ownership    borrows process table and kernel symbols; a finished profile is the caller's.
 * Threads      one owner.
 * Errors       negative errno; a sample that can't be counted whole is counted without its stack,
 *              and what can't be counted at all is in the tally.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/abi/event.h"
#include "collector/jit/jit_frames.h"
#include "collector/process/kernel_symbols.h"
#include "collector/process/process_table.h"
#include "collector/sample/cpu_times.h"
#include "collector/sample/window_span.h"
#include "collector/tally.h"
#include "collector/unwind/unwinder.h"
#include "store/profile/profile.h"

struct window_config {
	const char *host;
	const char *machine_id;
	const char *boot_id;
	const char *kernel_release;
	const char *collector_version;
	uint64_t period_ns;
	/* False where pids of samples are not those of /proc (a pid namespace of our own): then
	 * processes go by their thread's name and addresses stay absolute. */
	bool pids_are_ours;
	struct process_table *processes;
	struct kernel_symbols *kernel;
	struct unwinder *unwinder; /* NULL: stacks stay as they come */
	struct jit_frames *jit; /* NULL: generated code stays absolute addresses */
	struct tally *tally;
};

struct window {
	struct window_config config; /* texts are borrowed */
	struct window_span span;
	uint64_t number; /* counts windows, from 1 */
	struct profile *profile; /* NULL: none is open */
	struct sample_table *samples;
	uint32_t kernel_module; /* `[kernel]` without build-ID, for hidden addresses */
	uint32_t lost_stack; /* what stands for a stack that could not be kept */
	uint64_t *sampled_ns; /* by CPU */
	uint32_t sampled_count;
	uint64_t sample_count; /* in this window */
};

void window_init(struct window *window, const struct window_config *config);
void window_done(struct window *window);

/* Begins the profile of SPAN. -ENOMEM. */
int window_open(struct window *window, const struct window_span *span);
/* Adds a sample taken before the window's end. */
void window_add(struct window *window, const struct event_sample *sample, uint64_t now_ns);

/* To be called after the samples of a round. */
void window_turn(struct window *window, uint64_t now_ns);

/* What only the end of a window knows. */
struct window_end {
	struct clock_reading clocks; /* by which the window's time becomes epoch time */
	uint64_t end_ns; /* of the span, or earlier */
	uint32_t online_cpu_count;
	const struct cpu_times *before; /* at the window's start */
	const struct cpu_times *after;
};

/* Adds what the collector says about itself: counters, features. */
typedef int (*window_status_fn)(void *context, struct profile *profile);

/* Closes the window and hands out its sealed profile; STATUS adds what the
 * collector says about itself. After an
 * error no window is open, and its samples are lost. */
int window_close(struct window *window, const struct window_end *end, window_status_fn status,
	void *context, struct profile **ret_profile);
