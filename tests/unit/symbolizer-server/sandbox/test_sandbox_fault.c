/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/sandbox_fault.h"

#include "tests/support/check.h"

static void every_fault_is_its_own_exit_status(void)
{
#define CHECK_FAULT(name, status, text)                                  \
	CHECK_EQ(sandbox_fault_of_status(status), SANDBOX_FAULT_##name); \
	CHECK_STR(sandbox_fault_text(SANDBOX_FAULT_##name), text);
	SANDBOX_FAULTS(CHECK_FAULT)
#undef CHECK_FAULT
}

static void an_unknown_status_is_a_crash(void)
{
	CHECK_EQ(sandbox_fault_of_status(1), SANDBOX_FAULT_CRASHED);
	CHECK_EQ(sandbox_fault_of_status(127), SANDBOX_FAULT_CRASHED);
	CHECK_STR(sandbox_fault_text((enum sandbox_fault)77), "an unknown fault");
}

int main(void)
{
	RUN(every_fault_is_its_own_exit_status);
	RUN(an_unknown_status_is_a_crash);
	return 0;
}
