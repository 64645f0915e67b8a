/* SPDX-License-Identifier: Apache-2.0 */
/* Sink counters: what became of windows on their way to the server.
 *
 * What it is   the list of proto/wire/collector_counter.h, expanded to the enum and the names.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include "proto/wire/collector_counter.h"

enum sink_counter {
#define SINK_COUNTER_ENUM(name, text, meaning) SINK_COUNTER_##name,
	SINK_COUNTERS(SINK_COUNTER_ENUM)
#undef SINK_COUNTER_ENUM
		SINK_COUNTER_COUNT
};

/* Both for a COUNTER below SINK_COUNTER_COUNT. */
const char *sink_counter_name(enum sink_counter counter);
const char *sink_counter_meaning(enum sink_counter counter);
