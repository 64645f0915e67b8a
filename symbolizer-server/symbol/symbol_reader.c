/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_reader.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "symbolizer-server/sandbox/symbol_block.h"
#include "symbolizer-server/sandbox/symbol_code.h"
#include "symbolizer-server/sandbox/symbol_segment.h"
#include "symbolizer-server/sandbox/symbol_span.h"
#include "symbolizer-server/symbol/symbol_warm.h"

/* An index can be replaced while it is read; not again and again. */
#define REOPEN_MAX 4

_Static_assert(SYMBOL_CALL_DEPTH_MAX + 1 == SYMBOL_CHAIN_MAX, "an index holds what a chain can");

struct symbol_reader {
	struct symbol_warm *warm;
	struct build_id id;
	symbol_damage_fn on_damage;
	void *context;
	/* The newest last. Names may be borrowed from those that were replaced meanwhile. */
	struct warm_module *modules[REOPEN_MAX + 1];
	uint32_t module_count;
	struct warm_module *newest;
	uint32_t hints[WARM_KIND_COUNT];
};

/* -ESTALE: as often as it was opened, it had been replaced again. */
static int open_newest(struct symbol_reader *reader)
{
	struct warm_module *module;
	int r = -ESTALE;

	for (int i = 0; r == -ESTALE && i < REOPEN_MAX; i++)
		r = symbol_warm_open(reader->warm, &reader->id, &module);
	if (r == 0 && reader->module_count > REOPEN_MAX) {
		symbol_warm_close(reader->warm, module);
		r = -ESTALE;
	}
	if (r < 0)
		return r;
	reader->modules[reader->module_count++] = module;
	reader->newest = module;
	for (int i = 0; i < WARM_KIND_COUNT; i++)
		reader->hints[i] = 0;
	return 0;
}

static int tell_damage(struct symbol_reader *reader, int r)
{
	if (r == -EUCLEAN && reader->on_damage)
		reader->on_damage(reader->context, &reader->id);
	return r;
}

int symbol_reader_new(struct symbol_warm *warm, const struct build_id *id,
	symbol_damage_fn on_damage, void *context, struct symbol_reader **ret_reader)
{
	struct symbol_reader *reader = calloc(1, sizeof(*reader));
	int r;

	if (!reader)
		return -ENOMEM;
	reader->warm = warm;
	reader->id = *id;
	reader->on_damage = on_damage;
	reader->context = context;
	r = open_newest(reader);
	if (r < 0) {
		tell_damage(reader, r);
		symbol_reader_free(reader);
		return r == -ESTALE ? -ENOENT : r;
	}
	*ret_reader = reader;
	return 0;
}

void symbol_reader_free(struct symbol_reader *reader)
{
	if (!reader)
		return;
	for (uint32_t i = 0; i < reader->module_count; i++)
		symbol_warm_close(reader->warm, reader->modules[i]);
	free(reader);
}

const struct symbol_index_header *symbol_reader_header(const struct symbol_reader *reader)
{
	return &reader->newest->header;
}

/* ---- One look-up in the index as it was opened ---- */

static int load(struct symbol_reader *reader, enum symbol_chunk_kind kind, uint64_t key,
	struct warm_chunk *ret_chunk)
{
	return symbol_warm_chunk(
		reader->warm, reader->newest, kind, key, &reader->hints[kind], ret_chunk);
}

/* What an entry refers to by number has to be there. */
static int load_number(struct symbol_reader *reader, enum symbol_chunk_kind kind, uint32_t number,
	struct warm_chunk *ret_chunk)
{
	int r = load(reader, kind, number, ret_chunk);

	return r == -ENOENT ? -EBADMSG : r;
}

static int search_text(struct symbol_reader *reader, enum symbol_chunk_kind kind, uint32_t number,
	const char **ret_text)
{
	struct warm_chunk chunk;
	const char *text;
	int r = load_number(reader, kind, number, &chunk);

	if (r < 0)
		return r;
	text = symbol_text_at(chunk.bytes, chunk.byte_count, number - chunk.first);
	if (!text)
		return -EBADMSG;
	*ret_text = text;
	return 0;
}

/* Searched for once, then known by its number. */
static int read_text(struct symbol_reader *reader, enum symbol_chunk_kind kind, uint32_t number,
	const char **ret_text)
{
	struct warm_texts *texts =
		kind == SYMBOL_CHUNK_NAMES ? &reader->newest->names : &reader->newest->files;
	const char *text;
	int r;

	if (number >= texts->count)
		return -EBADMSG;
	text = atomic_load_explicit(&texts->texts[number], memory_order_acquire);
	if (!text) {
		r = search_text(reader, kind, number, &text);
		if (r < 0)
			return r;
		atomic_store_explicit(&texts->texts[number], text, memory_order_release);
	}
	*ret_text = text;
	return 0;
}

static int read_function(
	struct symbol_reader *reader, uint64_t address, struct symbol_index_function *ret_function)
{
	struct warm_chunk chunk;
	int r = load(reader, SYMBOL_CHUNK_FUNCTIONS, address, &chunk);

	if (r < 0)
		return r;
	return symbol_index_find_function(chunk.bytes, chunk.byte_count, address, ret_function);
}

static int add_call(struct numbered_chain *chain, uint32_t name, uint32_t file, uint32_t line)
{
	if (chain->count == SYMBOL_CHAIN_MAX)
		return -EBADMSG;
	chain->calls[chain->count++] = (struct numbered_call){name, file, line};
	return 0;
}

static int open_calls(
	struct symbol_reader *reader, uint32_t call, struct symbol_code_table *ret_table)
{
	struct warm_chunk chunk;
	int r;

	/* Chunks of calls are of one length, as we write them. */
	reader->hints[SYMBOL_CHUNK_CALLS] = (call - 1) / SYMBOL_CHUNK_CALLS_AIM;
	r = load_number(reader, SYMBOL_CHUNK_CALLS, call, &chunk);
	return r < 0 ? r : symbol_code_open(chunk.bytes, chunk.byte_count, chunk.first, ret_table);
}

/* Each call says from where it was called: that is the line of the one around it. */
static int add_calls(
	struct symbol_reader *reader, struct numbered_chain *chain, const struct symbol_span *span)
{
	uint32_t call = span->call, file = span->file, line = span->line;
	struct symbol_code_table table = {.first = UINT32_MAX};

	while (call != 0) {
		struct symbol_code_call read = {0};
		int r = 0;

		/* Parents have lower numbers. */
		if (call < table.first)
			r = open_calls(reader, call, &table);
		if (r == 0)
			r = symbol_code_find_call(&table, call, &read);
		if (r == 0)
			r = add_call(chain, read.name, file, line);
		if (r < 0)
			return r;
		file = read.file;
		line = read.line;
		call = read.parent;
	}
	return add_call(chain, span->function, file, line);
}

/* What every index has; and all that one without debug information has. */
static int read_function_alone(
	struct symbol_reader *reader, uint64_t address, struct numbered_chain *chain)
{
	struct symbol_index_function function = {0};
	int r = read_function(reader, address, &function);

	if (r < 0)
		return r;
	chain->count = 0;
	chain->start = chain->line_start = function.start;
	chain->end = chain->line_end = function.end;
	return add_call(chain, function.name, 0, 0);
}

static int read_chain(struct symbol_reader *reader, uint64_t address, struct numbered_chain *chain)
{
	struct symbol_span span = {0};
	struct warm_chunk chunk;
	int r;

	if (reader->newest->kinds[SYMBOL_CHUNK_SPANS].count == 0)
		return read_function_alone(reader, address, chain);
	r = load(reader, SYMBOL_CHUNK_SPANS, address, &chunk);
	if (r == 0)
		r = symbol_span_find(chunk.bytes, chunk.byte_count, chunk.first, address, &span);
	if (r < 0)
		return r;
	if (span.function == SYMBOL_SPAN_NO_FUNCTION)
		return -ENOENT;
	chain->count = 0;
	chain->start = span.call_start;
	chain->line_start = span.start;
	chain->end = chain->line_end = span.end;
	return add_calls(reader, chain, &span);
}

/* The texts of a chain. */
static int read_texts(
	struct symbol_reader *reader, const struct numbered_chain *from, struct symbol_chain *chain)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < from->count; i++) {
		const struct numbered_call *call = &from->calls[i];
		const char *file = NULL, *name = NULL;

		if (call->file)
			r = read_text(reader, SYMBOL_CHUNK_FILES, call->file - 1, &file);
		if (r == 0)
			r = read_text(reader, SYMBOL_CHUNK_NAMES, call->name, &name);
		chain->calls[i] =
			(struct symbol_call){.name = name, .file = file, .line = call->line};
	}
	chain->start = from->start;
	chain->end = from->end;
	chain->line_start = from->line_start;
	chain->line_end = from->line_end;
	chain->count = from->count;
	return r;
}

static int read_symbol(struct symbol_reader *reader, uint64_t address, struct symbol *ret_symbol)
{
	struct symbol_index_function function = {0};
	const char *name = NULL;
	int r = read_function(reader, address, &function);

	if (r == 0)
		r = read_text(reader, SYMBOL_CHUNK_NAMES, function.name, &name);
	if (r < 0)
		return r;
	*ret_symbol = (struct symbol){.name = name, .start = function.start, .end = function.end};
	return 0;
}

static int read_address(struct symbol_reader *reader, uint64_t offset, uint64_t *ret_address)
{
	struct warm_chunk chunk;
	int r = load(reader, SYMBOL_CHUNK_SEGMENTS, offset, &chunk);

	return r < 0 ? r : symbol_segment_find(chunk.bytes, chunk.byte_count, offset, ret_address);
}

/* ---- Look-ups that survive a new index and a damaged one ---- */

/* What became of a look-up: 0 once more with the newest index, or what is to be told. */
static int settle(struct symbol_reader *reader, int r)
{
	if (r == -ESTALE) {
		r = open_newest(reader);
		if (r == 0)
			return 0;
	}
	/* The checksum was right, so the fault is the writer's: the index must be made anew. */
	if (r == -EBADMSG) {
		symbol_cache_drop(symbol_warm_cache(reader->warm), &reader->id);
		r = -EUCLEAN;
	}
	return r == -ESTALE ? -ENOENT : tell_damage(reader, r);
}

int symbol_reader_find(struct symbol_reader *reader, uint64_t address, struct symbol *ret_symbol)
{
	for (;;) {
		int r = read_symbol(reader, address, ret_symbol);

		if (r == 0 || r == -ENOENT)
			return r;
		r = settle(reader, r);
		if (r < 0)
			return r;
	}
}

int symbol_reader_address(struct symbol_reader *reader, uint64_t offset, uint64_t *ret_address)
{
	for (;;) {
		int r = read_address(reader, offset, ret_address);

		if (r == 0 || r == -ENOENT)
			return r;
		r = settle(reader, r);
		if (r < 0)
			return r;
	}
}

int symbol_reader_chain(
	struct symbol_reader *reader, uint64_t address, struct symbol_chain *ret_chain)
{
	struct numbered_chain found;

	for (;;) {
		struct symbol_hot *hot = &reader->newest->hot;
		bool kept = symbol_hot_find(hot, address, &found);
		int r = kept ? 0 : read_chain(reader, address, &found);

		if (r == 0)
			r = read_texts(reader, &found, ret_chain);
		if (r == 0 && !kept)
			symbol_hot_offer(hot, address, &found);
		if (r == 0 || r == -ENOENT)
			return r;
		r = settle(reader, r);
		if (r < 0)
			return r;
	}
}
