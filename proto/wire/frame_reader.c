/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   group    libc native          libc native return    [kernel] kernel
 *   address  1000 +20 +8          1004 +16              40 +4 +4 +90
 *
 * If groups rise by (module, kind, flags) and addresses within their group, frames are distinct as
 * they stand: then they go straight into the table. Looking each up costs a fifth of all the time
 * that a server spends on a batch.
 */
#include "proto/wire/frame_reader.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"

/* Where one group stands. */
struct group {
	size_t first; /* frame */
	size_t count;
	struct frame frame; /* with what its frames have in common */
};

static int malformed(const char *what, const char **ret_what)
{
	*ret_what = what;
	return -EBADMSG;
}

/* Reads group AT, which begins at frame FIRST. */
static int read_group(const struct frame_columns *columns, size_t at, size_t first,
	struct group *ret_group, const char **ret_what)
{
	uint32_t kind = columns->group_kind[at];

	if (columns->group_frame_count[at] > columns->count - first)
		return malformed("a group of frames", ret_what);
	if (columns->group_module[at] >= columns->modules.count)
		return malformed("a frame's module", ret_what);
	*ret_group = (struct group){.first = first,
		.count = columns->group_frame_count[at],
		.frame = {
			.module = columns->modules.to[columns->group_module[at]],
			.kind = (uint8_t)(kind < FRAME_KIND_COUNT ? kind : FRAME_UNKNOWN),
			.flags = (uint8_t)(columns->group_flags[at] & FRAME_FLAGS_ALL),
		}};
	return 0;
}

/* The address of a named frame is a text. */
static int place_address(const struct frame_columns *columns, uint64_t address, struct frame *frame,
	const char **ret_what)
{
	frame->address = address;
	if (!(frame->flags & FRAME_NAMED))
		return 0;
	if (address >= columns->texts.count)
		return malformed("a frame's name", ret_what);
	frame->address = columns->texts.to[address];
	return 0;
}

static bool group_rises(const struct frame_columns *columns, size_t at)
{
	size_t before = at - 1;

	/* What only newer senders know falls together with something else. */
	if (columns->group_kind[at] >= FRAME_KIND_COUNT ||
		columns->group_flags[at] > FRAME_FLAGS_ALL)
		return false;
	if (at == 0)
		return true;
	if (columns->group_module[at] != columns->group_module[before])
		return columns->group_module[at] > columns->group_module[before];
	if (columns->group_kind[at] != columns->group_kind[before])
		return columns->group_kind[at] > columns->group_kind[before];
	return columns->group_flags[at] > columns->group_flags[before];
}

/* -EAGAIN: not in order. */
static int read_rising(const struct frame_columns *columns, const struct group *group,
	struct frame *ret_frames, const char **ret_what)
{
	uint64_t address = 0;

	for (size_t i = group->first; i < group->first + group->count; i++) {
		uint64_t next = address + columns->address[i];
		int r;

		if (i > group->first && next <= address)
			return -EAGAIN;
		address = next;
		ret_frames[i] = group->frame;
		r = place_address(columns, address, &ret_frames[i], ret_what);
		if (r < 0)
			return r;
	}
	return 0;
}

/* -EAGAIN: not in order; nothing is changed. */
static int read_in_order(
	const struct frame_columns *columns, struct frame_table *table, const char **ret_what)
{
	SCOPED_FREE struct frame *frames = malloc((columns->count + 1) * sizeof(*frames));
	size_t first = 0;

	if (!frames)
		return -ENOMEM;
	for (size_t i = 0; i < columns->group_count; i++) {
		struct group group;
		int r = read_group(columns, i, first, &group, ret_what);

		if (r == 0 && !group_rises(columns, i))
			return -EAGAIN;
		if (r == 0)
			r = read_rising(columns, &group, frames, ret_what);
		if (r < 0)
			return r;
		first += group.count;
	}
	if (first != columns->count)
		return malformed("a group of frames", ret_what);
	free(table->frames);
	table->frames = TAKE(frames);
	table->count = table->capacity = (uint32_t)columns->count;
	return 0;
}

static int add_group(const struct frame_columns *columns, struct group *group,
	struct frame_table *table, uint32_t *ret_frames, const char **ret_what)
{
	uint64_t address = 0;

	for (size_t i = group->first; i < group->first + group->count; i++) {
		int r;

		address += columns->address[i];
		r = place_address(columns, address, &group->frame, ret_what);
		if (r == 0)
			r = frame_table_add(table, &group->frame, &ret_frames[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_any(const struct frame_columns *columns, struct frame_table *table,
	uint32_t *ret_frames, const char **ret_what)
{
	size_t first = 0;

	for (size_t i = 0; i < columns->group_count; i++) {
		struct group group;
		int r = read_group(columns, i, first, &group, ret_what);

		if (r == 0)
			r = add_group(columns, &group, table, ret_frames, ret_what);
		if (r < 0)
			return r;
		first += group.count;
	}
	return first == columns->count ? 0 : malformed("a group of frames", ret_what);
}

int frame_reader_read(const struct frame_columns *columns, struct frame_table *frames,
	uint32_t *ret_frames, const char **ret_what)
{
	int r = -EAGAIN;

	if (columns->count > FRAME_COUNT_MAX) {
		*ret_what = "too many frames";
		return -E2BIG;
	}
	if (columns->modules.distinct && columns->texts.distinct)
		r = read_in_order(columns, frames, ret_what);
	for (uint32_t i = 0; r == 0 && i < columns->count; i++)
		ret_frames[i] = i;
	return r == -EAGAIN ? read_any(columns, frames, ret_frames, ret_what) : r;
}
