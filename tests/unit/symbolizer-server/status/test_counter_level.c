/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/counter_level.h"

#include "tests/support/check.h"

static void levels_end_with_now(void)
{
	CHECK(counter_is_level("batches that wait, now"));
	CHECK(!counter_is_level("batches now lost"));
	CHECK(!counter_is_level(", now"));
	CHECK(!counter_is_level(""));
}

int main(void)
{
	RUN(levels_end_with_now);
	return 0;
}
