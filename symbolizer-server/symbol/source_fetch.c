/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/source_fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <elfutils/debuginfod.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "symbolizer-server/symbol/source_text.h"

/* A person waits for it. A server that has to unpack a source package first takes about this long. */
#define QUESTION_NS (8 * NS_PER_S)

struct question {
	uint64_t until_ns;
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

int source_fetch(void *context, const struct build_id *id, const char *path, char **ret_text,
	size_t *ret_byte_count)
{
	struct question question = {.until_ns = clock_monotonic_ns() + QUESTION_NS};
	debuginfod_client *library = debuginfod_begin();
	SCOPED_FREE char *file = NULL;
	SCOPED_FD int fd = -1;

	(void)context;
	if (!library)
		return -ENOMEM;
	debuginfod_set_user_data(library, &question);
	debuginfod_set_progressfn(library, give_up);
	fd = debuginfod_find_source(library, id->bytes, id->byte_count, path, &file);
	debuginfod_end(library);
	/* What was given up looks like "not found". */
	if (question.given_up != 0)
		return question.given_up;
	if (fd < 0)
		return fd;
	/* The text is what is kept. */
	if (file)
		unlink(file);
	return read_all(fd, ret_text, ret_byte_count);
}
