/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_reader.h"

#include <errno.h>
#include <stdlib.h>

#include "symbolizer-server/sandbox/symbol_block.h"
#include "symbolizer-server/sandbox/symbol_code.h"
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

static int read_text(struct symbol_reader *reader, enum symbol_chunk_kind kind, uint32_t number,
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

static int read_function(
	struct symbol_reader *reader, uint64_t address, struct symbol_index_function *ret_function)
{
	struct warm_chunk chunk;
	int r = load(reader, SYMBOL_CHUNK_FUNCTIONS, address, &chunk);

	if (r < 0)
		return r;
	return symbol_index_find_function(chunk.bytes, chunk.byte_count, address, ret_function);
}

/* In front of the first chunk, and where there is none, nothing was inlined anywhere: up to the
 * next of the same kind. */
static uint64_t first_key(const struct symbol_reader *reader, enum symbol_chunk_kind kind)
{
	const struct warm_kind *chunks = &reader->newest->kinds[kind];

	return chunks->count ? chunks->firsts[0] : UINT64_MAX;
}

static int read_inline(
	struct symbol_reader *reader, uint64_t address, struct symbol_code_inline *ret_inline)
{
	struct warm_chunk chunk;
	int r = load(reader, SYMBOL_CHUNK_INLINES, address, &chunk);

	if (r == -ENOENT) {
		*ret_inline =
			(struct symbol_code_inline){.end = first_key(reader, SYMBOL_CHUNK_INLINES)};
		return 0;
	}
	if (r == 0)
		r = symbol_code_find_inline(chunk.bytes, chunk.byte_count, address, ret_inline);
	if (r == 0 && ret_inline->end > chunk.next)
		ret_inline->end = chunk.next;
	return r;
}

static int read_line(
	struct symbol_reader *reader, uint64_t address, struct symbol_code_line *ret_line)
{
	struct warm_chunk chunk;
	int r = load(reader, SYMBOL_CHUNK_LINES, address, &chunk);

	if (r == -ENOENT) {
		*ret_line = (struct symbol_code_line){.end = first_key(reader, SYMBOL_CHUNK_LINES)};
		return 0;
	}
	if (r == 0)
		r = symbol_code_find_line(chunk.bytes, chunk.byte_count, address, ret_line);
	if (r == 0 && ret_line->end > chunk.next)
		ret_line->end = chunk.next;
	return r;
}

static int add_call(struct symbol_reader *reader, struct symbol_chain *chain, uint32_t name,
	uint32_t file, uint32_t line)
{
	struct symbol_call *call;
	int r = 0;

	if (chain->count == SYMBOL_CHAIN_MAX)
		return -EBADMSG;
	call = &chain->calls[chain->count++];
	call->file = NULL;
	call->line = line;
	if (file)
		r = read_text(reader, SYMBOL_CHUNK_FILES, file - 1, &call->file);
	return r < 0 ? r : read_text(reader, SYMBOL_CHUNK_NAMES, name, &call->name);
}

/* Each call says from where it was called: that is the line of the one around it. */
static int add_calls(struct symbol_reader *reader, struct symbol_chain *chain, uint32_t call,
	struct symbol_code_line *line)
{
	int r = 0;

	while (r == 0 && call != 0) {
		struct symbol_code_call read = {0};
		struct warm_chunk chunk;

		r = load_number(reader, SYMBOL_CHUNK_CALLS, call, &chunk);
		if (r == 0)
			r = symbol_code_find_call(
				chunk.bytes, chunk.byte_count, chunk.first, call, &read);
		if (r < 0)
			return r;
		r = add_call(reader, chain, read.name, line->file, line->line);
		line->file = read.file;
		line->line = read.line;
		call = read.parent;
	}
	return r;
}

static uint64_t higher(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static uint64_t lower(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static int read_chain(struct symbol_reader *reader, uint64_t address, struct symbol_chain *chain)
{
	struct symbol_index_function function = {0};
	struct symbol_code_inline call = {0};
	struct symbol_code_line line = {0};
	int r = read_function(reader, address, &function);

	if (r == 0)
		r = read_inline(reader, address, &call);
	if (r == 0)
		r = read_line(reader, address, &line);
	if (r < 0)
		return r;
	chain->count = 0;
	chain->start = higher(function.start, call.start);
	chain->end = lower(function.end, call.end);
	chain->line_start = higher(chain->start, line.start);
	chain->line_end = lower(chain->end, line.end);
	r = add_calls(reader, chain, call.call, &line);
	return r < 0 ? r : add_call(reader, chain, function.name, line.file, line.line);
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

int symbol_reader_chain(
	struct symbol_reader *reader, uint64_t address, struct symbol_chain *ret_chain)
{
	if (symbol_hot_find(&reader->newest->hot, address, ret_chain))
		return 0;
	for (;;) {
		int r = read_chain(reader, address, ret_chain);

		if (r == 0)
			symbol_hot_offer(&reader->newest->hot, address, ret_chain);
		if (r == 0 || r == -ENOENT)
			return r;
		r = settle(reader, r);
		if (r < 0)
			return r;
	}
}
