/* SPDX-License-Identifier: Apache-2.0 */
/* Object relocation: the places of an object file that wait for addresses.
 *
 * What it is   the relocations that compilers write for debug sections of 64-bit x86 and ARM:
 *              absolute, relative to their own place, and offsets of thread-local variables.
 * Ownership    everything is the caller's.
 * Threads      no shared state.
 * Errors       -ENOTSUP: a kind that is not known, or of another machine; -EBADMSG: one that lies
 *              outside of the section or names no symbol.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Symbols whose values are addresses already: Elf64_Sym in this machine's byte order. */
struct object_symbols {
	const uint8_t *entries;
	size_t entry_count;
};

/* EM_X86_64 and EM_AARCH64. */
bool object_machine_known(uint16_t machine);

/* Applies ENTRY_COUNT entries (Elf64_Rela in this machine's byte order) to a section that is laid at
 * address 0. */
int object_relocate(uint16_t machine, const struct object_symbols *symbols, const uint8_t *entries,
	size_t entry_count, uint8_t *bytes, size_t byte_count);
