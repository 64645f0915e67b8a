/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/file_unpack.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "store/base/deflate.h"
#include "store/base/whole_io.h"
#include "symbolizer-server/sandbox/xz_unpack.h"

#define MAGIC_BYTES_MAX 6

enum way { WAY_NONE, WAY_XZ, WAY_ZSTD, WAY_GZIP };

static const struct {
	enum way way;
	uint8_t magic[MAGIC_BYTES_MAX];
	size_t byte_count;
} ways[] = {
	{WAY_XZ, {0xfd, '7', 'z', 'X', 'Z', 0}, 6},
	{WAY_ZSTD, {0x28, 0xb5, 0x2f, 0xfd}, 4},
	{WAY_GZIP, {0x1f, 0x8b}, 2},
};

static enum way way_of(int fd)
{
	uint8_t head[MAGIC_BYTES_MAX] = {0};

	if (whole_read_at(fd, 0, head, sizeof(head)) < 0)
		return WAY_NONE;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (memcmp(head, ways[i].magic, ways[i].byte_count) == 0)
			return ways[i].way;
	return WAY_NONE;
}

static int read_packed(int fd, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct stat about;
	int r;

	if (fstat(fd, &about) < 0)
		return -errno;
	if (about.st_size <= 0 || (uint64_t)about.st_size > FILE_PACKED_BYTES_MAX)
		return -EFBIG;
	bytes = malloc((size_t)about.st_size);
	if (!bytes)
		return -ENOMEM;
	r = whole_read_at(fd, 0, bytes, (size_t)about.st_size);
	if (r < 0)
		return r;
	*ret_byte_count = (size_t)about.st_size;
	*ret_bytes = TAKE(bytes);
	return 0;
}

static int unpack_gzip(const uint8_t *packed, size_t packed_byte_count, int to_fd)
{
	struct bytes_writer writer;
	int r;

	bytes_writer_init(&writer, FILE_UNPACKED_BYTES_MAX);
	r = gunzip_write(&writer, packed, packed_byte_count);
	if (r == 0)
		r = whole_write(to_fd, writer.bytes, writer.byte_count);
	bytes_writer_done(&writer);
	return r;
}

static int unpack_from_memory(enum way way, int fd, int to_fd)
{
	SCOPED_FREE uint8_t *packed = NULL, *bytes = NULL;
	size_t packed_byte_count = 0, byte_count = 0;
	int r = read_packed(fd, &packed, &packed_byte_count);

	if (r < 0)
		return r;
	if (way == WAY_GZIP)
		return unpack_gzip(packed, packed_byte_count, to_fd);
	r = xz_unpack(packed, packed_byte_count, FILE_UNPACKED_BYTES_MAX, &bytes, &byte_count);
	return r == 0 ? whole_write(to_fd, bytes, byte_count) : r;
}

int file_unpack(int fd, int to_fd)
{
	enum way way = way_of(fd);

	switch (way) {
	case WAY_NONE:
		return -ENOENT;
	case WAY_ZSTD:
		if (lseek(fd, 0, SEEK_SET) < 0)
			return -errno;
		return decompress_file(fd, to_fd, FILE_UNPACKED_BYTES_MAX);
	case WAY_XZ:
	case WAY_GZIP:
		return unpack_from_memory(way, fd, to_fd);
	}
	return -ENOENT;
}
