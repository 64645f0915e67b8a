/* SPDX-License-Identifier: Apache-2.0 */
/* Frame value: the numbers of call frame information.
 *
 * What it is   signed LEB128 and the encoded pointers (DW_EH_PE_*) of .eh_frame, read from a
 *              bounds-checked reader.
 * Ownership    nothing is kept.
 * Threads      no shared state.
 * Errors       the reader's sticky fault (store/base/bytes.h); answers are 0 then.
 */
#pragma once

#include <stdint.h>

#include "store/base/bytes.h"

/* DW_EH_PE_*: how a pointer is stored. */
enum frame_encoding {
	FRAME_ENCODING_format = 0x0f,
	FRAME_ENCODING_base = 0x70,
	FRAME_ENCODING_indirect = 0x80,
	FRAME_ENCODING_omit = 0xff,
};

/* What encoded pointers may be relative to. */
struct frame_bases {
	uint64_t section; /* address of the reader's first byte; DW_EH_PE_pcrel counts from there */
	uint64_t text;
	uint64_t data;
};

int64_t frame_read_sleb(struct bytes_reader *reader);
/* A pointer stored as ENCODING, made absolute. START is the first byte of the section. An encoding
 * that needs memory (indirect) or that nobody writes (aligned, funcrel) refuses the reader. */
uint64_t frame_read_pointer(struct bytes_reader *reader, uint8_t encoding,
	const struct frame_bases *bases, const uint8_t *start);
/* The same without making it absolute: lengths. */
uint64_t frame_read_plain(struct bytes_reader *reader, uint8_t encoding);
