/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/parts.h"

#include "tests/support/check.h"

static void a_part_that_does_not_work_says_why(void)
{
	struct parts parts = {{{0}}};

	parts_switch_off(&parts, PART_kernel_symbols, "%s is missing", "CAP_SYSLOG");
	CHECK_STR(parts.reasons[PART_kernel_symbols], "CAP_SYSLOG is missing");
	CHECK_STR(parts.reasons[PART_processes], "");
	parts_switch_off(&parts, PART_kernel_symbols, "other");
	CHECK_STR(parts.reasons[PART_kernel_symbols], "other");
}

static void every_part_has_a_name_and_a_loss(void)
{
	for (int i = 0; i < PART_MAX; i++) {
		CHECK(part_name((enum part)i)[0] != '\0');
		CHECK(part_loss((enum part)i)[0] != '\0');
	}
}

int main(void)
{
	RUN(a_part_that_does_not_work_says_why);
	RUN(every_part_has_a_name_and_a_loss);
	return 0;
}
