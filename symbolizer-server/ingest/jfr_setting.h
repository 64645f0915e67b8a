/* SPDX-License-Identifier: Apache-2.0 */
/* JFR settings: what a recorder says of how it sampled.
 *
 * What it is   the settings that tell what one sample stands for: async-profiler's `event`,
 *              `interval` and `wall`, OpenJDK's `period` of jdk.ExecutionSample.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none: a setting that says nothing readable leaves what was known.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/ingest/ingest_batch.h"

struct jfr_settings {
	uint64_t cpu_period_ns; /* 0: not told */
	uint64_t wall_period_ns; /* likewise */
	bool samples_are_wall; /* execution samples are taken by the wall clock */
};

/* One setting. IS_EXECUTION: it is one of jdk.ExecutionSample. */
void jfr_settings_note(struct jfr_settings *settings, struct ingest_text name,
	struct ingest_text value, bool is_execution);
