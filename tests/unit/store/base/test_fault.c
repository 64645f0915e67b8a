/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/fault.h"

#include <errno.h>

#include "tests/support/check.h"

static void every_error_has_words(void)
{
	CHECK_STR(fault_text(0), "success");
	CHECK_STR(fault_text(-ENOENT), "No such file or directory");
	CHECK_STR(fault_text(-ENOSPC), "No space left on device");
}

static void what_is_no_error_has_words_too(void)
{
	CHECK_STR(fault_text(-99999), "unknown error");
	CHECK_STR(fault_text(5), "unknown error");
}

int main(void)
{
	RUN(every_error_has_words);
	RUN(what_is_no_error_has_words_too);
	return 0;
}
