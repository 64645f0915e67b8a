/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/stop.h"

#include "tests/support/check.h"

static void each_reason_has_text(void)
{
	for (int i = 0; i < STOP_MAX; i++) {
		CHECK(stop_name((enum stop)i)[0] != '\0');
		CHECK(stop_words((enum stop)i)[0] != '\0');
		CHECK(stop_meaning((enum stop)i)[0] != '\0');
	}
	CHECK_STR(stop_name(STOP_complete), "complete");
	CHECK_STR(stop_words(STOP_bad_frame_pointer), "bad frame pointer");
	CHECK_STR(stop_name(STOP_refused), "refused");
}

static void what_is_no_reason_is_unknown(void)
{
	CHECK_STR(stop_name(STOP_MAX), "unknown");
	CHECK_STR(stop_words((enum stop)200), "unknown");
	CHECK_STR(stop_meaning((enum stop) - 1), "unknown");
}

int main(void)
{
	RUN(each_reason_has_text);
	RUN(what_is_no_reason_is_unknown);
	return 0;
}
