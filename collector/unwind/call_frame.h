/* SPDX-License-Identifier: Apache-2.0 */
/* Call frame: runs the call frame instructions of one function.
 *
 * What it is   the state machine of DWARF's call frame information: instructions move a place in
 *              the code and change, for each register, where the caller's value is. Each stretch of
 *              code between two changes comes out as one unwind rule. Registers that a walk does
 *              not need are skipped.
 * Ownership    the caller's: a state is a value, instructions are borrowed.
 * Threads      no shared state.
 * Errors       -EBADMSG: an unknown or broken instruction, an unbalanced restore, or more nesting
 *              than CALL_FRAME_DEPTH_MAX; what a rule can't express is UNWIND_CFA_unknown. A
 *              callback's negative answer ends the run and is passed on.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/unwind_rule.h"
#include "collector/unwind/frame_value.h"

/* Remembered states inside one another. Compilers write one, for each early return. */
#define CALL_FRAME_DEPTH_MAX 8

/* Takes the rule of [FROM, UNTIL). */
typedef int call_frame_row_fn(
	void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule);

/* How a value of the caller is found, before it is packed into a rule. */
enum call_frame_how {
	CALL_FRAME_unchanged,
	CALL_FRAME_at_cfa,
	CALL_FRAME_at_register,
	CALL_FRAME_in_register,
	CALL_FRAME_undefined,
	CALL_FRAME_other,
};

struct call_frame_place {
	enum call_frame_how how;
	uint8_t number; /* of the register */
	int64_t offset;
};

struct call_frame_rules {
	enum unwind_cfa cfa;
	uint64_t cfa_register;
	int64_t cfa_offset;
	int64_t cfa_add;
	struct call_frame_place returns;
	struct call_frame_place rbp;
	struct call_frame_place rbx;
};

/* What a common information entry (CIE) says for all its functions. */
struct call_frame_common {
	uint64_t code_alignment;
	int64_t data_alignment;
	uint8_t address_encoding; /* of DW_CFA_set_loc */
	bool is_signal_frame;
	struct call_frame_rules initial;
};

/* Before any instruction: no CFA, no return address; rbp and rbx are the caller's still. */
void call_frame_common_init(struct call_frame_common *common);
/* Runs the initial instructions of COMMON. */
int call_frame_set_initial(struct call_frame_common *common, struct bytes_reader *instructions);
/* The code of a function, [from, until), and what frame_read_pointer wants for its instructions. */
struct call_frame_code {
	uint64_t from;
	uint64_t until;
	const struct frame_bases *bases;
	const uint8_t *start;
};

int call_frame_run(const struct call_frame_common *common, struct bytes_reader *instructions,
	const struct call_frame_code *code, call_frame_row_fn *on_row, void *context);
