/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/deflate.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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
	CHECK_EQ(deflate_write_gzip(&writer, bytes, byte_count), 0);
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
	CHECK_EQ(deflate_write_gzip(&writer, bytes, sizeof(bytes)), -EFBIG);
	bytes_writer_done(&writer);
}

/* "abc" as a zlib stream of one stored block. */
static const uint8_t stream[] = {
	0x78, 0x01, 0x01, 0x03, 0x00, 0xfc, 0xff, 'a', 'b', 'c', 0x02, 0x4d, 0x01, 0x27};

static void a_stream_of_a_known_size_is_unpacked(void)
{
	char to[4] = {0};

	CHECK_EQ(inflate_exactly(stream, sizeof(stream), to, 3), 0);
	CHECK_STR(to, "abc");
	CHECK_EQ(inflate_exactly(stream, sizeof(stream) - 4, to, 3), 0);
}

static void any_other_stream_is_refused(void)
{
	char to[4];

	CHECK_EQ(inflate_exactly(stream, sizeof(stream), to, 4), -EBADMSG);
	CHECK_EQ(inflate_exactly(stream, 9, to, 3), -EBADMSG);
	CHECK_EQ(inflate_exactly(stream + 1, sizeof(stream) - 1, to, 3), -EBADMSG);
}

static void a_stream_is_unpacked_into_a_file(void)
{
	SCOPED_FD int fd = memfd_create("to", MFD_CLOEXEC), closed = open("/dev/null", O_RDONLY);
	char to[8] = {0};

	CHECK_EQ(inflate_write(stream, sizeof(stream), fd, 3), 0);
	CHECK_EQ(inflate_write(stream, sizeof(stream) - 4, fd, 3), 0);
	CHECK_EQ(inflate_write(stream, sizeof(stream), fd, 0), 0);
	CHECK_EQ(pread(fd, to, sizeof(to), 0), 6);
	CHECK_STR(to, "abcabc");
	CHECK_EQ(inflate_write(stream, sizeof(stream), fd, 2), -EBADMSG);
	CHECK_EQ(inflate_write(stream, sizeof(stream), fd, 4), -EBADMSG);
	CHECK_EQ(inflate_write(stream, 9, fd, 3), -EBADMSG);
	CHECK_EQ(inflate_write(stream, sizeof(stream), closed, 3), -EBADF);
}

static void how_long_it_will_be_is_known_without_its_memory(void)
{
	static uint8_t zeros[200000];
	struct bytes_writer packed;
	size_t length = 7;

	bytes_writer_init(&packed, 100000);
	CHECK_EQ(deflate_write_gzip(&packed, zeros, sizeof(zeros)), 0);
	CHECK_EQ(
		gunzip_length(packed.bytes, packed.byte_count, sizeof(zeros) - 1, &length), -EFBIG);
	CHECK_EQ(gunzip_length(packed.bytes, packed.byte_count - 9, sizeof(zeros), &length),
		-EBADMSG);
	CHECK_EQ(length, 7);
	CHECK_EQ(gunzip_length(packed.bytes, packed.byte_count, sizeof(zeros), &length), 0);
	CHECK_EQ(length, sizeof(zeros));
	/* All members together. */
	CHECK_EQ(deflate_write_gzip(&packed, zeros, 1000), 0);
	CHECK_EQ(gunzip_length(packed.bytes, packed.byte_count, sizeof(zeros) + 999, &length),
		-EFBIG);
	CHECK_EQ(gunzip_length(packed.bytes, packed.byte_count, SIZE_MAX, &length), 0);
	CHECK_EQ(length, sizeof(zeros) + 1000);
	bytes_writer_done(&packed);
}

int main(void)
{
	RUN(gunzip_gives_back_what_went_in);
	RUN(what_gets_no_smaller_is_refused);
	RUN(a_stream_of_a_known_size_is_unpacked);
	RUN(any_other_stream_is_refused);
	RUN(a_stream_is_unpacked_into_a_file);
	RUN(how_long_it_will_be_is_known_without_its_memory);
	return 0;
}
