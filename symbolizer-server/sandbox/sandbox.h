/* SPDX-License-Identifier: Apache-2.0 */
/* Sandbox: one foreign file is parsed by a fresh run of our own binary that can do nothing else.
 *
 * What it is   starts this program again with a few descriptors (the files to read; the index, a
 *              report and unpacked sections to write), an empty environment, limits of memory, CPU, file size and wall-clock time,
 *              and a short list of allowed system calls; and checks what it wrote like any foreign
 *              input. Never a fork without exec: neither gRPC nor LMDB survives one.
 * Ownership    a sandbox owns the descriptor of the binary; a result owns its index file.
 * Threads      any thread may run sandbox_index, several at a time.
 * Errors       0, or a negative errno when the machine is at fault; what the file is at fault for
 *              is a sandbox_fault in the result.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/build_id.h"
#include "symbolizer-server/sandbox/file_facts.h"
#include "symbolizer-server/sandbox/sandbox_fault.h"
#include "symbolizer-server/sandbox/symbol_index.h"

/* argv[1] of the run that parses. */
#define SANDBOX_VERB "--sandbox-index"

/* The whole program for that run; main calls it first, before anything starts a thread or opens a
 * file, when argv[1] is SANDBOX_VERB. Gives the exit status. */
int sandbox_main(int argc, char **argv);

struct sandbox {
	int binary_fd; /* this program, as it was at the start */
	uint64_t memory_bytes_max; /* of private memory */
	uint64_t cpu_seconds_max;
	uint64_t wall_ns_max;
	uint64_t index_bytes_max;
};

/* Opens this program's binary (/proc/self/exe, or AT_EXECFN where /proc is not mounted) and sets
 * the default limits; called early in main, while the working directory is that of the start. */
int sandbox_init(struct sandbox *sandbox);
void sandbox_done(struct sandbox *sandbox);

enum sandbox_input {
	SANDBOX_INPUT_ELF,
	SANDBOX_INPUT_KERNEL_SYMBOLS,
};

/* What the run that parses says besides its index; foreign like that. */
struct sandbox_report {
	uint8_t package_missing;
	uint8_t supplementary_bytes; /* 0: none is missing */
	uint8_t supplementary[BUILD_ID_BYTES_MAX];
};

/* Sections that are unpacked go to a file; a debug file of 230 MB has 630 MB of them. */
#define SANDBOX_SCRATCH_BYTES_MAX (UINT64_C(4) << 30)

struct sandbox_request {
	enum sandbox_input input;
	bool zstd; /* the file is compressed as a whole */
	/* The file must say this id of itself. */
	struct build_id id;
	/* Contents were left out, so that an id of kind BUILD_ID_HTL cannot be recomputed. */
	bool reduced;
	/* Leave DWARF alone. A file that ends the parser in any way is tried once more like this,
	 * for its symbol tables. */
	bool tables_only;
	/* Files that the DWARF of this one may refer to; 0 or less: none. What they hold counts only
	 * if their ids are those that this file names. */
	int supplementary_fd; /* of dwz and .debug_sup */
	int package_fd; /* .dwp: the units of split DWARF */
	/* Another file of the same module, if there is one: a debug file knows no stubs, a stripped
	 * program no DWARF. The index is the same whichever of the two is the input; what is wrong
	 * with this one counts as if it were not there. */
	int companion_fd;
	/* Where files are written that have no name: what was unpacked, and the index. */
	int folder_fd;
	/* Of the run that parses alone: where it unpacks sections; 0 or less: in memory. */
	int scratch_fd;
	/* Readable: the run is given up, -ECANCELED. 0 or less: none. */
	int cancel_fd;
};

struct sandbox_result {
	enum sandbox_fault fault; /* SANDBOX_FAULT_NONE: index_fd and header are set */
	/* Why DWARF, or a part of it, was left out of an index, if it was. */
	enum sandbox_fault dwarf_fault;
	/* Of the supplementary file that the file asks for and that was not given, or was another
	 * one: with it there would be more names. No bytes: none is missing. */
	struct build_id supplementary_id;
	int index_fd; /* -1 without an index; layout in symbol_index.h, every chunk checked */
	struct symbol_index_header header;
};

/* INPUT_FD is read from its start, wherever its position stands. */
int sandbox_index(struct sandbox *sandbox, int input_fd, const struct sandbox_request *request,
	struct sandbox_result *ret_result);
void sandbox_result_done(struct sandbox_result *result);

/* What the file is, without its names. Of REQUEST id, reduced, folder_fd and cancel_fd are looked
 * at; an unknown id fits every file. RET_FACTS is written if RET_FAULT is SANDBOX_FAULT_NONE. */
int sandbox_describe(struct sandbox *sandbox, int input_fd, const struct sandbox_request *request,
	enum sandbox_fault *ret_fault, struct file_facts *ret_facts);

/* Runs this program with ARGUMENTS (NULL-terminated, the program's name not among them) in an empty
 * environment, with the descriptors 0, 1 and 2 on nothing, and waits at most wall_ns_max. Not
 * confined: for checks of our own files that may end a process, such as a damaged LMDB map.
 * -ETIMEDOUT; -ECHILD: ended by a signal. */
int sandbox_run_self(struct sandbox *sandbox, char *const arguments[], int *ret_exit_status);
