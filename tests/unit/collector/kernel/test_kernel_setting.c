/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/kernel_setting.h"

#include "tests/support/check.h"

static void a_number_is_read(void)
{
	CHECK(kernel_setting_read("pid_max", -1) > 300);
}

static void what_is_no_number_or_not_there_is_what_the_caller_says(void)
{
	CHECK_EQ(kernel_setting_read("ostype", -7), -7);
	CHECK_EQ(kernel_setting_read("there_is_no_such_setting", -7), -7);
	CHECK_EQ(kernel_setting_read("", -7), -7);
}

int main(void)
{
	RUN(a_number_is_read);
	RUN(what_is_no_number_or_not_there_is_what_the_caller_says);
	return 0;
}
