/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/gzip.h"

#include <errno.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static void gunzip_gives_back_what_went_in(void)
{
	size_t byte_count = 300000, got_count;
	SCOPED_FREE uint8_t *bytes = malloc(byte_count), *got = NULL;
	struct bytes_writer writer;

	CHECK(bytes);
	for (size_t i = 0; i < byte_count; i++)
		bytes[i] = (uint8_t)(i * i / 77);
	bytes_writer_init(&writer, byte_count);
	CHECK_EQ(gzip_write(&writer, bytes, byte_count), 0);
	work_write("it.gz", writer.bytes, writer.byte_count);
	work_run("gzip -d it.gz");
	got = work_read("it", &got_count);
	CHECK_EQ(got_count, byte_count);
	CHECK(memcmp(got, bytes, byte_count) == 0);
	bytes_writer_done(&writer);
}

static void what_gets_no_smaller_is_refused(void)
{
	uint8_t bytes[64];
	struct bytes_writer writer;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 73);
	bytes_writer_init(&writer, sizeof(bytes));
	CHECK_EQ(gzip_write(&writer, bytes, sizeof(bytes)), -EFBIG);
	bytes_writer_done(&writer);
}

int main(void)
{
	RUN(gunzip_gives_back_what_went_in);
	RUN(what_gets_no_smaller_is_refused);
	return 0;
}
