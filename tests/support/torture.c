/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/torture.h"

#include <errno.h>
#include <stdbool.h>

#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"

/* A scenario that never gets through is a bug of the scenario. */
#define ALLOCATION_COUNT_MAX 100000u

static uint64_t run_all(
	torture_fn scenario, void *context, void (*arm)(uint64_t count), bool is_strict)
{
	uint64_t count = 0;
	bool failed;

	do {
		int r;

		arm(count++);
		r = scenario(context);
		failed = fail_alloc_never();
		if (is_strict || !failed)
			CHECK_EQ(r, failed ? -ENOMEM : 0);
		else
			CHECK(r == 0 || r == -ENOMEM);
		CHECK(count < ALLOCATION_COUNT_MAX);
	} while (failed);
	return count - 1;
}

void torture(torture_fn scenario, void *context, uint64_t count_min)
{
	CHECK(run_all(scenario, context, fail_alloc_once, true) >= count_min);
	CHECK(run_all(scenario, context, fail_alloc_after, true) >= count_min);
}

void torture_tolerant(torture_fn scenario, void *context, uint64_t count_min)
{
	CHECK(run_all(scenario, context, fail_alloc_once, false) >= count_min);
	CHECK(run_all(scenario, context, fail_alloc_after, false) >= count_min);
}
