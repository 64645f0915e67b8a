/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/source_fetch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <elfutils/debuginfod.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "symbolizer-server/symbol/debuginfod_steps.h"
#include "symbolizer-server/symbol/source_text.h"

/* A person waits for it. A server that has to unpack a source package first takes about this long. */
#define QUESTION_NS (8 * NS_PER_S)

/* A question takes about 1 KiB for each server and redirect: what is longer goes round in circles. */
#define STEPS_BYTES_MAX (16u << 10)

#define MARK_AGE_S 60
#define PATH_BYTES_MAX 4096

struct question {
	uint64_t until_ns;
	int steps_fd; /* what the library tells of it */
	int given_up; /* 0, or why */
};

/* Called by the library every now and then while it waits; anything but zero gives up. */
static int give_up(debuginfod_client *library, long done, long whole)
{
	struct question *question = debuginfod_get_user_data(library);

	if (done > (long)SOURCE_BYTES_MAX || whole > (long)SOURCE_BYTES_MAX)
		question->given_up = -EFBIG;
	else if (clock_monotonic_ns() > question->until_ns)
		question->given_up = -ETIMEDOUT;
	else if (lseek(question->steps_fd, 0, SEEK_CUR) > (off_t)STEPS_BYTES_MAX)
		question->given_up = -ELOOP;
	return question->given_up != 0;
}

static int read_all(int fd, char **ret_text, size_t *ret_byte_count)
{
	SCOPED_FREE char *text = malloc(SOURCE_BYTES_MAX + 1);
	size_t byte_count = 0;
	ssize_t got = 1;
	char *shorter;

	if (!text)
		return -ENOMEM;
	while (got > 0 && byte_count <= SOURCE_BYTES_MAX) {
		got = pread(fd, text + byte_count, SOURCE_BYTES_MAX + 1 - byte_count,
			(off_t)byte_count);
		byte_count += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		return -EIO;
	if (byte_count > SOURCE_BYTES_MAX)
		return -EFBIG;
	shorter = realloc(text, byte_count + 1);
	if (!shorter)
		return -ENOMEM;
	(void)TAKE(text);
	*ret_text = shorter;
	*ret_byte_count = byte_count;
	return 0;
}

/* Whether "not found" is what no server said. STEPS_FD holds what the library told of the question. */
static bool was_failure(int steps_fd)
{
	char text[STEPS_BYTES_MAX];
	ssize_t got = pread(steps_fd, text, sizeof(text), 0);
	struct debuginfod_steps steps;

	debuginfod_steps_read(text, got > 0 ? (size_t)got : 0, &steps);
	return debuginfod_steps_are_failure(&steps);
}

/* For what it does not find, the library makes an empty file in the folder of the build, and asks
 * again all the same (see debuginfod_source.c). Young ones may be files that are just begun. */
static void sweep(const char *folder, const struct build_id *id)
{
	char path[PATH_BYTES_MAX], id_text[BUILD_ID_TEXT_MAX];
	const struct dirent *entry;
	struct stat about;
	int length;
	DIR *dir;

	build_id_format(id, id_text);
	length = snprintf(path, sizeof(path), "%s/%s", folder, id_text);
	dir = length > 0 && (size_t)length < sizeof(path) ? opendir(path) : NULL;
	if (!dir)
		return;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): each thread reads a directory of its own. */
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, "source", strlen("source")) == 0 &&
			fstatat(dirfd(dir), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
			about.st_size == 0 && about.st_mtime + MARK_AGE_S < time(NULL))
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	closedir(dir);
}

int source_fetch(void *context, const struct build_id *id, const char *path, char **ret_text,
	size_t *ret_byte_count)
{
	struct question question = {.until_ns = clock_monotonic_ns() + QUESTION_NS};
	SCOPED_FD int steps_fd = memfd_create("steps", MFD_CLOEXEC);
	SCOPED_FREE char *file = NULL;
	SCOPED_FD int fd = -1;
	debuginfod_client *library;

	if (steps_fd < 0)
		return -errno;
	question.steps_fd = steps_fd;
	library = debuginfod_begin();
	if (!library)
		return -ENOMEM;
	/* Without a descriptor the library writes to none, and the C library loses memory by that. */
	debuginfod_set_verbose_fd(library, steps_fd);
	sweep(context, id);
	debuginfod_set_user_data(library, &question);
	debuginfod_set_progressfn(library, give_up);
	fd = debuginfod_find_source(library, id->bytes, id->byte_count, path, &file);
	debuginfod_end(library);
	/* What was given up looks like "not found". */
	if (question.given_up != 0)
		return question.given_up;
	if (fd == -ENOENT && was_failure(steps_fd))
		return -EREMOTEIO;
	if (fd < 0)
		return fd;
	/* The text is what is kept. */
	if (file)
		unlink(file);
	return read_all(fd, ret_text, ret_byte_count);
}
