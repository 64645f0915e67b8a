/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes behind the first ones of a packed file: it is unpacked or refused, and refused alike a
 * second time. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/file_unpack.h"
#include "tests/fuzz/file_input.h"
#include "tests/fuzz/fuzz.h"

static int unpack(int fd, off_t *ret_end)
{
	SCOPED_FD int to_fd = memfd_create("unpacked", MFD_CLOEXEC);
	int r;

	must(to_fd >= 0);
	r = file_unpack(fd, to_fd);
	*ret_end = lseek(to_fd, 0, SEEK_END);
	must(*ret_end <= (off_t)FILE_UNPACKED_BYTES_MAX);
	return r;
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FD int fd = file_input(bytes, byte_count);
	off_t end, again;
	int r = unpack(fd, &end);

	must(unpack(fd, &again) == r && end == again);
	must(r == 0 || r == -ENOENT || r == -EBADMSG || r == -EFBIG || r == -ENOMEM);
	if (byte_count >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
		must(r == -ENOENT);
}
