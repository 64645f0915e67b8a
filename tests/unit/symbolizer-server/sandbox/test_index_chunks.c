/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/index_chunks.h"

#include <errno.h>

#include "tests/support/check.h"

static uint64_t start_of(const void *context, uint32_t entry)
{
	(void)context;
	return 100 + entry;
}

static int write_some(void *context, uint32_t first, uint32_t count, struct bytes_writer *writer)
{
	uint32_t *calls = context;

	(void)first;
	(*calls)++;
	for (uint32_t i = 0; i < count * 9; i++)
		bytes_write_u8(writer, 7);
	return 0;
}

static void entries_are_cut_into_chunks_that_fit(void)
{
	uint32_t calls = 0;
	struct index_entries entries = {
		.count = 100001,
		.start = start_of,
		.write = write_some,
		.context = &calls,
		.bytes_each_max = 10,
	};
	struct index_chunks chunks;
	struct bytes_reader directory;
	uint64_t first_before = 0, total = 0;

	index_chunks_init(&chunks, (size_t)16 << 20);
	CHECK_EQ(index_chunks_add_entries(&chunks, SYMBOL_CHUNK_FUNCTIONS, &entries), 0);
	CHECK_EQ(calls, 6251);
	CHECK(chunks.count >= 15 && chunks.count < 20);
	bytes_reader_init(&directory, chunks.directory.bytes, chunks.directory.byte_count);
	for (uint32_t i = 0; i < chunks.count; i++) {
		uint32_t byte_count;
		uint64_t first;

		CHECK_EQ(bytes_read_u32(&directory), SYMBOL_CHUNK_FUNCTIONS);
		byte_count = bytes_read_u32(&directory);
		first = bytes_read_u64(&directory);
		bytes_read_u64(&directory);
		CHECK(byte_count <= SYMBOL_CHUNK_BYTES_MAX);
		CHECK(first > first_before);
		CHECK_EQ((first - 100) % SYMBOL_BLOCK_ENTRIES, 0);
		first_before = first;
		total += byte_count;
	}
	CHECK_EQ(total, chunks.chunks.byte_count);
	index_chunks_done(&chunks);
}

static void the_limit_holds(void)
{
	struct index_chunks chunks;

	index_chunks_init(&chunks, 30);
	CHECK_EQ(index_chunks_add(&chunks, SYMBOL_CHUNK_NAMES, 0, "0123456789", 10), 0);
	CHECK_EQ(index_chunks_add(&chunks, SYMBOL_CHUNK_NAMES, 1, "0123456789", 10), -EFBIG);
	index_chunks_done(&chunks);
}

int main(void)
{
	RUN(entries_are_cut_into_chunks_that_fit);
	RUN(the_limit_holds);
	return 0;
}
