/* SPDX-License-Identifier: Apache-2.0 */
/* Locate: from an address in a process to an address in a file, and to the file itself.
 *
 * What it is   the one place where an instruction pointer becomes (binary, ELF address).
 * Ownership    binaries are borrowed from the table until it changes.
 * Threads      the owner of the table.
 * Errors       an address always lies somewhere: what is not known about it is said by the kind.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/process/process_table.h"

enum place_kind {
	PLACE_BINARY, /* ADDRESS is the ELF address in BINARY, whose build-ID is known */
	PLACE_UNREAD, /* ADDRESS is an offset in the file BINARY, which could not be read */
	PLACE_ANONYMOUS, /* ADDRESS is absolute, in memory without an ELF file */
	PLACE_UNMAPPED, /* ADDRESS is absolute, nothing is known to lie there */
};

struct place {
	enum place_kind kind;
	struct binary *binary;
	uint64_t address;
};

/* Where user address IP of PROCESS lies. CERTAIN: the CPU was there, so that something must be
 * mapped; if nothing is known to be, the mappings are read again (once in a while).
 * IS_RETURN: the instruction before IP is what counts. */
struct place locate(struct process_table *table, struct process *process, uint64_t ip,
	bool is_return, bool certain, uint64_t now_ns);

/* Opens the file with this build-ID through any process that maps it, or by its path, and checks
 * it. -ENOENT: no such file is known or it is gone.  -ESTALE: another build stands at its path.
 * RET_PATH is borrowed until the table changes. */
int locate_file(
	struct process_table *table, const struct build_id *build_id, const char **ret_path);
