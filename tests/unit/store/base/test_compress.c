/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/compress.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/check.h"

static void check_round_trip(const uint8_t *bytes, size_t byte_count)
{
	uint8_t *packed, *unpacked;
	size_t packed_count, unpacked_count;

	CHECK_EQ(compress_bytes(bytes, byte_count, 3, &packed, &packed_count), 0);
	CHECK_EQ(decompress_bytes(packed, packed_count, byte_count, &unpacked, &unpacked_count), 0);
	CHECK_EQ(unpacked_count, byte_count);
	CHECK(byte_count == 0 || memcmp(unpacked, bytes, byte_count) == 0);
	free(packed);
	free(unpacked);
}

static void what_is_compressed_decompresses(void)
{
	static uint8_t bytes[300000];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i >> 7);
	check_round_trip(bytes, sizeof(bytes));
	check_round_trip(bytes, 1);
	check_round_trip(bytes, 0);
	check_round_trip(NULL, 0);
}

static void more_than_allowed_is_refused_before_it_is_made(void)
{
	static const uint8_t zeros[1 << 20];
	uint8_t *packed, *unpacked = NULL;
	size_t packed_count, unpacked_count;

	CHECK_EQ(compress_bytes(zeros, sizeof(zeros), 3, &packed, &packed_count), 0);
	CHECK(packed_count < 200);
	CHECK_EQ(decompress_bytes(
			 packed, packed_count, sizeof(zeros) - 1, &unpacked, &unpacked_count),
		-EFBIG);
	CHECK(!unpacked);
	free(packed);
}

static void damaged_frames_are_refused(void)
{
	static const uint8_t text[] = "stone upon stone upon stone upon stone upon stone";
	uint8_t *packed, *unpacked = NULL;
	size_t packed_count, unpacked_count;

	CHECK_EQ(compress_bytes(text, sizeof(text), 3, &packed, &packed_count), 0);
	for (size_t length = 0; length < packed_count; length++)
		CHECK_EQ(decompress_bytes(packed, length, 1000, &unpacked, &unpacked_count),
			-EBADMSG);
	packed[0] ^= 1;
	CHECK_EQ(
		decompress_bytes(packed, packed_count, 1000, &unpacked, &unpacked_count), -EBADMSG);
	CHECK(!unpacked);
	free(packed);
}

/* A frame as a stream writes it, which does not say how long its content is. */
static void a_frame_of_unknown_size_is_refused(void)
{
	static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x09, 0x00, 0x00, 'x'};
	uint8_t *unpacked;
	size_t unpacked_count;

	CHECK_EQ(
		decompress_bytes(frame, sizeof(frame), 1000, &unpacked, &unpacked_count), -EBADMSG);
}

static int memory_file(const uint8_t *bytes, size_t byte_count)
{
	int fd = memfd_create("compress", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, bytes, byte_count), byte_count);
	CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* Unpacks BYTE_COUNT bytes of a file and answers what came of it and how much came out. */
static int unpack(const uint8_t *bytes, size_t byte_count, uint64_t bytes_max, off_t *ret_length)
{
	int from_fd = memory_file(bytes, byte_count), to_fd = memory_file(NULL, 0);
	int r = decompress_file(from_fd, to_fd, bytes_max);

	*ret_length = lseek(to_fd, 0, SEEK_END);
	close(from_fd);
	close(to_fd);
	return r;
}

static void files_are_unpacked_up_to_a_limit(void)
{
	static uint8_t bytes[1000000];
	uint8_t *packed;
	size_t packed_count;
	off_t length;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i >> 9);
	CHECK_EQ(compress_bytes(bytes, sizeof(bytes), 1, &packed, &packed_count), 0);
	CHECK_EQ(unpack(packed, packed_count, sizeof(bytes), &length), 0);
	CHECK_EQ(length, sizeof(bytes));
	CHECK_EQ(unpack(packed, packed_count, sizeof(bytes) - 1, &length), -EFBIG);
	CHECK(length < (off_t)sizeof(bytes));
	CHECK_EQ(unpack(packed, packed_count - 1, sizeof(bytes), &length), -EBADMSG);
	CHECK_EQ(unpack(packed, 0, sizeof(bytes), &length), -EBADMSG);
	packed[0] ^= 1;
	CHECK_EQ(unpack(packed, packed_count, sizeof(bytes), &length), -EBADMSG);
	CHECK_EQ(length, 0);
	free(packed);
}

static void a_frame_is_unpacked_into_a_file(void)
{
	int fd = memfd_create("to", MFD_CLOEXEC);
	uint8_t *bytes = calloc(1, 300000), *packed, got[8];
	size_t packed_count;

	CHECK(bytes && fd >= 0);
	bytes[299999] = 7;
	CHECK_EQ(compress_bytes(bytes, 300000, 3, &packed, &packed_count), 0);
	CHECK_EQ(decompress_write(packed, packed_count, fd, 300000), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 300000);
	CHECK_EQ(pread(fd, got, sizeof(got), 299999), 1);
	CHECK_EQ(got[0], 7);
	CHECK_EQ(decompress_write(packed, packed_count, fd, 299999), -EBADMSG);
	CHECK_EQ(decompress_write(packed, packed_count, fd, 300001), -EBADMSG);
	CHECK_EQ(decompress_write(packed, packed_count - 1, fd, 300000), -EBADMSG);
	CHECK_EQ(decompress_write(bytes, 100, fd, 100), -EBADMSG);
	free(packed);
	free(bytes);
	close(fd);
}

int main(void)
{
	RUN(what_is_compressed_decompresses);
	RUN(more_than_allowed_is_refused_before_it_is_made);
	RUN(damaged_frames_are_refused);
	RUN(a_frame_of_unknown_size_is_refused);
	RUN(files_are_unpacked_up_to_a_limit);
	RUN(a_frame_is_unpacked_into_a_file);
	return 0;
}
