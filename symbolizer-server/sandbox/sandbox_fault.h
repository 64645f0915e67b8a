/* SPDX-License-Identifier: Apache-2.0 */
/* Sandbox faults: why a file gave no index.
 *
 * What it is   one line a reason; its number is the exit status of the run that parses, so no text
 *              from there is ever shown.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none.
 */
#pragma once

/* X(NAME, exit status, text). */
#define SANDBOX_FAULTS(X)                                                                    \
	X(NONE, 0, "no fault")                                                               \
	X(INTERNAL, 10, "the parser could not start")                                        \
	X(MEMORY, 11, "the file needs more memory than a parser may have")                   \
	X(READ, 12, "the file could not be read")                                            \
	X(WRITE, 13, "the index could not be written or is too large")                       \
	X(NOT_COMPRESSED, 14, "not a zstd frame, or larger than allowed once unpacked")      \
	X(EMPTY, 15, "the file is empty")                                                    \
	X(ZEROS, 16, "the file holds nothing but zeros")                                     \
	X(NOT_ELF, 17, "not an ELF file")                                                    \
	X(DAMAGED, 18, "the ELF file is cut off or contradicts itself")                      \
	X(RELOCATABLE, 19, "an object file of a machine that is not known, or without code") \
	X(OTHER_ID, 20, "the file carries another build-ID than it was asked for")           \
	X(NO_ID, 21, "the file carries no build-ID")                                         \
	X(NO_NAMES, 22, "stripped: the file holds no function names")                        \
	X(HIDDEN_ADDRESSES, 23, "all kernel addresses are zero: see kernel.kptr_restrict")   \
	X(NOT_SYMBOLS, 24, "not a list of kernel symbols")                                   \
	X(NO_PACKAGE, 25, "split DWARF: the .dwp file with its names is not here")           \
	X(NO_SUPPLEMENTARY, 26, "the supplementary file with some of its names is not here") \
	X(CRASHED, 100, "the parser crashed on the file")                                    \
	X(FORBIDDEN, 101, "the parser asked for something it may not do")                    \
	X(TIMED_OUT, 102, "the parser took longer than allowed")                             \
	X(CPU, 103, "the parser used more CPU time than allowed")                            \
	X(BAD_RESULT, 104, "the parser's result broke a rule and was thrown away")

enum sandbox_fault {
#define SANDBOX_FAULT_ENUM(name, status, text) SANDBOX_FAULT_##name = (status),
	SANDBOX_FAULTS(SANDBOX_FAULT_ENUM)
#undef SANDBOX_FAULT_ENUM
};

const char *sandbox_fault_text(enum sandbox_fault fault);
/* The fault that a run's exit status stands for; a status of no line is SANDBOX_FAULT_CRASHED. */
enum sandbox_fault sandbox_fault_of_status(int exit_status);
