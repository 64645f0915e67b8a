/* SPDX-License-Identifier: Apache-2.0 */
/* Any file reads the same from a descriptor and from memory: the same sections of the same names and
 * contents, each exactly as long as it is said to be, and none beyond a limit. */
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/elf/elf_section.h"
#include "tests/fuzz/file_input.h"
#include "tests/fuzz/fuzz.h"

/* A section may say that it inflates to more than this machine has. */
#define SECTION_BYTES_MAX ((size_t)1 << 20)
#define SECTION_COUNT_MAX 64

struct view {
	struct image image;
	struct section_names names;
};

static int view_open(struct view *view, int fd, const uint8_t *bytes, size_t byte_count)
{
	int r = fd >= 0 ? image_open(fd, true, &view->image)
			: image_open_memory(bytes, byte_count, true, &view->image);

	if (r < 0)
		return r;
	r = section_names_read(&view->image, &view->names);
	if (r < 0)
		image_done(&view->image);
	return r;
}

static void view_done(struct view *view)
{
	section_names_done(&view->names);
	image_done(&view->image);
}

/* The first of a name is found; section 0 is none. */
static void check_name(const struct view *view, uint32_t index)
{
	const char *name = section_name(&view->image, &view->names, index);

	if (index > 0 && *name && strlen(name) < SECTION_NAME_BYTES_MAX) {
		uint32_t found = section_find(&view->image, &view->names, name);

		must(found > 0 && found <= index);
	}
}

static void check_exact(
	const struct view *view, uint32_t index, const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *to = malloc(byte_count + 1), *cut = NULL;
	uint64_t told;
	size_t cut_bytes;

	must(to);
	must(section_byte_count(&view->image, &view->names, index, &told) == 0);
	must(told == byte_count);
	must(section_read_into(&view->image, &view->names, index, to, byte_count) == 0);
	must(memcmp(to, bytes, byte_count) == 0);
	must(section_read_into(&view->image, &view->names, index, to, byte_count + 1) < 0);
	if (byte_count > 0)
		must(section_read(&view->image, &view->names, index, byte_count - 1, &cut,
			     &cut_bytes) < 0);
	must(!cut);
}

static void check_section(const struct view *file, const struct view *memory, uint32_t index)
{
	SCOPED_FREE uint8_t *one = NULL, *other = NULL;
	size_t one_bytes = 0, other_bytes = 0;
	int r = section_read(
		&file->image, &file->names, index, SECTION_BYTES_MAX, &one, &one_bytes);

	must(strcmp(section_name(&file->image, &file->names, index),
		     section_name(&memory->image, &memory->names, index)) == 0);
	must(section_read(&memory->image, &memory->names, index, SECTION_BYTES_MAX, &other,
		     &other_bytes) == r);
	if (r < 0)
		return;
	must(one_bytes <= SECTION_BYTES_MAX && one_bytes == other_bytes);
	must(memcmp(one, other, one_bytes) == 0);
	check_exact(file, index, one, one_bytes);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FD int fd = file_input(bytes, byte_count);
	struct view file, memory;
	int r = view_open(&file, fd, NULL, 0);

	must(view_open(&memory, -1, bytes, byte_count) == r);
	if (r < 0)
		return;
	must(file.image.section_count == memory.image.section_count);
	for (uint32_t i = 0; i < file.image.section_count && i < SECTION_COUNT_MAX; i++) {
		check_name(&file, i);
		check_section(&file, &memory, i);
	}
	view_done(&memory);
	view_done(&file);
}
