/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/xz_unpack.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define BYTE_COUNT 3000000

static int unpack(const char *file, size_t less, size_t bytes_max, size_t *ret_byte_count)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *packed = work_read(file, &byte_count), *bytes = NULL;
	int r = xz_unpack(packed, byte_count - less, bytes_max, &bytes, ret_byte_count);

	for (size_t i = 0; r == 0 && i < *ret_byte_count; i++)
		CHECK(bytes[i] == 'y' || bytes[i] == '\n');
	return r;
}

static void a_stream_comes_out_whole(void)
{
	size_t byte_count;

	CHECK_EQ(unpack("y.xz", 0, BYTE_COUNT, &byte_count), 0);
	CHECK_EQ(byte_count, BYTE_COUNT);
	CHECK_EQ(unpack("nothing.xz", 0, BYTE_COUNT, &byte_count), 0);
	CHECK_EQ(byte_count, 0);
}

static void what_is_too_long_cut_off_or_something_else_is_refused(void)
{
	size_t byte_count;

	CHECK_EQ(unpack("y.xz", 0, BYTE_COUNT - 1, &byte_count), -EFBIG);
	CHECK_EQ(unpack("y.xz", 1, 2 * BYTE_COUNT, &byte_count), -EBADMSG);
	CHECK_EQ(unpack("y", 0, BYTE_COUNT, &byte_count), -EBADMSG);
}

int main(void)
{
	work_run("yes | head -c %d >y && xz -k y && : >nothing && xz nothing", BYTE_COUNT);
	RUN(a_stream_comes_out_whole);
	RUN(what_is_too_long_cut_off_or_something_else_is_refused);
	return 0;
}
