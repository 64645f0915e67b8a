/* SPDX-License-Identifier: Apache-2.0 */
/* Made stack: user stacks of frame records, as code with frame pointers leaves them.
 *
 * What it is   writes a chain into the host's user memory and sets the sampled registers to it.
 * Ownership    the host's memory is written.
 * Threads      one.
 * Errors       a chain that does not fit fails the test.
 */
#pragma once

#include <stdint.h>

#include "bpf/lib/kernel.bpf.h"

/* Bytes from one record of a made chain to the next. */
#define MADE_FRAME_BYTES 48

/* Address of the leaf, and of the return address that record INDEX (0: nearest the leaf) holds. */
#define MADE_LEAF UINT64_C(0x401000)
#define MADE_RETURN(index) (UINT64_C(0x402000) + 16 * (uint64_t)(index))

/* User mode, in code of 64 bits. */
#define MADE_CODE_SEGMENT 0x33

/* Where record INDEX stands. */
uint64_t made_record(uint32_t index);

/* A whole chain of RECORD_COUNT records, the last of which ends it; REGISTERS are in user mode at
 * its leaf. */
void made_chain(uint32_t record_count, struct pt_regs *registers);

/* Overwrites one of a record's two words. */
void made_set_frame_pointer(uint32_t index, uint64_t value);
void made_set_return_address(uint32_t index, uint64_t value);
