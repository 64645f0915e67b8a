/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/collector_feature.h"

#include "tests/support/check.h"

static void each_of_the_list_tells_what_is_lost(void)
{
	CHECK_EQ(feature_rank("task_records"), 0);
	CHECK(feature_rank("kernel_symbols") > feature_rank("mapped_files"));
	CHECK_STR(feature_loss(feature_rank("kernel_symbols")),
		"kernel frames stay absolute addresses");
}

static void one_of_a_newer_collector_is_no_fault(void)
{
	CHECK_EQ(feature_rank("tea"), FEATURE_UNKNOWN);
	CHECK_EQ(feature_rank(""), FEATURE_UNKNOWN);
	CHECK_STR(feature_loss(FEATURE_UNKNOWN), "");
}

int main(void)
{
	RUN(each_of_the_list_tells_what_is_lost);
	RUN(one_of_a_newer_collector_is_no_fault);
	return 0;
}
