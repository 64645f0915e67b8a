/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   bucket by build-ID -> module -> module          older <-> module <-> module <-> newer
 *                           |
 *                           +-> chunks [bytes*] [    ] [bytes*]   read when first asked for
 *                           +-> hot chains, pointing into the chunks
 *
 * A chunk is published once and stays as long as its module, so readers of one module share it
 * without a lock. The lock guards the lists and is not held over a read from the cache.
 */
#include "symbolizer-server/symbol/symbol_warm.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/must.h"

#define BUCKET_COUNT 1024u
/* What is hot is a few functions of a module, each with more chains the more is inlined. */
#define CALLS_PER_HOT_CHAIN 8u

struct symbol_warm {
	struct symbol_cache *cache;
	uint64_t bytes_max;
	pthread_mutex_t lock;
	struct warm_module *buckets[BUCKET_COUNT];
	struct warm_module *newest, *oldest;
	uint64_t evicted_count;
};

int symbol_warm_new(struct symbol_cache *cache, uint64_t bytes_max, struct symbol_warm **ret_warm)
{
	struct symbol_warm *warm = calloc(1, sizeof(*warm));

	if (!warm)
		return -ENOMEM;
	warm->cache = cache;
	warm->bytes_max = bytes_max;
	pthread_mutex_init(&warm->lock, NULL);
	*ret_warm = warm;
	return 0;
}

struct symbol_cache *symbol_warm_cache(struct symbol_warm *warm)
{
	return warm->cache;
}

/* ---- Modules ---- */

static void module_free(struct warm_module *module)
{
	if (!module)
		return;
	for (uint32_t i = 0; module->slots && i < module->header.chunk_count; i++) {
		const uint8_t *bytes = atomic_load(&module->slots[i].bytes);

		free((void *)(uintptr_t)bytes);
	}
	for (int kind = 0; kind < WARM_KIND_COUNT; kind++)
		free(module->kinds[kind].firsts);
	free(module->slots);
	free(module->names.texts);
	free(module->files.texts);
	free(module->header_bytes);
	symbol_hot_done(&module->hot);
	free(module);
}

static int read_kinds(struct warm_module *module)
{
	for (uint32_t i = 0; i < module->header.chunk_count; i++) {
		uint8_t number = symbol_index_entry(module->header_bytes, i).kind;
		struct warm_kind *kind = &module->kinds[number < WARM_KIND_COUNT ? number : 0];

		if (kind->count++ == 0)
			kind->base = i;
	}
	for (int number = 1; number < WARM_KIND_COUNT; number++) {
		struct warm_kind *kind = &module->kinds[number];

		if (kind->count == 0)
			continue;
		kind->firsts = calloc(kind->count, sizeof(*kind->firsts));
		if (!kind->firsts)
			return -ENOMEM;
		for (uint32_t i = 0; i < kind->count; i++)
			kind->firsts[i] =
				symbol_index_entry(module->header_bytes, kind->base + i).first;
	}
	return 0;
}

/* Zeroed by the kernel where there are many, and memory only where one is asked for. */
static int texts_init(struct warm_texts *texts, uint32_t count)
{
	texts->texts = calloc((size_t)count + 1, sizeof(*texts->texts));
	texts->count = texts->texts ? count : 0;
	return texts->texts ? 0 : -ENOMEM;
}

static int read_tables(struct warm_module *module)
{
	const struct symbol_index_header *header = &module->header;
	int r;

	module->slots = calloc(header->chunk_count + 1, sizeof(*module->slots));
	if (!module->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < header->chunk_count; i++)
		module->slots[i].byte_count =
			symbol_index_entry(module->header_bytes, i).byte_count;
	r = texts_init(&module->names, header->name_count);
	if (r == 0)
		r = texts_init(&module->files, header->file_count);
	return r < 0 ? r : read_kinds(module);
}

/* Reads the header of the entry; chunk 0 of the cache. */
static int module_read(struct symbol_cache *cache, struct warm_module *module)
{
	uint32_t byte_count;
	int r = symbol_cache_read(cache, &module->entry, 0, &module->header_bytes, &byte_count);

	if (r < 0)
		return r == -ENOENT ? -ESTALE : r;
	r = symbol_index_read_header(module->header_bytes, byte_count, &module->header);
	if (r == 0 && module->header.chunk_count + 1 != module->entry.chunk_count)
		r = -EBADMSG;
	if (r < 0) {
		module->header.chunk_count = 0;
		symbol_cache_drop(cache, &module->entry.id);
		return -EUCLEAN;
	}
	return read_tables(module);
}

static void count_bytes(struct warm_module *module)
{
	/* A first key and a place for each chunk. */
	size_t chunk_bytes = sizeof(uint64_t) + sizeof(struct warm_slot);
	size_t text_count = (size_t)module->names.count + module->files.count;

	module->counted_bytes = sizeof(*module) + module->header.byte_count +
		module->header.chunk_count * chunk_bytes + text_count * sizeof(void *) +
		symbol_hot_bytes(&module->hot);
}

static int module_new(struct symbol_cache *cache, const struct symbol_cache_entry *entry,
	struct warm_module **ret_module)
{
	struct warm_module *module = calloc(1, sizeof(*module));
	int r;

	if (!module)
		return -ENOMEM;
	module->entry = *entry;
	r = module_read(cache, module);
	if (r < 0) {
		module_free(module);
		return r;
	}
	symbol_hot_init(&module->hot,
		module->header.function_count + module->header.call_count / CALLS_PER_HOT_CHAIN);
	count_bytes(module);
	*ret_module = module;
	return 0;
}

/* ---- Lists, with LOCK ---- */

static struct warm_module **bucket_of(struct symbol_warm *warm, const struct build_id *id)
{
	return &warm->buckets[hash_key(id->bytes, id->byte_count) % BUCKET_COUNT];
}

static void push_newest(struct symbol_warm *warm, struct warm_module *module)
{
	module->older = warm->newest;
	module->newer = NULL;
	if (warm->newest)
		warm->newest->newer = module;
	else
		warm->oldest = module;
	warm->newest = module;
}

static void unlink_use(struct symbol_warm *warm, struct warm_module *module)
{
	if (module->newer)
		module->newer->older = module->older;
	else
		warm->newest = module->older;
	if (module->older)
		module->older->newer = module->newer;
	else
		warm->oldest = module->newer;
}

static void forget(struct symbol_warm *warm, struct warm_module *module)
{
	struct warm_module **at = bucket_of(warm, &module->entry.id);

	must(module->user_count == 0);
	while (*at != module)
		at = &(*at)->next_of_bucket;
	*at = module->next_of_bucket;
	unlink_use(warm, module);
	module_free(module);
}

static uint64_t module_bytes(struct warm_module *module)
{
	return module->counted_bytes +
		atomic_load_explicit(&module->chunk_bytes, memory_order_relaxed);
}

static uint64_t all_bytes(struct symbol_warm *warm)
{
	uint64_t byte_count = 0;

	for (struct warm_module *module = warm->oldest; module; module = module->newer)
		byte_count += module_bytes(module);
	return byte_count;
}

static void evict(struct symbol_warm *warm)
{
	uint64_t byte_count = all_bytes(warm);
	struct warm_module *module = warm->oldest;

	while (module && byte_count > warm->bytes_max) {
		struct warm_module *newer = module->newer;

		if (module->user_count == 0) {
			byte_count -= module_bytes(module);
			forget(warm, module);
			warm->evicted_count++;
		}
		module = newer;
	}
}

/* The module of ENTRY, with one user more; NULL if it is not kept. Older indexes of the same
 * build-ID go, unless they are used. */
static struct warm_module *take(struct symbol_warm *warm, const struct symbol_cache_entry *entry)
{
	struct warm_module *module = *bucket_of(warm, &entry->id), *found = NULL;

	while (module) {
		struct warm_module *next = module->next_of_bucket;

		if (module->entry.number == entry->number)
			found = module;
		else if (module->user_count == 0 && build_id_equal(&module->entry.id, &entry->id))
			forget(warm, module);
		module = next;
	}
	if (found) {
		found->user_count++;
		unlink_use(warm, found);
		push_newest(warm, found);
	}
	return found;
}

static void put(struct symbol_warm *warm, struct warm_module *module)
{
	struct warm_module **bucket = bucket_of(warm, &module->entry.id);

	module->next_of_bucket = *bucket;
	*bucket = module;
	module->user_count = 1;
	push_newest(warm, module);
}

/* ---- Use ---- */

int symbol_warm_open(
	struct symbol_warm *warm, const struct build_id *id, struct warm_module **ret_module)
{
	struct symbol_cache_entry entry;
	struct warm_module *module, *read = NULL;
	int r = symbol_cache_find(warm->cache, id, &entry);

	if (r < 0)
		return r;
	pthread_mutex_lock(&warm->lock);
	module = take(warm, &entry);
	pthread_mutex_unlock(&warm->lock);
	if (!module) {
		r = module_new(warm->cache, &entry, &read);
		if (r < 0)
			return r;
		pthread_mutex_lock(&warm->lock);
		/* Another thread may have been as quick. */
		module = take(warm, &entry);
		if (!module) {
			module = read;
			read = NULL;
			put(warm, module);
		}
		pthread_mutex_unlock(&warm->lock);
		module_free(read);
	}
	*ret_module = module;
	return 0;
}

void symbol_warm_close(struct symbol_warm *warm, struct warm_module *module)
{
	if (!module)
		return;
	pthread_mutex_lock(&warm->lock);
	must(module->user_count > 0);
	module->user_count--;
	evict(warm);
	pthread_mutex_unlock(&warm->lock);
}

/* What look-ups rely on; they check the rest by themselves. */
static bool sound(struct symbol_index_entry entry, const uint8_t *bytes, uint32_t byte_count)
{
	if (byte_count != entry.byte_count)
		return false;
	if (entry.kind != SYMBOL_CHUNK_NAMES && entry.kind != SYMBOL_CHUNK_FILES)
		return true;
	return byte_count > 4 && bytes[byte_count - 1] == '\0';
}

/* Reads a chunk and publishes it, unless another thread was quicker. */
static int read_chunk(struct symbol_warm *warm, struct warm_module *module, uint32_t index,
	const uint8_t **ret_bytes)
{
	const uint8_t *there = NULL;
	uint8_t *bytes;
	uint32_t byte_count;
	/* Chunk 0 of the cache is the header. */
	int r = symbol_cache_read(warm->cache, &module->entry, index + 1, &bytes, &byte_count);

	if (r < 0)
		return r == -ENOENT ? -ESTALE : r;
	if (!sound(symbol_index_entry(module->header_bytes, index), bytes, byte_count)) {
		free(bytes);
		return -EBADMSG;
	}
	if (atomic_compare_exchange_strong(&module->slots[index].bytes, &there, bytes)) {
		atomic_fetch_add_explicit(&module->chunk_bytes, byte_count, memory_order_relaxed);
		*ret_bytes = bytes;
		return 0;
	}
	free(bytes);
	*ret_bytes = there;
	return 0;
}

/* The last of KIND whose first key is not above KEY; its count if there is none. */
static uint32_t locate(const struct warm_kind *kind, uint64_t key, uint32_t hint)
{
	uint32_t at = 0, count = kind->count;

	/* Addresses of a query rise, and numbers follow addresses. */
	if (hint < kind->count && kind->firsts[hint] <= key &&
		(hint + 1 == kind->count || key < kind->firsts[hint + 1]))
		return hint;
	if (count == 0 || kind->firsts[0] > key)
		return kind->count;
	while (count > 1) {
		uint32_t half = count / 2;

		at += kind->firsts[at + half] <= key ? half : 0;
		count -= half;
	}
	return at;
}

int symbol_warm_chunk(struct symbol_warm *warm, struct warm_module *module,
	enum symbol_chunk_kind number, uint64_t key, uint32_t *hint, struct warm_chunk *ret_chunk)
{
	const struct warm_kind *kind = &module->kinds[number];
	uint32_t at = locate(kind, key, *hint);
	struct warm_slot *slot;
	const uint8_t *bytes;
	int r;

	if (at == kind->count)
		return -ENOENT;
	*hint = at;
	slot = &module->slots[kind->base + at];
	bytes = atomic_load_explicit(&slot->bytes, memory_order_acquire);
	if (!bytes) {
		r = read_chunk(warm, module, kind->base + at, &bytes);
		if (r < 0)
			return r;
	}
	*ret_chunk = (struct warm_chunk){
		.bytes = bytes,
		.byte_count = slot->byte_count,
		.first = kind->firsts[at],
		.next = at + 1 < kind->count ? kind->firsts[at + 1] : UINT64_MAX,
	};
	return 0;
}

void symbol_warm_usage(struct symbol_warm *warm, struct symbol_warm_usage *ret_usage)
{
	pthread_mutex_lock(&warm->lock);
	ret_usage->byte_count = all_bytes(warm);
	ret_usage->evicted_count = warm->evicted_count;
	pthread_mutex_unlock(&warm->lock);
}

void symbol_warm_free(struct symbol_warm *warm)
{
	if (!warm)
		return;
	while (warm->newest)
		forget(warm, warm->newest);
	pthread_mutex_destroy(&warm->lock);
	free(warm);
}
