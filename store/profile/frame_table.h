/* SPDX-License-Identifier: Apache-2.0 */
/* Frame table: the distinct frames of a profile.
 *
 * What it is   {kind, flags, module, address} each once. An address is the ELF virtual address
 *              inside its module; with module 0 it is the absolute address. A frame that came with
 *              a name instead (marker, ingested text) has FRAME_NAMED and the string index of the
 *              name as its address; behind a NUL that text may go on with the source file, and
 *              behind another with the line, in decimal digits.
 * Ownership    indices into the profile's module and string tables.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many frames.
 */
#pragma once

#include <stdint.h>

#include "store/base/index_map.h"

#define FRAME_COUNT_MAX (8u << 20)

/* Values are stored and sent: never renumber. */
enum frame_kind {
	FRAME_UNKNOWN = 0,
	FRAME_KERNEL = 1,
	FRAME_NATIVE = 2,
	FRAME_PYTHON = 3,
	FRAME_JVM = 4,
	FRAME_LUA = 5,
	FRAME_MARKER =
		6, /* `[truncated]`, `[unwind stopped: why]`, ...: says what could not be known */
	FRAME_TEXT = 7, /* a name without more, from an ingested profile */
	FRAME_KIND_COUNT
};

enum frame_flag {
	FRAME_RETURN_ADDRESS = 1, /* the look-up uses address - 1 */
	FRAME_NAMED = 2, /* address is the string index of the name */
	FRAME_FILE_OFFSET =
		4, /* address is an offset in the module's file, not yet an ELF address */
	FRAME_FLAGS_ALL = 7,
};

struct frame {
	uint64_t address;
	uint32_t module;
	uint8_t kind; /* enum frame_kind */
	uint8_t flags; /* enum frame_flag, or-ed */
};

struct frame_table {
	struct frame *frames;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
};

int frame_table_init(struct frame_table *table);
void frame_table_done(struct frame_table *table);
int frame_table_add(struct frame_table *table, const struct frame *frame, uint32_t *ret_index);
/* The same for those who add in an order in which they, or others, mostly added before: NEXT is where
 * in the table they are, 0 at first. */
int frame_table_add_along(
	struct frame_table *table, const struct frame *frame, uint32_t *next, uint32_t *ret_index);
