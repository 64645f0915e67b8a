/* SPDX-License-Identifier: Apache-2.0 */
/* Window cover: what the windows of hosts say about a range, beside samples.
 *
 * What it is   how much of a range, and of each of its steps, windows cover; and the CPU time that
 *              hosts had meanwhile: covered time times CPUs, each window of a host once, however many
 *              batches told of it.
 * Ownership    owns its tables.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many hosts, or gaps.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/profile/string_table.h"
#include "symbolizer-server/query/time_cover.h"
#include "symbolizer-server/query/time_steps.h"

struct window_of_host {
	const char *host; /* any bytes */
	size_t host_length;
	struct time_range time;
	uint32_t cpu_count;
};

struct window_cover_host {
	struct time_range last; /* window: batches of one window come one after the other */
	uint64_t core_ns;
};

struct window_cover {
	struct time_range range;
	struct time_steps steps; /* count 0: none are kept */
	struct time_range
		covered; /* from the first window to the last, in the range; else equal ends */
	struct string_table host_names;
	struct window_cover_host *hosts; /* of each name */
	uint32_t host_count;
	uint32_t host_capacity;
	uint64_t *covered_ns; /* of each step; filled by window_cover_finish */
	uint64_t *core_ns; /* of each step */
	struct time_cover cover;
};

/* STEPS may be NULL. */
int window_cover_init(
	struct window_cover *cover, struct time_range range, const struct time_steps *steps);
void window_cover_done(struct window_cover *cover);
int window_cover_add(struct window_cover *cover, const struct window_of_host *window);
/* Nothing is added any more. */
void window_cover_finish(struct window_cover *cover);
/* The CPU time of one host, 0 if none of its windows was added. */
uint64_t window_cover_core_ns(const struct window_cover *cover, const char *host, size_t length);
