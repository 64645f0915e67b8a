/* SPDX-License-Identifier: Apache-2.0 */
/* A libc that syncs nothing, to be preloaded: what runs with it says "durable" of what is not. The
 * power cut test runs the server so to see that it can fail. */
#include <unistd.h>

int fsync(int fd)
{
	(void)fd;
	return 0;
}

int fdatasync(int fd)
{
	(void)fd;
	return 0;
}

void sync(void)
{
}
