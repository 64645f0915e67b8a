/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/torture.h"

#include <errno.h>
#include <stdbool.h>

#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"

/* A scenario that never gets through is a bug of the scenario. */
#define ALLOCATION_COUNT_MAX 100000u

struct run {
	const char *name;
	torture_fn scenario;
	void *context;
	bool is_strict;
};

static void check_result(const struct run *run, uint64_t index, int result, bool failed)
{
	bool is_expected = result == (failed ? -ENOMEM : 0);

	if (failed && !run->is_strict)
		is_expected = result == 0 || result == -ENOMEM;
	if (is_expected)
		return;
	fprintf(stderr, "torture: %s gives %d, and its allocation %llu %s\n", run->name, result,
		(unsigned long long)index, failed ? "failed" : "was the last");
	exit(1);
}

/* Gives the number of allocations that failed in turn. */
static uint64_t run_all(const struct run *run, void (*arm)(uint64_t count))
{
	uint64_t count = 0;
	bool failed;

	do {
		int r;

		arm(count);
		r = run->scenario(run->context);
		failed = fail_alloc_never();
		check_result(run, count++, r, failed);
		CHECK(count < ALLOCATION_COUNT_MAX);
	} while (failed);
	return count - 1;
}

void torture_named(
	const char *name, torture_fn scenario, void *context, uint64_t count_min, bool is_strict)
{
	const struct run run = {name, scenario, context, is_strict};
	uint64_t once = run_all(&run, fail_alloc_once);

	if (once < count_min) {
		fprintf(stderr, "torture: %s has %llu allocations, expected %llu\n", name,
			(unsigned long long)once, (unsigned long long)count_min);
		exit(1);
	}
	(void)run_all(&run, fail_alloc_after);
}
