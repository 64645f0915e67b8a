/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/nameless_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static void what_is_written_can_be_read_and_has_no_name(void)
{
	SCOPED_FD int folder = open(work_path("folder"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	SCOPED_FD int one = nameless_file_open(folder), other = nameless_file_open(folder);
	struct stat about;
	char text[8] = "";

	CHECK(one >= 0 && other >= 0 && one != other);
	CHECK_EQ(write(one, "one", 3), 3);
	CHECK_EQ(write(other, "two", 3), 3);
	CHECK_EQ(pread(one, text, sizeof(text), 0), 3);
	CHECK(memcmp(text, "one", 3) == 0);
	CHECK_EQ(fstat(one, &about), 0);
	CHECK_EQ(about.st_nlink, 0);
	CHECK(fcntl(one, F_GETFD) & FD_CLOEXEC);
	work_run("test -z \"$(ls -A folder)\"");
}

static void without_a_folder_there_is_none(void)
{
	CHECK(nameless_file_open(-1) < 0);
}

int main(void)
{
	work_run("mkdir folder");
	RUN(what_is_written_can_be_read_and_has_no_name);
	RUN(without_a_folder_there_is_none);
	return 0;
}
