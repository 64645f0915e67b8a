/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/sink_counter.h"

#include "tests/support/check.h"

static void every_counter_has_a_name_of_its_own_and_a_meaning(void)
{
	for (int i = 0; i < SINK_COUNTER_COUNT; i++) {
		CHECK(strncmp(sink_counter_name((enum sink_counter)i), "sink_", 5) == 0);
		CHECK(strlen(sink_counter_meaning((enum sink_counter)i)) > 5);
		for (int j = 0; j < i; j++)
			CHECK(strcmp(sink_counter_name((enum sink_counter)i),
				      sink_counter_name((enum sink_counter)j)) != 0);
	}
}

int main(void)
{
	RUN(every_counter_has_a_name_of_its_own_and_a_meaning);
	return 0;
}
