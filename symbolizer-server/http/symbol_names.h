/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol names: the symbolizer's answers in the form that naming asks for.
 *
 * What it is   opens the index of one module after the other. Never waits: a module whose symbols are
 *              still on their way has no names yet.
 * Ownership    owns the reader that is open; borrows the symbolizer.
 * Threads      one owner.
 * Errors       those of the symbolizer.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/query/naming.h"

struct symbol_reader;
struct symbolizer;

struct symbol_names {
	struct symbolizer *symbolizer; /* NULL: nothing has a name */
	struct build_id id; /* asked for last */
	int opened; /* 0, or why it has no reader */
	struct symbol_reader *reader;
};

void symbol_names_init(struct symbol_names *names, struct symbolizer *symbolizer);
void symbol_names_done(struct symbol_names *names);
/* A naming_translate_fn with the same context. */
int symbol_names_translate(
	void *context, const struct build_id *id, uint64_t offset, uint64_t *ret_address);
/* A naming_ask_fn whose context is a struct symbol_names. */
int symbol_names_ask(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain);
