/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   hash(address) -> set { 8 addresses | asked since, last refused, whose turn }   2 cache lines
 *                            |
 *                            +-> entry { version, ranges, up to 9 calls }          256 bytes
 *
 * An entry is read like this: version (even), words, version again; whoever writes makes the version
 * odd meanwhile. All of it is atomic words, so a reader that meets a writer sees another version,
 * and looks the address up in the index instead.
 */
#include "symbolizer-server/symbol/symbol_hot.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE_BYTES 64
#define WAY_COUNT 8u
/* 64 Ki chains are 17 MB. */
#define SET_COUNT_MIN 16u
#define SET_COUNT_MAX (8u << 10)
/* Deeper chains are looked up each time: one in thirty of a large C++ program. */
#define CALL_COUNT_MAX 9u
#define WORDS_PER_CALL 3u
#define HEAD_WORDS 4u
#define NO_ADDRESS UINT64_MAX

struct hot_set {
	_Atomic(uint64_t) addresses[WAY_COUNT];
	_Atomic(uint8_t) refused[WAY_COUNT]; /* marks of addresses that were offered once */
	_Atomic(uint8_t) asked; /* a bit for each way: it was found since its turn */
	_Atomic(uint8_t) turn; /* the way that is to go next */
	_Atomic(uint8_t) refused_turn;
	uint8_t unused[64 - WAY_COUNT - 3];
};

_Static_assert(sizeof(struct hot_set) == 128, "two cache lines");

struct hot_entry {
	_Atomic(uint32_t) version;
	_Atomic(uint32_t) count;
	_Atomic(uint64_t) address;
	/* Distances from the address: start, end, start and end of the line. */
	_Atomic(uint64_t) names_around;
	_Atomic(uint64_t) line_around;
	_Atomic(uint64_t) words[CALL_COUNT_MAX * WORDS_PER_CALL];
	uint64_t unused;
};

_Static_assert(sizeof(struct hot_entry) == 256, "four cache lines");

void symbol_hot_init(struct symbol_hot *hot, uint32_t chain_count)
{
	uint32_t set_count = SET_COUNT_MIN;
	size_t set_bytes, entry_bytes;

	*hot = (struct symbol_hot){0};
	while (set_count < SET_COUNT_MAX && set_count * WAY_COUNT < chain_count)
		set_count *= 2;
	set_bytes = set_count * sizeof(*hot->sets);
	entry_bytes = (size_t)set_count * WAY_COUNT * sizeof(*hot->entries);
	hot->sets = aligned_alloc(CACHE_LINE_BYTES, set_bytes);
	/* Zeroed by the kernel, and memory only where it is written. */
	hot->entries = calloc(1, entry_bytes);
	if (!hot->sets || !hot->entries) {
		symbol_hot_done(hot);
		return;
	}
	memset(hot->sets, 0, set_bytes);
	for (uint32_t i = 0; i < set_count; i++) {
		for (uint32_t way = 0; way < WAY_COUNT; way++)
			atomic_init(&hot->sets[i].addresses[way], NO_ADDRESS);
	}
	hot->set_count = set_count;
}

void symbol_hot_done(struct symbol_hot *hot)
{
	free(hot->sets);
	free(hot->entries);
	*hot = (struct symbol_hot){0};
}

uint64_t symbol_hot_bytes(const struct symbol_hot *hot)
{
	return hot->set_count * (sizeof(struct hot_set) + WAY_COUNT * sizeof(struct hot_entry));
}

/* Fibonacci hashing: addresses of a module are no one's to choose but its own. */
static uint64_t hash_of(uint64_t address)
{
	return address * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t set_of(const struct symbol_hot *hot, uint64_t address)
{
	return (uint32_t)(hash_of(address) >> 40) & (hot->set_count - 1);
}

/* Nothing that is read later overtakes it: the version is read again behind the words. */
static uint64_t load(const _Atomic(uint64_t) *word)
{
	return atomic_load_explicit(word, memory_order_acquire);
}

static bool copy_out(const struct hot_entry *entry, uint64_t address, struct symbol_chain *chain)
{
	uint32_t version = atomic_load_explicit(&entry->version, memory_order_acquire);
	uint32_t count = atomic_load_explicit(&entry->count, memory_order_acquire);
	uint64_t names = load(&entry->names_around), line = load(&entry->line_around);

	if (version % 2 != 0 || count > CALL_COUNT_MAX || load(&entry->address) != address)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const _Atomic(uint64_t) *words = &entry->words[(size_t)i * WORDS_PER_CALL];

		chain->calls[i].name = (const char *)(uintptr_t)load(&words[0]);
		chain->calls[i].file = (const char *)(uintptr_t)load(&words[1]);
		chain->calls[i].line = (uint32_t)load(&words[2]);
	}
	if (atomic_load_explicit(&entry->version, memory_order_relaxed) != version)
		return false;
	chain->count = count;
	chain->start = address - (uint32_t)names;
	chain->end = address + (names >> 32);
	chain->line_start = address - (uint32_t)line;
	chain->line_end = address + (line >> 32);
	return true;
}

bool symbol_hot_find(const struct symbol_hot *hot, uint64_t address, struct symbol_chain *ret_chain)
{
	uint32_t index;
	struct hot_set *set;

	if (!hot->sets)
		return false;
	index = set_of(hot, address);
	set = &hot->sets[index];
	for (uint32_t way = 0; way < WAY_COUNT; way++) {
		uint8_t asked;

		if (load(&set->addresses[way]) != address)
			continue;
		if (!copy_out(&hot->entries[(size_t)index * WAY_COUNT + way], address, ret_chain))
			return false;
		asked = atomic_load_explicit(&set->asked, memory_order_relaxed);
		/* Written only where it changes: lines that all read stay shared. */
		if (!(asked & 1u << way))
			atomic_store_explicit(
				&set->asked, (uint8_t)(asked | 1u << way), memory_order_relaxed);
		return true;
	}
	return false;
}

/* Whether ADDRESS was offered before, not many others of its set ago. */
static bool offered_before(struct hot_set *set, uint64_t address)
{
	uint8_t mark = (uint8_t)(hash_of(address) >> 32 | 1), turn;

	for (uint32_t i = 0; i < WAY_COUNT; i++) {
		if (atomic_load_explicit(&set->refused[i], memory_order_relaxed) == mark)
			return true;
	}
	turn = atomic_load_explicit(&set->refused_turn, memory_order_relaxed);
	atomic_store_explicit(&set->refused[turn % WAY_COUNT], mark, memory_order_relaxed);
	atomic_store_explicit(&set->refused_turn, (uint8_t)(turn + 1), memory_order_relaxed);
	return false;
}

/* The way that is to go: the next one in turn that was not asked for since its last turn. */
static uint32_t victim_of(struct hot_set *set)
{
	uint8_t turn = atomic_load_explicit(&set->turn, memory_order_relaxed);
	uint8_t asked = atomic_load_explicit(&set->asked, memory_order_relaxed);

	for (uint32_t i = 0; i < WAY_COUNT && (asked & 1u << turn % WAY_COUNT); i++) {
		asked = (uint8_t)(asked & ~(1u << turn % WAY_COUNT));
		turn++;
	}
	atomic_store_explicit(&set->asked, asked, memory_order_relaxed);
	atomic_store_explicit(&set->turn, (uint8_t)(turn + 1), memory_order_relaxed);
	return turn % WAY_COUNT;
}

/* Two distances in one word; false: one of them does not fit. */
static bool pack_around(uint64_t address, uint64_t start, uint64_t end, uint64_t *ret_word)
{
	uint64_t before = address - start, behind = end - address;

	if (before > UINT32_MAX || behind > UINT32_MAX)
		return false;
	*ret_word = before | behind << 32;
	return true;
}

/* It overtakes nothing that was written earlier: the version was made odd before. */
static void store(_Atomic(uint64_t) *word, uint64_t value)
{
	atomic_store_explicit(word, value, memory_order_release);
}

static void write_entry(struct hot_entry *entry, uint64_t address, uint64_t names, uint64_t line,
	const struct symbol_chain *chain)
{
	store(&entry->address, address);
	store(&entry->names_around, names);
	store(&entry->line_around, line);
	atomic_store_explicit(&entry->count, chain->count, memory_order_release);
	for (uint32_t i = 0; i < chain->count; i++) {
		_Atomic(uint64_t) *words = &entry->words[(size_t)i * WORDS_PER_CALL];

		store(&words[0], (uintptr_t)chain->calls[i].name);
		store(&words[1], (uintptr_t)chain->calls[i].file);
		store(&words[2], chain->calls[i].line);
	}
}

void symbol_hot_offer(struct symbol_hot *hot, uint64_t address, const struct symbol_chain *chain)
{
	uint64_t names, line;
	uint32_t index, way, version;
	struct hot_entry *entry;

	if (!hot->sets || chain->count > CALL_COUNT_MAX || address == NO_ADDRESS)
		return;
	index = set_of(hot, address);
	if (!offered_before(&hot->sets[index], address) ||
		!pack_around(address, chain->start, chain->end, &names) ||
		!pack_around(address, chain->line_start, chain->line_end, &line))
		return;
	way = victim_of(&hot->sets[index]);
	entry = &hot->entries[(size_t)index * WAY_COUNT + way];
	version = atomic_load_explicit(&entry->version, memory_order_relaxed);
	if (version % 2 != 0 ||
		!atomic_compare_exchange_strong_explicit(&entry->version, &version, version + 1,
			memory_order_acquire, memory_order_relaxed))
		return;
	store(&hot->sets[index].addresses[way], address);
	write_entry(entry, address, names, line, chain);
	atomic_store_explicit(&entry->version, version + 2, memory_order_release);
}
