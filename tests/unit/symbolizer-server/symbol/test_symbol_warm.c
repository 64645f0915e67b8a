/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_warm.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/made_code.h"
#include "tests/support/stored_index.h"
#include "tests/support/work_dir.h"

static struct symbol_cache *cache;

static struct build_id id_of(uint32_t n)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, sizeof(n), &id), 0);
	return id;
}

static void store(uint32_t n, uint32_t function_count)
{
	struct build_id id = id_of(n);
	struct made_code made;
	struct whole_index index;
	size_t byte_count;
	uint8_t *bytes;

	made_code_init(&made, function_count, false);
	bytes = made_code_index(&made, &byte_count);
	whole_index_adopt(&index, bytes, byte_count);
	stored_index_put(cache, &id, &index);
	whole_index_done(&index);
	made_code_done(&made);
}

static struct warm_module *open_module(struct symbol_warm *warm, uint32_t n)
{
	struct build_id id = id_of(n);
	struct warm_module *module;

	CHECK_EQ(symbol_warm_open(warm, &id, &module), 0);
	return module;
}

static const uint8_t *functions_of(struct symbol_warm *warm, struct warm_module *module)
{
	struct warm_chunk chunk;
	uint32_t hint = 0;

	CHECK_EQ(symbol_warm_chunk(
			 warm, module, SYMBOL_CHUNK_FUNCTIONS, MADE_CODE_START, &hint, &chunk),
		0);
	return chunk.bytes;
}

static struct symbol_warm *make_warm(uint64_t bytes_max)
{
	struct symbol_warm *warm;

	CHECK_EQ(symbol_warm_new(cache, bytes_max, &warm), 0);
	return warm;
}

static void a_module_is_read_once_and_shared(void)
{
	struct symbol_warm *warm = make_warm(UINT64_MAX);
	struct warm_module *one, *other;
	const uint8_t *bytes;

	store(1, 10);
	one = open_module(warm, 1);
	other = open_module(warm, 1);
	CHECK(one == other);
	bytes = functions_of(warm, one);
	symbol_warm_close(warm, one);
	symbol_warm_close(warm, other);
	one = open_module(warm, 1);
	CHECK(functions_of(warm, one) == bytes);
	symbol_warm_close(warm, one);
	symbol_warm_free(warm);
}

static void a_newer_index_is_another_module(void)
{
	struct symbol_warm *warm = make_warm(UINT64_MAX);
	struct warm_module *old, *new;
	const uint8_t *bytes;

	store(2, 10);
	old = open_module(warm, 2);
	bytes = functions_of(warm, old);
	store(2, 20);
	new = open_module(warm, 2);
	CHECK(old != new);
	CHECK_EQ(new->header.function_count, 20);
	CHECK(functions_of(warm, old) == bytes);
	symbol_warm_close(warm, old);
	symbol_warm_close(warm, new);
	symbol_warm_free(warm);
}

static void a_chunk_of_a_replaced_index_cannot_be_read_any_more(void)
{
	struct symbol_warm *warm = make_warm(UINT64_MAX);
	struct warm_module *old;
	struct warm_chunk chunk;
	uint32_t hint = 0;

	store(3, 10);
	old = open_module(warm, 3);
	store(3, 20);
	CHECK_EQ(symbol_warm_chunk(
			 warm, old, SYMBOL_CHUNK_FUNCTIONS, MADE_CODE_START, &hint, &chunk),
		-ESTALE);
	symbol_warm_close(warm, old);
	symbol_warm_free(warm);
}

static void what_was_used_longest_ago_goes_first_and_what_is_used_stays(void)
{
	struct symbol_warm *warm = make_warm(1);
	struct symbol_warm_usage usage;
	struct warm_module *one, *two;

	store(4, 10);
	store(5, 10);
	one = open_module(warm, 4);
	(void)functions_of(warm, one);
	two = open_module(warm, 5);
	symbol_warm_close(warm, two);
	symbol_warm_usage(warm, &usage);
	CHECK_EQ(usage.evicted_count, 1);
	CHECK(usage.byte_count > 0);
	CHECK(functions_of(warm, one));
	symbol_warm_close(warm, one);
	symbol_warm_usage(warm, &usage);
	CHECK_EQ(usage.evicted_count, 2);
	CHECK_EQ(usage.byte_count, 0);
	symbol_warm_free(warm);
}

static void keys_lie_in_the_chunk_that_starts_before_them(void)
{
	struct symbol_warm *warm = make_warm(UINT64_MAX);
	struct warm_module *module;
	struct warm_chunk chunk;
	uint64_t address = MADE_CODE_START;
	uint32_t hint = 7, chunk_count = 0;

	store(6, 40000);
	module = open_module(warm, 6);
	CHECK_EQ(symbol_warm_chunk(warm, module, SYMBOL_CHUNK_SPANS, 0, &hint, &chunk), -ENOENT);
	for (; address != UINT64_MAX; address = chunk.next, chunk_count++) {
		CHECK_EQ(
			symbol_warm_chunk(warm, module, SYMBOL_CHUNK_SPANS, address, &hint, &chunk),
			0);
		CHECK_EQ(chunk.first, address);
		CHECK_EQ(hint, chunk_count);
	}
	CHECK(chunk_count > 2);
	/* Back to the first, past the hint. */
	CHECK_EQ(symbol_warm_chunk(
			 warm, module, SYMBOL_CHUNK_SPANS, MADE_CODE_START + 1, &hint, &chunk),
		0);
	CHECK_EQ(hint, 0);
	symbol_warm_close(warm, module);
	symbol_warm_free(warm);
}

int main(void)
{
	struct symbol_cache_options options = {.bytes_max = (uint64_t)64 << 20};

	options.clock = clock_system();
	options.folder = work_dir();
	CHECK_EQ(symbol_cache_new(&options, &cache), 0);
	RUN(a_module_is_read_once_and_shared);
	RUN(a_newer_index_is_another_module);
	RUN(a_chunk_of_a_replaced_index_cannot_be_read_any_more);
	RUN(what_was_used_longest_ago_goes_first_and_what_is_used_stays);
	RUN(keys_lie_in_the_chunk_that_starts_before_them);
	symbol_cache_free(cache);
	return 0;
}
