/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   hash(address) -> set { 8 tags | asked since, last refused, whose turn }   half a cache line
 *                            |
 *                            +-> entry { version, ranges, up to 13 calls }    two cache lines
 *
 * Sets are so small that those of a whole table stay in the processor's second cache, and an entry
 * is read only where its tag says that it is most likely the right one.
 *
 * An entry is read like this: version (even), words, version again; whoever writes makes the version
 * odd meanwhile. All of it is atomic words, so a reader that meets a writer sees another version,
 * and looks the address up in the index instead.
 */
#include "symbolizer-server/symbol/symbol_hot.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CACHE_LINE_BYTES 64
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define WAY_COUNT 8u
#define SET_COUNT_MIN 16u
/* 128 Ki chains are 17 MB: of a million addresses that are asked for with Zipf's frequencies, those
 * that six of seven questions are for. */
#define SET_COUNT_MAX (16u << 10)
/* Deeper chains are looked up each time: one in forty of a large C++ program. */
#define CALL_COUNT_MAX 13u
/* A call is one word: numbers and lines that are larger are not kept. */
#define NAME_BITS 24
#define FILE_BITS 18
#define LINE_BITS 22
/* Distances of an entry; a range that is longer is kept as one that is shorter. */
#define DISTANCE_BITS 16

struct hot_set {
	_Atomic(uint16_t) tags[WAY_COUNT]; /* of the addresses; 0: the way was never filled */
	_Atomic(uint8_t) refused[WAY_COUNT]; /* marks of addresses that were offered once */
	_Atomic(uint8_t) asked; /* a bit for each way: it was found since its turn */
	_Atomic(uint8_t) turn; /* the way that is to go next */
	_Atomic(uint8_t) refused_turn;
	uint8_t unused[5];
};

_Static_assert(sizeof(struct hot_set) == 32, "two share a cache line");

struct hot_entry {
	_Atomic(uint32_t) version;
	_Atomic(uint32_t) count;
	_Atomic(uint64_t) address;
	/* Distances from the address: start, end, start and end of the line. */
	_Atomic(uint64_t) around;
	_Atomic(uint64_t) calls[CALL_COUNT_MAX];
};

_Static_assert(sizeof(struct hot_entry) == 128, "two cache lines");
_Static_assert(NAME_BITS + FILE_BITS + LINE_BITS == 64, "a call is a word");

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
	hot->entries = aligned_alloc(
		entry_bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : CACHE_LINE_BYTES, entry_bytes);
	if (hot->entries && entry_bytes >= HUGE_PAGE_BYTES)
		madvise(hot->entries, entry_bytes, MADV_HUGEPAGE);
	if (!hot->sets || !hot->entries) {
		symbol_hot_done(hot);
		return;
	}
	memset(hot->sets, 0, set_bytes);
	memset(hot->entries, 0, entry_bytes);
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

static uint32_t set_of(const struct symbol_hot *hot, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & (hot->set_count - 1);
}

static uint16_t tag_of(uint64_t hash)
{
	return (uint16_t)(hash >> 48 | 1);
}

/* Nothing that is read later overtakes it: the version is read again behind the words. */
static uint64_t load(const _Atomic(uint64_t) *word)
{
	return atomic_load_explicit(word, memory_order_acquire);
}

static uint64_t bits_of(uint64_t word, unsigned from, unsigned count)
{
	return word >> from & ((UINT64_C(1) << count) - 1);
}

static struct numbered_call unpack_call(uint64_t word)
{
	return (struct numbered_call){
		.name = (uint32_t)bits_of(word, 0, NAME_BITS),
		.file = (uint32_t)bits_of(word, NAME_BITS, FILE_BITS),
		.line = (uint32_t)bits_of(word, NAME_BITS + FILE_BITS, LINE_BITS),
	};
}

static bool copy_out(const struct hot_entry *entry, uint64_t address, struct numbered_chain *chain)
{
	uint32_t version = atomic_load_explicit(&entry->version, memory_order_acquire);
	uint32_t count = atomic_load_explicit(&entry->count, memory_order_acquire);
	uint64_t around = load(&entry->around);

	if (version % 2 != 0 || count > CALL_COUNT_MAX || load(&entry->address) != address)
		return false;
	for (uint32_t i = 0; i < count; i++)
		chain->calls[i] = unpack_call(load(&entry->calls[i]));
	if (atomic_load_explicit(&entry->version, memory_order_relaxed) != version)
		return false;
	chain->count = count;
	chain->start = address - bits_of(around, 0, DISTANCE_BITS);
	chain->end = address + bits_of(around, DISTANCE_BITS, DISTANCE_BITS);
	chain->line_start = address - bits_of(around, 2 * DISTANCE_BITS, DISTANCE_BITS);
	chain->line_end = address + bits_of(around, 3 * DISTANCE_BITS, DISTANCE_BITS);
	return true;
}

bool symbol_hot_find(
	const struct symbol_hot *hot, uint64_t address, struct numbered_chain *ret_chain)
{
	uint64_t hash = hash_of(address);
	uint32_t index;
	struct hot_set *set;

	if (!hot->sets)
		return false;
	index = set_of(hot, hash);
	set = &hot->sets[index];
	for (uint32_t way = 0; way < WAY_COUNT; way++) {
		uint8_t asked;

		if (atomic_load_explicit(&set->tags[way], memory_order_relaxed) != tag_of(hash) ||
			!copy_out(
				&hot->entries[(size_t)index * WAY_COUNT + way], address, ret_chain))
			continue;
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
static bool offered_before(struct hot_set *set, uint64_t hash)
{
	uint8_t mark = (uint8_t)(hash >> 24 | 1), turn;

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

static uint64_t distance(uint64_t from, uint64_t to)
{
	uint64_t most = (UINT64_C(1) << DISTANCE_BITS) - 1;

	return to - from < most ? to - from : most;
}

static uint64_t pack_around(uint64_t address, const struct numbered_chain *chain)
{
	return distance(chain->start, address) | distance(address, chain->end) << DISTANCE_BITS |
		distance(chain->line_start, address) << 2 * DISTANCE_BITS |
		distance(address, chain->line_end) << 3 * DISTANCE_BITS;
}

/* False: one of the calls does not fit its word. */
static bool pack_calls(const struct numbered_chain *chain, uint64_t words[CALL_COUNT_MAX])
{
	if (chain->count > CALL_COUNT_MAX)
		return false;
	for (uint32_t i = 0; i < chain->count; i++) {
		const struct numbered_call *call = &chain->calls[i];

		if (call->name >> NAME_BITS || call->file >> FILE_BITS || call->line >> LINE_BITS)
			return false;
		words[i] = call->name | (uint64_t)call->file << NAME_BITS |
			(uint64_t)call->line << (NAME_BITS + FILE_BITS);
	}
	return true;
}

/* It overtakes nothing that was written earlier: the version was made odd before. */
static void store(_Atomic(uint64_t) *word, uint64_t value)
{
	atomic_store_explicit(word, value, memory_order_release);
}

void symbol_hot_offer(struct symbol_hot *hot, uint64_t address, const struct numbered_chain *chain)
{
	uint64_t hash = hash_of(address), words[CALL_COUNT_MAX];
	uint32_t index, way, version;
	struct hot_entry *entry;

	if (!hot->sets)
		return;
	index = set_of(hot, hash);
	if (!offered_before(&hot->sets[index], hash) || !pack_calls(chain, words))
		return;
	way = victim_of(&hot->sets[index]);
	entry = &hot->entries[(size_t)index * WAY_COUNT + way];
	version = atomic_load_explicit(&entry->version, memory_order_relaxed);
	if (version % 2 != 0 ||
		!atomic_compare_exchange_strong_explicit(&entry->version, &version, version + 1,
			memory_order_acquire, memory_order_relaxed))
		return;
	atomic_store_explicit(&hot->sets[index].tags[way], tag_of(hash), memory_order_relaxed);
	store(&entry->address, address);
	store(&entry->around, pack_around(address, chain));
	atomic_store_explicit(&entry->count, chain->count, memory_order_release);
	for (uint32_t i = 0; i < chain->count; i++)
		store(&entry->calls[i], words[i]);
	atomic_store_explicit(&entry->version, version + 2, memory_order_release);
}
