/* SPDX-License-Identifier: Apache-2.0 */
/* Slim ELF: an executable without the contents of its code and data.
 *
 * What it is   the same file as far as names are concerned: every section that is not loaded
 *              (.symtab, .strtab, .debug_*, .gnu_debugdata, .gnu_debuglink, ...), the notes, the
 *              dynamic symbols, the relocations of the linkage table and Go's table of functions. All other loaded sections keep their
 *              header and lose their contents (SHT_NOBITS), so that section indices stay true. Load
 *              segments say what they said; other segments point to where their contents now
 *              stand, or to nothing.
 *              It is read like a stream and never stands in memory or on disk as a whole.
 * Ownership    the descriptor is the caller's and must outlive it; the tables are its own.
 * Threads      one at a time.
 * Errors       -EBADMSG: not ELF, or damaged; -ENOTSUP: of the other byte order; -ENODATA: it holds
 *              no symbols, so that nothing worth sending would remain; -ENOMEM; read errors.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct slim_piece;

struct slim_elf {
	int fd;
	uint8_t *head; /* ELF header and program headers */
	uint8_t *table; /* section headers */
	struct slim_piece *pieces; /* the whole file, one after the other */
	uint32_t piece_count;
	uint64_t byte_count; /* of the slim file */
	uint32_t piece; /* where slim_elf_read goes on */
	uint64_t piece_offset;
};

int slim_elf_init(struct slim_elf *slim, int fd);
void slim_elf_done(struct slim_elf *slim);
/* The next bytes of the slim file: how many, 0 at its end, or a negative errno. -EBADMSG: the file
 * became shorter meanwhile. */
ssize_t slim_elf_read(struct slim_elf *slim, void *bytes, size_t byte_count);
