/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/nameless_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "store/base/clock.h"

int nameless_file_open(int folder_fd)
{
	char name[32];
	int fd = openat(folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd < 0 ? -errno : fd;
	/* Not every file system knows how to make one: then its name is taken away at once. */
	snprintf(name, sizeof(name), ".work-%016" PRIx64, clock_monotonic_ns());
	fd = openat(folder_fd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	unlinkat(folder_fd, name, 0);
	return fd;
}
