/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/whole_io.h"

#include <errno.h>
#include <unistd.h>

int whole_read_at(int fd, uint64_t offset, void *ret_bytes, size_t byte_count)
{
	uint8_t *to = ret_bytes;

	while (byte_count > 0) {
		ssize_t got = pread(fd, to, byte_count, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EBADMSG;
		to += got;
		offset += (uint64_t)got;
		byte_count -= (size_t)got;
	}
	return 0;
}

int whole_write(int fd, const void *bytes, size_t byte_count)
{
	const uint8_t *from = bytes;

	while (byte_count > 0) {
		ssize_t put = write(fd, from, byte_count);

		if (put < 0 && errno == EINTR)
			continue;
		/* A write of nothing that is no error would be tried for ever. */
		if (put <= 0)
			return put < 0 ? -errno : -EIO;
		from += put;
		byte_count -= (size_t)put;
	}
	return 0;
}
