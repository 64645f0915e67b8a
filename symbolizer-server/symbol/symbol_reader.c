/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_reader.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"

/* An index can be replaced while it is read; not again and again. */
#define REOPEN_MAX 4

struct chunk {
	uint8_t *bytes; /* NULL: not read yet */
	uint32_t byte_count;
};

/* One index as it stood when it was opened. Names may be borrowed from its chunks, so an index that
 * was replaced meanwhile is kept behind the newer one. */
struct opened {
	struct opened *replaced;
	struct symbol_cache_entry entry;
	struct symbol_index_header header;
	uint8_t *header_bytes;
	struct chunk *chunks;
};

struct symbol_reader {
	struct symbol_cache *cache;
	struct build_id id;
	symbol_damage_fn on_damage;
	void *context;
	struct opened *newest;
};

static void opened_free(struct opened *opened)
{
	if (!opened)
		return;
	for (uint32_t i = 0; opened->chunks && i < opened->header.chunk_count; i++)
		free(opened->chunks[i].bytes);
	free(opened->chunks);
	free(opened->header_bytes);
	free(opened);
}

static int read_header(struct symbol_cache *cache, struct opened *opened)
{
	uint32_t byte_count;
	int r = symbol_cache_read(cache, &opened->entry, 0, &opened->header_bytes, &byte_count);

	if (r < 0)
		return r;
	r = symbol_index_read_header(opened->header_bytes, byte_count, &opened->header);
	if (r == 0 && opened->header.chunk_count + 1 != opened->entry.chunk_count)
		r = -EBADMSG;
	if (r < 0) {
		symbol_cache_drop(cache, &opened->entry.id);
		return -EUCLEAN;
	}
	opened->chunks = calloc(opened->header.chunk_count + 1, sizeof(*opened->chunks));
	return opened->chunks ? 0 : -ENOMEM;
}

static int open_newest(struct symbol_reader *reader)
{
	struct opened *opened = NULL;
	int r = -ENOENT;

	for (int i = 0; r == -ENOENT && i < REOPEN_MAX; i++) {
		opened_free(opened);
		opened = calloc(1, sizeof(*opened));
		if (!opened)
			return -ENOMEM;
		r = symbol_cache_find(reader->cache, &reader->id, &opened->entry);
		if (r < 0)
			break;
		r = read_header(reader->cache, opened);
	}
	if (r < 0) {
		opened_free(opened);
		return r;
	}
	opened->replaced = reader->newest;
	reader->newest = opened;
	return 0;
}

static int tell_damage(struct symbol_reader *reader, int r)
{
	if (r == -EUCLEAN && reader->on_damage)
		reader->on_damage(reader->context, &reader->id);
	return r;
}

int symbol_reader_new(struct symbol_cache *cache, const struct build_id *id,
	symbol_damage_fn on_damage, void *context, struct symbol_reader **ret_reader)
{
	struct symbol_reader *reader = calloc(1, sizeof(*reader));
	int r;

	if (!reader)
		return -ENOMEM;
	reader->cache = cache;
	reader->id = *id;
	reader->on_damage = on_damage;
	reader->context = context;
	r = open_newest(reader);
	if (r < 0) {
		tell_damage(reader, r);
		symbol_reader_free(reader);
		return r;
	}
	*ret_reader = reader;
	return 0;
}

void symbol_reader_free(struct symbol_reader *reader)
{
	if (!reader)
		return;
	while (reader->newest) {
		struct opened *opened = reader->newest;

		reader->newest = opened->replaced;
		opened_free(opened);
	}
	free(reader);
}

const struct symbol_index_header *symbol_reader_header(const struct symbol_reader *reader)
{
	return &reader->newest->header;
}

/* The chunk of KIND that holds KEY. -ENOENT: there is none; -ESTALE: the index was replaced. */
static int load(struct symbol_reader *reader, enum symbol_chunk_kind kind, uint64_t key,
	const struct chunk **ret_chunk, struct symbol_index_entry *ret_entry)
{
	struct opened *opened = reader->newest;
	uint32_t index = symbol_index_locate(opened->header_bytes, &opened->header, kind, key);
	struct chunk *chunk;
	int r;

	if (index == UINT32_MAX)
		return -ENOENT;
	chunk = &opened->chunks[index];
	*ret_entry = symbol_index_entry(opened->header_bytes, index);
	if (!chunk->bytes) {
		/* Chunk 0 of the cache is the header. */
		r = symbol_cache_read(reader->cache, &opened->entry, index + 1, &chunk->bytes,
			&chunk->byte_count);
		if (r < 0)
			return r == -ENOENT ? -ESTALE : r;
	}
	*ret_chunk = chunk;
	return 0;
}

static int find(struct symbol_reader *reader, uint64_t address, struct symbol *ret_symbol)
{
	struct symbol_index_function function;
	struct symbol_index_entry entry;
	const struct chunk *chunk;
	const char *name;
	int r = load(reader, SYMBOL_CHUNK_FUNCTIONS, address, &chunk, &entry);

	if (r == 0)
		r = symbol_index_find_function(chunk->bytes, chunk->byte_count, address, &function);
	if (r < 0)
		return r;
	r = load(reader, SYMBOL_CHUNK_NAMES, function.name, &chunk, &entry);
	if (r == -ENOENT)
		return -EBADMSG;
	if (r == 0)
		r = symbol_index_find_name(
			chunk->bytes, chunk->byte_count, entry.first, function.name, &name);
	if (r < 0)
		return r;
	*ret_symbol = (struct symbol){.name = name, .start = function.start, .end = function.end};
	return 0;
}

int symbol_reader_find(struct symbol_reader *reader, uint64_t address, struct symbol *ret_symbol)
{
	int r = find(reader, address, ret_symbol);

	for (int i = 0; r == -ESTALE && i < REOPEN_MAX; i++) {
		r = open_newest(reader);
		if (r == 0)
			r = find(reader, address, ret_symbol);
	}
	/* The checksum was right, so the fault is the writer's: the index must be made anew. */
	if (r == -EBADMSG) {
		symbol_cache_drop(reader->cache, &reader->id);
		r = -EUCLEAN;
	}
	return r == -ESTALE ? -ENOENT : tell_damage(reader, r);
}

int symbol_reader_chain(
	struct symbol_reader *reader, uint64_t address, struct symbol_chain *ret_chain)
{
	struct symbol symbol = {0};
	int r = symbol_reader_find(reader, address, &symbol);

	if (r < 0)
		return r;
	ret_chain->start = ret_chain->line_start = symbol.start;
	ret_chain->end = ret_chain->line_end = symbol.end;
	ret_chain->count = 1;
	ret_chain->calls[0] = (struct symbol_call){.name = symbol.name};
	return 0;
}
