/* SPDX-License-Identifier: Apache-2.0 */
/* Host board: what the newest batches said about each host.
 *
 * What it is   last seen, versions, clock skew, the collector's own counters and features, and how much of
 *              the busy time of its CPUs the samples stand for ("coverage") over the last
 *              windows. Filled as batches come in, so that status asks no disk.
 * Ownership    owns copies of all it keeps. Snapshots are malloc'ed for the caller.
 * Threads      any thread may call any function but new and free.
 * Errors       -ENOMEM; -E2BIG: more hosts than are kept (the one seen longest ago makes room).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/wire/collector_feature.h"
#include "store/base/clock.h"
#include "store/profile/profile.h"
#include "symbolizer-server/status/host_clock.h"

/* A fleet, and what changes its name at every start. */
#define HOST_BOARD_COUNT_MAX 4096
/* Windows that coverage is taken over: five minutes of ten seconds each. */
#define HOST_BOARD_WINDOW_COUNT 30
/* Windows older than this say nothing about now. */
#define HOST_BOARD_WINDOW_AGE_NS (UINT64_C(600) * NS_PER_S)
#define HOST_BOARD_TEXT_BYTES 128
#define HOST_BOARD_COUNTER_COUNT_MAX 256
/* What a newer collector may have beyond our own list. */
#define HOST_BOARD_FEATURE_COUNT_MAX 48

struct host_board;

struct host_window {
	uint64_t end_ns; /* epoch */
	uint64_t length_ns;
	uint64_t sample_count;
	uint64_t busy_ns; /* over all CPUs, as are the others */
	uint64_t idle_ns;
	uint64_t steal_ns;
	uint64_t sampled_ns;
};

struct host_counter {
	char name[64];
	uint32_t rank; /* see collector_counter.h */
	uint64_t value; /* since the start of the collector */
};

/* See proto/wire/collector_feature.h; texts are cut to their room. */
struct host_feature {
	char name[48];
	bool is_on;
	char reason[FEATURE_REASON_BYTES_MAX + 1]; /* of what is off */
	char remedy[FEATURE_REMEDY_BYTES_MAX + 1];
};

struct host_entry {
	char name[HOST_BOARD_TEXT_BYTES];
	char kernel_release[HOST_BOARD_TEXT_BYTES];
	char collector_version[HOST_BOARD_TEXT_BYTES];
	uint64_t last_seen_ns; /* end of its newest window, epoch by its own clock */
	uint64_t received_at_ns; /* of its last batch, epoch by ours */
	/* Its clock less ours: see host_clock.h. */
	int64_t clock_skew_ns;
	struct host_clock clock;
	char boot_id[HOST_BOARD_TEXT_BYTES];
	uint64_t newest_ns; /* end of its newest window, MONOTONIC since that boot */
	uint32_t online_cpu_count;
	uint64_t sample_count; /* since the server started */
	struct host_window windows[HOST_BOARD_WINDOW_COUNT];
	uint32_t window_count; /* written so far; the newest is the last, modulo the length */
	/* In the order of a sample's way. */
	struct host_counter counters[HOST_BOARD_COUNTER_COUNT_MAX];
	uint32_t counter_count;
	/* In the order of the list, those of newer collectors last. */
	struct host_feature features[HOST_BOARD_FEATURE_COUNT_MAX];
	uint32_t feature_count;
};

int host_board_new(struct host_board **ret_board);
void host_board_free(struct host_board *board);
/* PROFILE must have passed profile_check. NOW_NS: epoch, when it came. */
int host_board_note(struct host_board *board, const struct profile *profile, uint64_t now_ns);

/* What was noted so far is of before the server started: samples are counted from here on. */
void host_board_begin(struct host_board *board);

/* All hosts, by name. */
struct host_snapshot {
	struct host_entry *entries;
	uint32_t count;
};

int host_board_snapshot(struct host_board *board, struct host_snapshot *ret_snapshot);
void host_snapshot_done(struct host_snapshot *snapshot);

/* The sum of the entry's windows that ended in the last HOST_BOARD_WINDOW_AGE_NS before NOW_NS. */
struct host_window host_entry_recent(const struct host_entry *entry, uint64_t now_ns);
/* Sampled time over busy time; negative if there was none. */
double host_window_coverage(const struct host_window *window);
/* Samples a second; 0 without a window. */
double host_window_sample_rate(const struct host_window *window);

/* A chain_find_fn; CONTEXT is a struct host_entry. */
bool host_entry_find_counter(void *context, const char *name, uint64_t *ret_value);
