/* SPDX-License-Identifier: Apache-2.0 */
/* eh_frame: the call frame information of a binary, function by function.
 *
 * What it is   reads `.eh_frame`, or `.debug_frame` where a binary has only that: first which
 *              functions there are, then the unwind rules of one of them. Pure: bytes in, rows out.
 * Ownership    the section's bytes stay the caller's and must outlive the reader; nothing is
 *              allocated.
 * Threads      one owner.
 * Errors       a broken entry costs its function and is counted. -EBADMSG: the chain of entries
 *              itself breaks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/unwind/call_frame.h"

struct eh_frame {
	const uint8_t *bytes;
	size_t byte_count;
	struct frame_bases bases;
	bool is_debug_frame;
};

/* What a common entry (CIE) says. */
struct eh_frame_common {
	size_t offset; /* in the section */
	bool is_read;
	int fault; /* 0, or why it can't be used */
	bool has_augmentation_length;
	uint8_t pointer_encoding;
	struct call_frame_common frame;
};

struct eh_frame_reader {
	struct eh_frame section;
	struct bytes_reader chain;
	struct eh_frame_common common; /* the last one read: neighbours nearly always share it */
	uint64_t broken_count; /* functions whose entry makes no sense */
};

struct eh_frame_function {
	uint64_t from; /* address of its code */
	uint64_t until; /* above FROM */
	size_t offset; /* of its entry in the section */
};

void eh_frame_reader_init(struct eh_frame_reader *reader, const struct eh_frame *section);
/* The next function in the order of the section: 1, or 0 at the end, or -EBADMSG. */
int eh_frame_next(struct eh_frame_reader *reader, struct eh_frame_function *ret_function);
/* Calls ON_ROW for the rows of a function that eh_frame_next gave, in the order of their addresses.
 * -EBADMSG: its instructions are broken; the rows before that were given. A callback's negative
 * answer ends the reading and is passed on. */
int eh_frame_rows(struct eh_frame_reader *reader, const struct eh_frame_function *function,
	call_frame_row_fn *on_row, void *context);
