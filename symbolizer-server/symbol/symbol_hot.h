/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol hot: chains that were asked for again and again, as numbers of their texts.
 *
 * What it is   a table of fixed size from address to chain for one module. A chain comes in the
 *              second time in a short while that its address is asked for, so that a query over
 *              everything does not wash out what all queries ask; it takes the place of one that was
 *              not asked for since the last such change.
 * Ownership    owns the table.
 * Threads      any, without a lock; symbol_hot_done when no other thread uses it.
 * Errors       a chain that cannot be kept (too long, no memory, another thread at the same place)
 *              is not kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer-server/symbol/symbol_reader.h"

struct hot_set;
struct hot_entry;

struct symbol_hot {
	struct hot_set *sets; /* NULL: nothing is kept */
	struct hot_entry *entries;
	uint32_t set_count; /* a power of two */
};

/* A call of a chain as the index has it: what texts are is for the module to say. */
struct numbered_call {
	uint32_t name;
	uint32_t file; /* 0: unknown */
	uint32_t line;
};

struct numbered_chain {
	uint64_t start, end; /* as those of a symbol_chain */
	uint64_t line_start, line_end;
	uint32_t count;
	struct numbered_call calls[SYMBOL_CHAIN_MAX]; /* only the first count are written */
};

/* For some CHAIN_COUNT chains, within limits. */
void symbol_hot_init(struct symbol_hot *hot, uint32_t chain_count);
void symbol_hot_done(struct symbol_hot *hot);
bool symbol_hot_find(
	const struct symbol_hot *hot, uint64_t address, struct numbered_chain *ret_chain);
/* Offers a chain that was looked up and not found here. */
void symbol_hot_offer(struct symbol_hot *hot, uint64_t address, const struct numbered_chain *chain);
/* Of the whole table. */
uint64_t symbol_hot_bytes(const struct symbol_hot *hot);
