/* SPDX-License-Identifier: Apache-2.0 */
/* JFR kinds: which events are samples, and what they become.
 *
 * What it is   one list: an event, the field that weighs it, and the profile types that it adds to.
 *              Names of types are those by which users of Pyroscope know them.
 * Ownership    texts are static.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include "symbolizer-server/ingest/jfr_layout.h"

/* Types that one kind of events adds to. */
#define JFR_KIND_TYPE_COUNT 2u

enum jfr_measure {
	JFR_MEASURE_NONE,
	JFR_MEASURE_ONE, /* the event itself */
	JFR_MEASURE_WEIGHT, /* what its field says */
	JFR_MEASURE_TICKS, /* what its field says, in ticks of the chunk's clock */
	JFR_MEASURE_CPU, /* the period of CPU samples */
	JFR_MEASURE_WALL, /* the period of wall samples, as often as its field says */
};

struct jfr_kind_type {
	const char *type; /* five parts */
	enum jfr_measure measure;
};

/* X(ID, event, field of its weight or "", field of its thread, type, measure, type, measure) */
#define JFR_KINDS(X)                                                                               \
	X(EXECUTION, "jdk.ExecutionSample", "", "sampledThread",                                   \
		"process_cpu:cpu:nanoseconds:cpu:nanoseconds", CPU, "", NONE)                      \
	X(WALL, "profiler.WallClockSample", "samples", "sampledThread",                            \
		"wall:wall:nanoseconds:wall:nanoseconds", WALL, "", NONE)                          \
	X(IN_TLAB, "jdk.ObjectAllocationInNewTLAB", "tlabSize", "eventThread",                     \
		"memory:alloc_in_new_tlab_objects:count:space:bytes", ONE,                         \
		"memory:alloc_in_new_tlab_bytes:bytes:space:bytes", WEIGHT)                        \
	X(OUTSIDE_TLAB, "jdk.ObjectAllocationOutsideTLAB", "allocationSize", "eventThread",        \
		"memory:alloc_outside_tlab_objects:count:space:bytes", ONE,                        \
		"memory:alloc_outside_tlab_bytes:bytes:space:bytes", WEIGHT)                       \
	X(ALLOCATION, "jdk.ObjectAllocationSample", "weight", "eventThread",                       \
		"memory:alloc_sample_objects:count:space:bytes", ONE,                              \
		"memory:alloc_sample_bytes:bytes:space:bytes", WEIGHT)                             \
	X(LIVE, "profiler.LiveObject", "", "eventThread", "memory:live:count:objects:count", ONE,  \
		"", NONE)                                                                          \
	X(MONITOR, "jdk.JavaMonitorEnter", "duration", "eventThread",                              \
		"mutex:contentions:count:mutex:count", ONE, "mutex:delay:nanoseconds:mutex:count", \
		TICKS)                                                                             \
	X(PARK, "jdk.ThreadPark", "duration", "eventThread",                                       \
		"block:contentions:count:block:count", ONE, "block:delay:nanoseconds:block:count", \
		TICKS)                                                                             \
	X(MALLOC, "profiler.Malloc", "size", "eventThread", "memory:malloc_objects:count::", ONE,  \
		"memory:malloc_bytes:bytes::", WEIGHT)

struct jfr_kind {
	struct jfr_kind_type types[JFR_KIND_TYPE_COUNT];
	bool is_weighed; /* it is nothing without the field of its weight */
};

enum jfr_kind_id {
#define JFR_KIND_ID(id, ...) JFR_KIND_##id,
	JFR_KINDS(JFR_KIND_ID)
#undef JFR_KIND_ID
		JFR_KIND_COUNT
};

/* Slots of the fields of all kinds. */
enum {
	JFR_EVENT_STACK,
	JFR_EVENT_THREAD,
	JFR_EVENT_WEIGHT,
	JFR_EVENT_CONTEXT,
	JFR_EVENT_STATE,
};
/* Of a setting of the recorder. */
enum { JFR_SETTING_NAME, JFR_SETTING_VALUE, JFR_SETTING_OF };

extern const struct jfr_kind jfr_kinds[JFR_KIND_COUNT];
/* One a kind, and behind them that of a setting. */
extern const struct jfr_shape jfr_kind_shapes[JFR_KIND_COUNT + 1];
