/* SPDX-License-Identifier: Apache-2.0 */
/* Frame expression: the few DWARF expressions that call frame information really holds.
 *
 * What it is   a recogniser, not an interpreter: what compilers, linkers and the authors of
 *              assembler write has a handful of shapes, and only these can be followed in the
 *              kernel.
 * Ownership    nothing is kept.
 * Threads      no shared state.
 * Errors       an expression of any other shape is FRAME_EXPRESSION_other.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum frame_expression_kind {
	FRAME_EXPRESSION_other,
	FRAME_EXPRESSION_register, /* number + offset */
	FRAME_EXPRESSION_memory, /* the word at number + offset, plus add */
	FRAME_EXPRESSION_plt, /* rsp + offset, and 8 more from byte ADD of a stub of 16 on */
};

struct frame_expression {
	enum frame_expression_kind kind;
	uint8_t number; /* of the register */
	int64_t offset;
	int64_t add;
};

struct frame_expression frame_expression_read(const uint8_t *bytes, size_t byte_count);
