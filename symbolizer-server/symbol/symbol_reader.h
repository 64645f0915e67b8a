/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol reader: the names of one module, for one query.
 *
 * What it is   a look-up from ELF address to function, inlined calls and lines. What it reads of an
 *              index is shared with other readers and kept for later ones (symbol_warm.h).
 * Ownership    the warm memory is borrowed and must outlive the reader.
 * Threads      one owner; any number of readers at a time.
 * Errors       -ENOENT: no function is there; -EUCLEAN: the index was damaged and is dropped, it
 *              will be made again; -ENOMEM.
 */
#pragma once

#include <stdint.h>

#include "store/profile/build_id.h"
#include "symbolizer-server/sandbox/symbol_index.h"

struct symbol_reader;
struct symbol_warm;

struct symbol {
	const char *name; /* mangled, valid UTF-8; borrowed until symbol_reader_free */
	uint64_t start; /* the function's piece [start, end) that holds the address */
	uint64_t end;
};

/* Called when the index of ID was found damaged and was dropped. */
typedef void (*symbol_damage_fn)(void *context, const struct build_id *id);

/* -ENOENT: the cache has no index of ID. ON_DAMAGE may be NULL. */
int symbol_reader_new(struct symbol_warm *warm, const struct build_id *id,
	symbol_damage_fn on_damage, void *context, struct symbol_reader **ret_reader);
/* Accepts NULL. */
void symbol_reader_free(struct symbol_reader *reader);
/* Calls inlined into one another at one address; deeper chains keep their outermost part. */
#define SYMBOL_CHAIN_MAX 128

struct symbol_call {
	const char *name; /* mangled, valid UTF-8; borrowed until symbol_reader_free, as is file */
	const char *file; /* path as the compiler wrote it; NULL: unknown */
	uint32_t
		line; /* of the address, or of the call to the one before in the chain; 0: unknown */
};

struct symbol_chain {
	uint64_t start; /* the names are those of every address in [start, end) */
	uint64_t end;
	uint64_t line_start; /* names, files and lines are those of every address in [.., ..) */
	uint64_t line_end;
	uint32_t count; /* at least 1 */
	struct symbol_call calls[SYMBOL_CHAIN_MAX]; /* innermost first; the last is the function */
};

/* ADDRESS is an ELF virtual address (kernel: offset from _text). Every function that the compiler
 * put at ADDRESS: those that were inlined and the one that they were inlined into. Fastest where
 * addresses rise. Of ret_chain->calls only the first count are written. */
int symbol_reader_chain(
	struct symbol_reader *reader, uint64_t address, struct symbol_chain *ret_chain);
/* The function alone, without what was inlined into it. */
int symbol_reader_find(struct symbol_reader *reader, uint64_t address, struct symbol *ret_symbol);
/* The ELF address of OFFSET in the module's file. -ENOENT: no code is there, or the index does not
 * tell. */
int symbol_reader_address(struct symbol_reader *reader, uint64_t offset, uint64_t *ret_address);
const struct symbol_index_header *symbol_reader_header(const struct symbol_reader *reader);
