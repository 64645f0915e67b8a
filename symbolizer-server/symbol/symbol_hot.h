/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol hot: chains that were asked for again and again, ready made.
 *
 * What it is   a table from address to chain for one module. A chain comes in the second time that
 *              its address is asked for, so that a query over everything does not wash out what all
 *              queries ask; once the limit is reached nothing more comes in.
 * Ownership    owns the chains; their texts belong to the module and must outlive the table.
 * Threads      any; symbol_hot_done when no other thread uses it.
 * Errors       a chain that cannot be kept is not kept.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/base/arena.h"
#include "symbolizer-server/symbol/symbol_reader.h"

struct hot_chain;

struct symbol_hot {
	_Atomic(const struct hot_chain *) *slots; /* a power of two; NULL: nothing is kept */
	_Atomic(uint64_t) *seen; /* a bit for each slot: an address of it was asked for */
	uint32_t slot_count;
	pthread_mutex_t lock; /* of whoever adds */
	struct arena chains;
};

/* For a module of FUNCTION_COUNT functions. Without memory the table keeps nothing. */
void symbol_hot_init(struct symbol_hot *hot, uint32_t function_count);
void symbol_hot_done(struct symbol_hot *hot);
bool symbol_hot_find(
	const struct symbol_hot *hot, uint64_t address, struct symbol_chain *ret_chain);
/* Offers a chain that was looked up; answers how many bytes more it takes now. */
uint64_t symbol_hot_offer(
	struct symbol_hot *hot, uint64_t address, const struct symbol_chain *chain);
/* Whether the limit was reached. */
bool symbol_hot_full(struct symbol_hot *hot);
/* Of all that it holds. */
uint64_t symbol_hot_bytes(struct symbol_hot *hot);
