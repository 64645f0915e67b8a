/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/rpc/rpc_status.h"

#include <errno.h>

#include "tests/support/check.h"

static void every_code_has_a_fault_that_leads_back(void)
{
	for (int code = 0; code <= 16; code++) {
		CHECK_EQ(rpc_status_of_fault(rpc_status_to_fault(code)), code);
		CHECK(code == 2 || strcmp(rpc_status_name(code), "UNKNOWN") != 0);
	}
}

static void faults_of_one_meaning_share_a_code(void)
{
	CHECK_EQ(rpc_status_of_fault(-EBADMSG), rpc_status_of_fault(-EINVAL));
	CHECK_EQ(rpc_status_of_fault(-EPIPE), rpc_status_of_fault(-ENOTCONN));
	CHECK_EQ(rpc_status_of_fault(-ENOSPC), rpc_status_of_fault(-ENOBUFS));
	CHECK_STR(rpc_status_name(rpc_status_of_fault(-ECONNREFUSED)), "UNAVAILABLE");
}

static void what_nobody_knows_is_unknown(void)
{
	CHECK_EQ(rpc_status_of_fault(-12345), 2);
	CHECK_EQ(rpc_status_to_fault(99), -EIO);
	CHECK_EQ(rpc_status_to_fault(-1), -EIO);
	CHECK_STR(rpc_status_name(99), "UNKNOWN");
	CHECK_STR(rpc_status_name(-1), "UNKNOWN");
}

int main(void)
{
	RUN(every_code_has_a_fault_that_leads_back);
	RUN(faults_of_one_meaning_share_a_code);
	RUN(what_nobody_knows_is_unknown);
	return 0;
}
