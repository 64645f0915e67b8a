/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/file_open.h"

#include <errno.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

/* A full disk, like too large an index, leaves the hope that the symbol
 * tables alone need less room. */
static void errors_become_faults(void)
{
	CHECK_EQ(file_fault(0), SANDBOX_FAULT_NONE);
	CHECK_EQ(file_fault(-ENOMEM), SANDBOX_FAULT_MEMORY);
	CHECK_EQ(file_fault(-EFBIG), SANDBOX_FAULT_WRITE);
	CHECK_EQ(file_fault(-ENOSPC), SANDBOX_FAULT_WRITE);
	CHECK_EQ(file_fault(-EBADMSG), SANDBOX_FAULT_DAMAGED);
	CHECK_EQ(file_fault(-EIO), SANDBOX_FAULT_READ);
}

static enum sandbox_fault describe(const char *file)
{
	const struct sandbox_request request = {.input = SANDBOX_INPUT_ELF};
	SCOPED_FD int fd = work_open(file);
	struct file_facts facts;

	return file_describe(fd, &request, &facts);
}

static void only_a_whole_file_is_described(void)
{
	work_write_text("p.c", "int main(void) { return 0; }\n");
	work_run("gcc -g -o whole p.c && objcopy --only-keep-debug whole debug");
	work_run("head -c $(($(wc -c <whole) - 1)) whole > cut && head -c 100 whole > head");
	work_run(": > empty && head -c 4096 /dev/zero > zeros && echo '<html>' > page");
	CHECK_EQ(describe("whole"), SANDBOX_FAULT_NONE);
	/* Sections whose contents were left out take no room. */
	CHECK_EQ(describe("debug"), SANDBOX_FAULT_NONE);
	CHECK_EQ(describe("cut"), SANDBOX_FAULT_DAMAGED);
	CHECK_EQ(describe("head"), SANDBOX_FAULT_DAMAGED);
	CHECK_EQ(describe("empty"), SANDBOX_FAULT_EMPTY);
	CHECK_EQ(describe("zeros"), SANDBOX_FAULT_ZEROS);
	CHECK_EQ(describe("page"), SANDBOX_FAULT_NOT_ELF);
}

int main(void)
{
	RUN(errors_become_faults);
	RUN(only_a_whole_file_is_described);
	return 0;
}
