/* SPDX-License-Identifier: Apache-2.0 */
/* Frame name: what a frame that came with a name says.
 *
 * What it is   the text of such a frame is the function, and where its sender knew them, a NUL and
 *              the source file, a NUL and the line in decimal digits: so it is one text to every
 *              table, and equal names at equal places are one.
 * Ownership    pieces are borrowed from the text.
 * Threads      any.
 * Errors       none: a line that is no number is 0.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/profile/string_table.h"

struct frame_name {
	const char *function;
	const char *file; /* NULL: not known */
	uint32_t line; /* 0: not known */
};

/* STRING is the index of the text. */
struct frame_name frame_name_read(const struct string_table *strings, uint32_t string);
