/* SPDX-License-Identifier: Apache-2.0 */
/* Rings: the ring buffers, from the kernel's memory to a callback.
 *
 * What it is   makes a ring for each group of CPUs once one of them is sampled, and hands on the
 *              records of all rings without copying them.
 * Ownership    rings_init makes it, rings_done ends it; the map of rings belongs to the caller.
 * Threads      one owner.
 * Errors       0 or a negative errno; a record that is no sample is counted and left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/kernel/ring_layout.h"
#include "collector/kernel/sampler.h"

struct ring_buffer;

struct rings {
	struct ring_layout layout;
	int outer_fd; /* the map of rings */
	int *fds; /* one for each ring of the layout; -1: not made yet */
	struct ring_buffer *buffer;
	/* While draining only. */
	sampler_sample_fn fn;
	void *context;
	uint32_t handed_over;
	/* A sample that was refused, which the library counts as read: it is handed over first next
	 * time. Room for the longest. */
	struct event_sample *refused;
	bool has_refused;
	/* Since the beginning. */
	uint64_t malformed;
};

/* -ENOMEM. */
int rings_init(struct rings *rings, const struct ring_layout *layout, int outer_fd);
void rings_done(struct rings *rings);

/* Makes the ring of CPU, if there is none yet. Errors as the kernel gave them. */
int rings_cover(struct rings *rings, uint32_t cpu);

/* For epoll; there once a CPU is covered, else -1. */
int rings_poll_fd(const struct rings *rings);

/* See sampler_drain. */
int rings_drain(struct rings *rings, sampler_sample_fn fn, void *context);
