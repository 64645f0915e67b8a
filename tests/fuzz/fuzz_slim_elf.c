/* SPDX-License-Identifier: Apache-2.0 */
/* Any file either is refused, or has a slim form of exactly the size that was told, never larger
 * than itself by more than its headers, with the same build-ID and the same segments; a slim
 * file that has a slim form is it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/upload/slim_elf.h"
#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/elf/elf_image.h"
#include "store/elf/elf_note.h"
#include "tests/fuzz/file_input.h"
#include "tests/fuzz/fuzz.h"

#define FILE_BYTES_MAX ((size_t)256 << 10)

static int make_slim(int fd, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	struct slim_elf slim;
	uint8_t *bytes;
	size_t length = 0;
	ssize_t got;
	int r = slim_elf_init(&slim, fd);

	if (r < 0)
		return r;
	must(slim.byte_count <= 2 * FILE_BYTES_MAX);
	bytes = malloc(slim.byte_count + 1);
	must(bytes);
	/* An odd number, so that reads end anywhere. */
	while ((got = slim_elf_read(&slim, bytes + length,
			slim.byte_count - length < 997 ? slim.byte_count - length : 997)) > 0)
		length += (size_t)got;
	must(got < 0 || length == slim.byte_count);
	slim_elf_done(&slim);
	if (got < 0) {
		free(bytes);
		return (int)got;
	}
	*ret_bytes = bytes;
	*ret_byte_count = length;
	return 0;
}

static void check_image(int fd, int slim_fd)
{
	struct image one, other;

	must(image_open(fd, false, &one) == 0);
	must(image_open(slim_fd, false, &other) == 0);
	must(one.segment_count == other.segment_count && one.type == other.type);
	image_done(&one);
	image_done(&other);
}

static void check_ids(int fd, int slim_fd)
{
	struct build_id id, slim_id;

	if (note_build_id(fd, &id) < 0 || id.kind == BUILD_ID_HTL)
		return;
	must(note_build_id(slim_fd, &slim_id) == 0 && build_id_equal(&id, &slim_id));
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *slim = NULL, *again = NULL;
	SCOPED_FD int fd = -1, slim_fd = -1;
	size_t slim_bytes, again_bytes;

	if (byte_count > FILE_BYTES_MAX)
		return;
	fd = file_input(bytes, byte_count);
	if (make_slim(fd, &slim, &slim_bytes) < 0)
		return;
	slim_fd = file_input(slim, slim_bytes);
	check_image(fd, slim_fd);
	check_ids(fd, slim_fd);
	if (make_slim(slim_fd, &again, &again_bytes) == 0)
		must(again_bytes == slim_bytes && memcmp(again, slim, slim_bytes) == 0);
}
