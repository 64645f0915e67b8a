/* SPDX-License-Identifier: Apache-2.0 */
/* Slots are published once and never replaced while anyone may read, so a look-up takes no lock:
 *
 *   hash(address) -> slot [chain*] [chain*] [    ] ...   four tries
 *                            |
 *                            +-> {address, ranges, calls...} in the arena
 */
#include "symbolizer-server/symbol/symbol_hot.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_COUNT 4
/* Zipf's first hundred thousand addresses of a large program; a module of some functions needs no
 * more than a few for each. */
#define SLOT_COUNT_MIN 256u
#define SLOT_COUNT_MAX (128u << 10)
#define SLOTS_PER_FUNCTION 4u
#define CHAIN_BYTES_MAX ((size_t)24 << 20)
#define SEEN_BITS 64u

struct hot_chain {
	uint64_t address;
	uint64_t start, end, line_start, line_end;
	uint32_t count;
	struct symbol_call calls[];
};

static uint32_t slot_of(const struct symbol_hot *hot, uint64_t address)
{
	/* Fibonacci hashing: addresses of a module are no one's to choose but its own. */
	return (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (hot->slot_count - 1);
}

void symbol_hot_init(struct symbol_hot *hot, uint32_t function_count)
{
	uint32_t slot_count = SLOT_COUNT_MIN;

	memset(hot, 0, sizeof(*hot));
	pthread_mutex_init(&hot->lock, NULL);
	arena_init(&hot->chains, CHAIN_BYTES_MAX);
	while (slot_count < SLOT_COUNT_MAX && slot_count / SLOTS_PER_FUNCTION < function_count)
		slot_count *= 2;
	hot->slots = calloc(slot_count, sizeof(*hot->slots));
	hot->seen = calloc(slot_count / SEEN_BITS, sizeof(*hot->seen));
	hot->slot_count = slot_count;
	if (!hot->slots || !hot->seen) {
		free(hot->slots);
		free(hot->seen);
		hot->slots = NULL;
		hot->seen = NULL;
	}
}

void symbol_hot_done(struct symbol_hot *hot)
{
	free(hot->slots);
	free(hot->seen);
	arena_done(&hot->chains);
	pthread_mutex_destroy(&hot->lock);
}

bool symbol_hot_find(const struct symbol_hot *hot, uint64_t address, struct symbol_chain *ret_chain)
{
	uint32_t slot;

	if (!hot->slots)
		return false;
	slot = slot_of(hot, address);
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		const struct hot_chain *chain = atomic_load_explicit(
			&hot->slots[(slot + i) & (hot->slot_count - 1)], memory_order_acquire);

		if (!chain)
			return false;
		if (chain->address != address)
			continue;
		ret_chain->start = chain->start;
		ret_chain->end = chain->end;
		ret_chain->line_start = chain->line_start;
		ret_chain->line_end = chain->line_end;
		ret_chain->count = chain->count;
		memcpy(ret_chain->calls, chain->calls, chain->count * sizeof(chain->calls[0]));
		return true;
	}
	return false;
}

static bool seen_before(struct symbol_hot *hot, uint32_t slot)
{
	_Atomic(uint64_t) *word = &hot->seen[slot / SEEN_BITS];
	uint64_t bit = UINT64_C(1) << slot % SEEN_BITS;

	if (atomic_load_explicit(word, memory_order_relaxed) & bit)
		return true;
	atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
	return false;
}

/* With LOCK. The free slot where ADDRESS would stand, or NULL. */
static _Atomic(const struct hot_chain *) *free_slot(
	struct symbol_hot *hot, uint32_t slot, uint64_t address)
{
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		_Atomic(const struct hot_chain *) *at =
			&hot->slots[(slot + i) & (hot->slot_count - 1)];
		const struct hot_chain *chain = atomic_load_explicit(at, memory_order_relaxed);

		if (!chain)
			return at;
		if (chain->address == address)
			return NULL;
	}
	return NULL;
}

static struct hot_chain *copy_chain(
	struct symbol_hot *hot, uint64_t address, const struct symbol_chain *from)
{
	size_t call_bytes = from->count * sizeof(from->calls[0]);
	struct hot_chain *chain = arena_alloc(&hot->chains, sizeof(*chain) + call_bytes);

	if (!chain)
		return NULL;
	*chain = (struct hot_chain){
		.address = address,
		.start = from->start,
		.end = from->end,
		.line_start = from->line_start,
		.line_end = from->line_end,
		.count = from->count,
	};
	memcpy(chain->calls, from->calls, call_bytes);
	return chain;
}

uint64_t symbol_hot_offer(
	struct symbol_hot *hot, uint64_t address, const struct symbol_chain *chain)
{
	_Atomic(const struct hot_chain *) *at;
	struct hot_chain *copy = NULL;
	uint64_t taken;
	uint32_t slot;

	if (!hot->slots)
		return 0;
	slot = slot_of(hot, address);
	if (!seen_before(hot, slot))
		return 0;
	pthread_mutex_lock(&hot->lock);
	taken = hot->chains.byte_count;
	at = free_slot(hot, slot, address);
	if (at)
		copy = copy_chain(hot, address, chain);
	if (copy)
		atomic_store_explicit(at, copy, memory_order_release);
	taken = hot->chains.byte_count - taken;
	pthread_mutex_unlock(&hot->lock);
	return taken;
}

bool symbol_hot_full(struct symbol_hot *hot)
{
	bool full;

	pthread_mutex_lock(&hot->lock);
	full = hot->chains.byte_count + sizeof(struct symbol_chain) > CHAIN_BYTES_MAX;
	pthread_mutex_unlock(&hot->lock);
	return full;
}

uint64_t symbol_hot_bytes(struct symbol_hot *hot)
{
	uint64_t byte_count;

	if (!hot->slots)
		return 0;
	pthread_mutex_lock(&hot->lock);
	byte_count = hot->chains.byte_count;
	pthread_mutex_unlock(&hot->lock);
	return byte_count + hot->slot_count * sizeof(*hot->slots) + hot->slot_count / 8;
}
