/* SPDX-License-Identifier: Apache-2.0 */
/* ELF symbols: functions named by a symbol table.
 *
 * What it is   which symbols are functions, how far each reaches, and which of several names for
 *              one address is shown. The rules are in docs/symbols.md.
 * Ownership    lists and tables are the caller's.
 * Threads      no shared state.
 * Errors       -ENOENT: no such table in the file; -EBADMSG: it is damaged; -ENOMEM; -E2BIG.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"
#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/function_list.h"

/* Code without a size in its symbol (assembler, the C start-up files) reaches to the next symbol,
 * but never further than this: behind it something else lies without a name. */
#define UNSIZED_FUNCTION_BYTES_MAX (64u << 10)

/* Where code lies: what stands outside is no function, whatever a table says. */
struct code_ranges {
	struct code_span {
		uint64_t start;
		uint64_t end;
	} * ranges; /* sorted, disjoint */
	uint32_t count;
};

/* Executable sections; executable segments if there are no sections. */
int code_ranges_read(const struct image *image, struct code_ranges *ret_ranges);
void code_ranges_done(struct code_ranges *ranges);
/* The range that holds ADDRESS, or NULL. */
const struct code_span *code_ranges_find(const struct code_ranges *ranges, uint64_t address);

enum elf_symbol_table {
	ELF_SYMBOLS_WHOLE, /* .symtab */
	ELF_SYMBOLS_DYNAMIC, /* .dynsym */
	ELF_SYMBOLS_PARTIAL, /* the .symtab of an image that holds only what .dynsym leaves out */
};

/* A resolved list of the functions of one table. Only in a whole one do symbols without a size
 * count: in the others it is not known what follows such a symbol. */
int elf_symbols_read(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, enum elf_symbol_table which, struct string_table *strings,
	struct function_list *ret_list);
