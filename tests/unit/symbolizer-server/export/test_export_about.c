/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/export_about.h"

#include "tests/support/check.h"

static void a_type_has_five_parts(void)
{
	static const char *const parts[] = {"process_cpu", "cpu", "nanoseconds", "period", "ns"};

	for (int i = 0; i < 5; i++) {
		size_t length;
		const char *part = export_type_part(
			"process_cpu:cpu:nanoseconds:period:ns", (enum type_part)i, &length);

		CHECK_EQ(length, strlen(parts[i]));
		CHECK(strncmp(part, parts[i], length) == 0);
	}
}

static void parts_may_be_empty_or_missing(void)
{
	size_t length;

	export_type_part("a:b:c::", TYPE_PERIOD, &length);
	CHECK_EQ(length, 0);
	export_type_part("a:b", TYPE_PERIOD_UNIT, &length);
	CHECK_EQ(length, 0);
}

int main(void)
{
	RUN(a_type_has_five_parts);
	RUN(parts_may_be_empty_or_missing);
	return 0;
}
