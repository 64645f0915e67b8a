/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/whole_io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"

/* More than a pipe holds, so that one write can't take it all. */
#define LARGE_BYTES ((size_t)1 << 20)

static void what_was_written_reads_back_from_any_offset(void)
{
	SCOPED_FD int fd = memfd_create("whole_io", MFD_CLOEXEC);
	char text[6];

	CHECK_EQ(whole_write(fd, "cairn stone", 11), 0);
	CHECK_EQ(whole_read_at(fd, 6, text, 5), 0);
	text[5] = '\0';
	CHECK_STR(text, "stone");
	CHECK_EQ(whole_read_at(fd, 11, text, 0), 0);
}

static void a_file_that_ends_early_is_a_bad_message(void)
{
	SCOPED_FD int fd = memfd_create("whole_io", MFD_CLOEXEC);
	char text[6];

	CHECK_EQ(whole_write(fd, "cairn", 5), 0);
	CHECK_EQ(whole_read_at(fd, 0, text, 6), -EBADMSG);
	CHECK_EQ(whole_read_at(fd, 99, text, 1), -EBADMSG);
}

static void errors_of_the_descriptor_come_back(void)
{
	SCOPED_FD int read_only = open("/dev/null", O_RDONLY | O_CLOEXEC);
	SCOPED_FD int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	char byte;

	CHECK_EQ(whole_write(read_only, "x", 1), -EBADF);
	CHECK_EQ(whole_write(full, "x", 1), -ENOSPC);
	CHECK_EQ(whole_read_at(full, 0, &byte, 1), -EBADF);
}

static void *drain_slowly(void *context)
{
	const int *fd = context;
	static char part[4096];
	size_t byte_count = 0;
	ssize_t got;

	while ((got = read(*fd, part, sizeof(part))) > 0)
		byte_count += (size_t)got;
	CHECK_EQ(byte_count, LARGE_BYTES);
	return NULL;
}

static void a_write_longer_than_a_pipe_goes_out_whole(void)
{
	SCOPED_FREE char *bytes = calloc(1, LARGE_BYTES);
	pthread_t reader;
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	CHECK_EQ(pthread_create(&reader, NULL, drain_slowly, &ends[0]), 0);
	CHECK_EQ(whole_write(ends[1], bytes, LARGE_BYTES), 0);
	close(ends[1]);
	CHECK_EQ(pthread_join(reader, NULL), 0);
	close(ends[0]);
}

int main(void)
{
	RUN(what_was_written_reads_back_from_any_offset);
	RUN(a_file_that_ends_early_is_a_bad_message);
	RUN(errors_of_the_descriptor_come_back);
	RUN(a_write_longer_than_a_pipe_goes_out_whole);
	return 0;
}
