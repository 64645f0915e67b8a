/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_kind.h"

#include "tests/support/check.h"

static void the_list_is_whole(void)
{
	CHECK_EQ(JFR_KIND_COUNT, 9);
	CHECK_STR(jfr_kind_shapes[JFR_KIND_EXECUTION].class_name, "jdk.ExecutionSample");
	CHECK_STR(jfr_kind_shapes[JFR_KIND_WALL].class_name, "profiler.WallClockSample");
	CHECK_STR(jfr_kind_shapes[JFR_KIND_COUNT].class_name, "jdk.ActiveSetting");
	for (uint32_t i = 0; i < JFR_KIND_COUNT; i++) {
		bool asks = jfr_kind_shapes[i].fields[JFR_EVENT_WEIGHT][0] != '\0';

		CHECK_EQ(jfr_kinds[i].is_weighed, asks);
		CHECK_STR(jfr_kind_shapes[i].fields[JFR_EVENT_STACK], "stackTrace");
	}
}

/* What a kind measures is what its unit says. */
static void units_are_those_of_the_measures(void)
{
	for (uint32_t i = 0; i < JFR_KIND_COUNT * JFR_KIND_TYPE_COUNT; i++) {
		const struct jfr_kind_type *type = &jfr_kinds[i / 2].types[i % 2];
		const char *unit = type->measure == JFR_MEASURE_ONE ? ":count:"
			: type->measure == JFR_MEASURE_WEIGHT	    ? ":bytes:"
								    : ":nanoseconds:";

		CHECK(type->measure == JFR_MEASURE_NONE || strstr(type->type, unit));
	}
}

int main(void)
{
	RUN(the_list_is_whole);
	RUN(units_are_those_of_the_measures);
	return 0;
}
