/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/kernel_thread.h"

#include "tests/support/check.h"

static void expect(const char *comm, const char *expected)
{
	char name[KERNEL_THREAD_NAME_BYTES];

	kernel_thread_name(comm, name);
	CHECK_STR(name, expected);
}

static void threads_of_a_kind_have_one_name(void)
{
	expect("kworker/0:1", "[kworker]");
	expect("kworker/u8:3", "[kworker]");
	expect("ksoftirqd/3", "[ksoftirqd]");
	expect("swapper/0", "[swapper]");
	expect("kswapd0", "[kswapd]");
	expect("jbd2/sda1-8", "[jbd2]");
	expect("scsi_eh_0", "[scsi_eh]");
	expect("vhost-1234", "[vhost]");
	expect("rcu_preempt", "[rcu_preempt]");
	expect("kthreadd", "[kthreadd]");
}

static void odd_names_stay_whole(void)
{
	expect("1234", "[1234]");
	expect("/x", "[/x]");
	expect("", "[]");
	expect("exactly15bytesx", "[exactly15bytesx]");
}

int main(void)
{
	RUN(threads_of_a_kind_have_one_name);
	RUN(odd_names_stay_whole);
	return 0;
}
