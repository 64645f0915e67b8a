/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/file_budget.h"

#include <errno.h>

#include "tests/support/check.h"

static void no_connection_finds_no_descriptor(void)
{
	struct file_budget budget;

	for (uint64_t limit = FILE_BUDGET_MIN; limit < 20000; limit++) {
		CHECK_EQ(file_budget_divide(limit, &budget), 0);
		CHECK(FILE_BUDGET_OWN + budget.http_connections + budget.grpc_connections <= limit);
		CHECK(budget.http_connections >= 12 && budget.grpc_connections >= 50);
	}
	CHECK(budget.is_whole);
}

static void above_all_that_is_needed_more_makes_no_difference(void)
{
	struct file_budget budget, huge;

	CHECK_EQ(file_budget_divide(16384, &budget), 0);
	CHECK_EQ(file_budget_divide(UINT64_MAX, &huge), 0);
	CHECK_EQ(budget.http_connections, huge.http_connections);
	CHECK_EQ(budget.grpc_connections, huge.grpc_connections);
	CHECK(huge.is_whole);
	CHECK_EQ(file_budget_divide(1024, &budget), 0);
	CHECK(!budget.is_whole);
}

static void too_few_are_refused(void)
{
	struct file_budget budget = {.http_connections = 7};

	CHECK_EQ(file_budget_divide(FILE_BUDGET_MIN - 1, &budget), -EMFILE);
	CHECK_EQ(file_budget_divide(0, &budget), -EMFILE);
	CHECK_EQ(budget.http_connections, 7);
}

int main(void)
{
	RUN(no_connection_finds_no_descriptor);
	RUN(above_all_that_is_needed_more_makes_no_difference);
	RUN(too_few_are_refused);
	return 0;
}
