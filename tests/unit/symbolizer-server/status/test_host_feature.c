/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/host_feature.h"

#include "tests/support/check.h"

static void each_of_the_list_tells_what_is_lost(void)
{
	CHECK_EQ(host_feature_rank("task_records"), 0);
	CHECK(host_feature_rank("kernel_symbols") > host_feature_rank("mapped_files"));
	CHECK_STR(host_feature_loss(host_feature_rank("kernel_symbols")),
		"kernel frames stay absolute addresses");
}

static void one_of_a_newer_collector_is_no_fault(void)
{
	CHECK_EQ(host_feature_rank("tea"), HOST_FEATURE_UNKNOWN);
	CHECK_EQ(host_feature_rank(""), HOST_FEATURE_UNKNOWN);
	CHECK_STR(host_feature_loss(HOST_FEATURE_UNKNOWN), "");
}

int main(void)
{
	RUN(each_of_the_list_tells_what_is_lost);
	RUN(one_of_a_newer_collector_is_no_fault);
	return 0;
}
