/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/identity.h"

#include "tests/support/check.h"

static void two_runs_are_two_instances_on_one_host(void)
{
	struct identity one, two;

	CHECK_EQ(identity_read(&one), 0);
	CHECK_EQ(identity_read(&two), 0);
	CHECK(memcmp(one.instance, two.instance, sizeof(one.instance)) != 0);
	CHECK(one.random_seed != two.random_seed);
	CHECK_STR(one.boot_id, two.boot_id);
	CHECK_EQ(strlen(one.boot_id), 36);
	CHECK(one.kernel_release[0] != '\0');
	CHECK(!strchr(one.machine_id, '\n'));
}

int main(void)
{
	RUN(two_runs_are_two_instances_on_one_host);
	return 0;
}
