/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stop: why the walk of a stack ended.
 *
 * What it is   one X-list, expanded to the enum here and to names and meanings in user space:
 *              X(name, words of the marker frame, meaning for an operator).
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       every reason but complete and absent leaves the root of the stack unknown; a reader
 *              must show that as a marker at the root, never as a whole stack.
 */
#pragma once

#define STOP_LIST(X)                                                                              \
	X(complete, "complete", "the walk reached the place where the thread begins")             \
	X(absent, "absent",                                                                       \
		"there was no such stack: user mode has no kernel part, a kernel "                \
		"thread has no user part")                                                        \
	X(truncated, "truncated", "the stack is deeper than a walk may go; its root is missing")  \
	X(bad_frame_pointer, "bad frame pointer",                                                 \
		"the frame pointer register or a saved one does not lead up the stack: code "     \
		"built without frame pointers")                                                   \
	X(bad_return_address, "bad return address",                                               \
		"a saved return address lies outside of user memory")                             \
	X(unreadable, "unreadable",                                                               \
		"the memory that should hold the next frame is not mapped "                       \
		"or not in memory")                                                               \
	X(budget, "budget", "the walk used up its time")                                          \
	X(no_process, "process not known yet",                                                    \
		"the process had not been sampled before; user space goes on with a copy of its " \
		"stack")                                                                          \
	X(unmapped, "unknown mapping",                                                            \
		"an address lies in no mapping that was known; user space goes on likewise")      \
	X(no_table, "no unwind table yet",                                                        \
		"a file had no unwind table yet; user space goes on likewise")                    \
	X(no_room, "no memory for its unwind table",                                              \
		"a file's unwind table found no room beside those in use: more --unwind-memory "  \
		"helps")                                                                          \
	X(table_replaced, "table replaced",                                                       \
		"an unwind table was taken back while the walk read it; user space goes on "      \
		"likewise")                                                                       \
	X(not_walked, "not walked",                                                               \
		"no walk runs in the kernel: user space goes on likewise, with every stack")      \
	X(lost_register, "lost register",                                                         \
		"the next frame hangs on a register whose value was not saved")                   \
	X(no_progress, "no progress", "the stack pointer does not lead up the stack")             \
	X(no_memory, "process ending",                                                            \
		"the process was ending and had already let go of its "                           \
		"memory")                                                                         \
	X(no_registers, "no registers", "the registers of user mode could not be found")          \
	X(not_64_bit, "32-bit code", "32-bit code, whose stacks are not walked")                  \
	X(refused, "refused", "the kernel did not give its own stack")

#define STOP_ENUM_ITEM(name, words, meaning) STOP_##name,

/* STOP_NONE means that a walk goes on; no finished record holds it. */
enum stop { STOP_NONE, STOP_LIST(STOP_ENUM_ITEM) STOP_MAX };

#undef STOP_ENUM_ITEM

/* User space may know what the kernel side did not, and the stack's memory goes along for it. */
static inline int stop_is_for_user_space(unsigned stop)
{
	return stop == STOP_no_process || stop == STOP_unmapped || stop == STOP_no_table ||
		stop == STOP_table_replaced || stop == STOP_not_walked;
}
