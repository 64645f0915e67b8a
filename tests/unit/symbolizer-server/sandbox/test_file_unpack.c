/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/file_unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define BYTE_COUNT 300000

static int unpack(const char *file)
{
	SCOPED_FD int fd = work_open(file);
	SCOPED_FD int to_fd = memfd_create("unpacked", MFD_CLOEXEC);
	char text[4];
	int r;

	CHECK_EQ(read(fd, text, sizeof(text)), (ssize_t)sizeof(text));
	r = file_unpack(fd, to_fd);
	if (r < 0)
		return r;
	CHECK_EQ(lseek(to_fd, 0, SEEK_END), BYTE_COUNT);
	CHECK_EQ(pread(to_fd, text, sizeof(text), BYTE_COUNT - 4), 4);
	CHECK(memcmp(text, "y\ny\n", 4) == 0);
	return 0;
}

static void each_way_is_told_by_its_first_bytes(void)
{
	CHECK_EQ(unpack("y.xz"), 0);
	CHECK_EQ(unpack("y.zst"), 0);
	CHECK_EQ(unpack("y.gz"), 0);
}

static void what_is_not_packed_is_left_alone(void)
{
	CHECK_EQ(unpack("y"), -ENOENT);
	CHECK_EQ(unpack("short"), -ENOENT);
}

static void what_is_cut_off_is_refused(void)
{
	CHECK_EQ(unpack("half.xz"), -EBADMSG);
	CHECK_EQ(unpack("half.zst"), -EBADMSG);
	CHECK_EQ(unpack("half.gz"), -EBADMSG);
}

int main(void)
{
	work_run(
		"yes | head -c %d >y && xz -k y && zstd -q y && gzip -k y && printf 1234 >short && "
		"for way in xz zst gz; do head -c 25 y.$way >half.$way; done",
		BYTE_COUNT);
	RUN(each_way_is_told_by_its_first_bytes);
	RUN(what_is_not_packed_is_left_alone);
	RUN(what_is_cut_off_is_refused);
	return 0;
}
