/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_supplementary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_note.h"

/* A path and an id. */
#define LINK_BYTES_MAX 8192

/* The id that a section ends with: all that is left, or as many bytes as a number says. */
static int take_id(struct dwarf_cursor *cursor, uint64_t byte_count, struct build_id *ret_id)
{
	struct build_id id = {.kind = BUILD_ID_GNU, .byte_count = (uint8_t)byte_count};

	if (cursor->bad || byte_count == 0 || byte_count > sizeof(id.bytes) ||
		byte_count > dwarf_cursor_left(cursor))
		return -EBADMSG;
	memcpy(id.bytes, cursor->at, byte_count);
	*ret_id = id;
	return 0;
}

/* Path, NUL, id. */
static int parse_gnu_link(const struct dwarf_span *section, struct build_id *ret_id)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(section, 0, false);

	if (!dwarf_cursor_text(&cursor))
		return -EBADMSG;
	return take_id(&cursor, dwarf_cursor_left(&cursor), ret_id);
}

/* Version, which of the two files this is, path, length, id. */
static int parse_standard_link(const struct dwarf_span *section, bool swapped,
	bool of_supplementary, struct build_id *ret_id)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(section, 0, swapped);
	uint16_t version = dwarf_cursor_u16(&cursor);
	bool is_supplementary = dwarf_cursor_u8(&cursor) != 0;
	uint64_t byte_count;

	if (version < 5 || is_supplementary != of_supplementary)
		return -ENOENT;
	if (!dwarf_cursor_text(&cursor))
		return -EBADMSG;
	byte_count = dwarf_cursor_uleb(&cursor);
	return take_id(&cursor, byte_count, ret_id);
}

static int read_link(const struct image *image, const struct section_names *names,
	const char *section, bool of_supplementary, struct build_id *ret_id)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct dwarf_span span = {0};
	size_t byte_count = 0;
	int r = section_read(image, names, section_find(image, names, section), LINK_BYTES_MAX,
		&bytes, &byte_count);

	if (r < 0)
		return r;
	span = (struct dwarf_span){bytes, byte_count};
	return strcmp(section, ".debug_sup") == 0
		? parse_standard_link(&span, image->swapped, of_supplementary, ret_id)
		: parse_gnu_link(&span, ret_id);
}

int dwarf_supplementary_id(
	const struct image *image, const struct section_names *names, struct build_id *ret_id)
{
	int r = read_link(image, names, ".gnu_debugaltlink", false, ret_id);

	return r == -ENOENT ? read_link(image, names, ".debug_sup", false, ret_id) : r;
}

/* dwz writes either; a file may carry both. */
static bool is_named(const struct dwarf_supplementary *supplementary, const struct build_id *wanted)
{
	struct build_id id;

	if (note_find(&supplementary->image, BUILD_ID_GNU, &id) == 0 && build_id_equal(&id, wanted))
		return true;
	return read_link(&supplementary->image, &supplementary->names, ".debug_sup", true, &id) ==
		0 &&
		build_id_equal(&id, wanted);
}

int dwarf_supplementary_open(int fd, const struct build_id *id, struct dwarf_scratch *scratch,
	struct dwarf_supplementary *ret_supplementary)
{
	struct dwarf_supplementary supplementary = {0};
	int r = image_open(fd, true, &supplementary.image);

	if (r < 0)
		return r;
	r = section_names_read(&supplementary.image, &supplementary.names);
	if (r == 0 && !is_named(&supplementary, id))
		r = -EBADMSG;
	if (r == 0)
		r = dwarf_file_open(&supplementary.image, &supplementary.names, DWARF_SHARED,
			scratch, &supplementary.file);
	if (r < 0) {
		dwarf_supplementary_done(&supplementary);
		return r;
	}
	*ret_supplementary = supplementary;
	return 0;
}

void dwarf_supplementary_done(struct dwarf_supplementary *supplementary)
{
	dwarf_file_done(&supplementary->file);
	section_names_done(&supplementary->names);
	image_done(&supplementary->image);
	*supplementary = (struct dwarf_supplementary){0};
}
