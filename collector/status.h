/* SPDX-License-Identifier: Apache-2.0 */
/* Status: everything that an operator may ask of a running collector.
 *
 * What it is   one JSON object: who it is, what works and what not, and every counter with its
 *              meaning in the order of a sample's way from the kernel to the server.
 * Ownership    borrows everything for the time of the call.
 * Threads      the agent's.
 * Errors       those of json_writer.h.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/counter.h"
#include "collector/features.h"
#include "collector/identity.h"
#include "collector/memory_limit.h"
#include "collector/settings.h"
#include "collector/tally.h"
#include "proto/wire/collector_counter.h"
#include "store/base/json_writer.h"
#include "store/profile/profile.h"

struct status_view {
	const struct settings *settings;
	const struct identity *identity;
	const struct features *features;
	const struct memory_plan *memory;
	const struct tally *tally;
	uint64_t kernel_counters[COUNTER_MAX];
	uint64_t sink_counters[SINK_COUNTER_COUNT];
	uint64_t uptime_ns;
	uint64_t period_ns; /* what each sample stands for */
	uint64_t last_window_samples;
	uint64_t busy_ns; /* of all CPUs since the start */
	uint64_t sampled_ns;
	uint32_t online_cpu_count;
	uint32_t process_count;
	uint32_t binary_count;
};

void status_write(const struct status_view *view, struct json_writer *json);
/* The same features and counters for a profile, under the names of the status. */
int status_add_to_profile(const struct status_view *view, struct profile *profile);
