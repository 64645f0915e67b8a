/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_kind.h"

#define KIND(id, event, weight, thread, type, measure, other_type, other_measure)        \
	{{{(type), JFR_MEASURE_##measure}, {(other_type), JFR_MEASURE_##other_measure}}, \
		sizeof(weight) > 1},

const struct jfr_kind jfr_kinds[JFR_KIND_COUNT] = {JFR_KINDS(KIND)};

#define SHAPE(id, event, weight, thread, ...) \
	{(event), {"stackTrace", (thread), (weight), "contextId", "state"}},

const struct jfr_shape jfr_kind_shapes[JFR_KIND_COUNT + 1] = {
	JFR_KINDS(SHAPE){"jdk.ActiveSetting", {"name", "value", "id"}},
};
