/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/index_chunks.h"

#include <errno.h>

#include "store/base/hash.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/symbol_block.h"

void index_chunks_init(struct index_chunks *chunks, size_t bytes_max)
{
	*chunks = (struct index_chunks){0};
	bytes_writer_init(&chunks->directory, bytes_max);
	bytes_writer_init(&chunks->chunks, bytes_max);
}

void index_chunks_done(struct index_chunks *chunks)
{
	bytes_writer_done(&chunks->directory);
	bytes_writer_done(&chunks->chunks);
}

int index_chunks_add(struct index_chunks *chunks, enum symbol_chunk_kind kind, uint64_t first,
	const void *bytes, size_t byte_count)
{
	int r;

	must(byte_count > 0 && byte_count <= SYMBOL_CHUNK_BYTES_MAX);
	if (chunks->count >= SYMBOL_CHUNK_COUNT_MAX)
		return -EFBIG;
	bytes_write_u32(&chunks->directory, kind);
	bytes_write_u32(&chunks->directory, (uint32_t)byte_count);
	bytes_write_u64(&chunks->directory, first);
	bytes_write_u64(&chunks->directory, hash_bytes(bytes, byte_count));
	bytes_write_span(&chunks->chunks, bytes, byte_count);
	chunks->count++;
	r = bytes_writer_fault(&chunks->directory);
	return r < 0 ? r : bytes_writer_fault(&chunks->chunks);
}

/* A chunk while its blocks are written: where each starts, and they themselves. */
struct half_chunk {
	struct bytes_writer starts;
	struct bytes_writer blocks;
	struct bytes_writer whole;
	uint32_t block_count;
};

static size_t half_chunk_bytes(const struct half_chunk *half)
{
	return SYMBOL_BLOCK_TABLE + half->starts.byte_count + half->blocks.byte_count;
}

static int write_block(struct half_chunk *half, const struct index_entries *entries, uint32_t first,
	uint32_t count)
{
	int r;

	bytes_write_u64(&half->starts, entries->start(entries->context, first));
	bytes_write_u32(&half->starts, (uint32_t)half->blocks.byte_count);
	bytes_write_u8(&half->blocks, (uint8_t)count);
	r = entries->write(entries->context, first, count, &half->blocks);
	half->block_count++;
	if (r == 0)
		r = bytes_writer_fault(&half->starts);
	return r < 0 ? r : bytes_writer_fault(&half->blocks);
}

/* Offsets of blocks count from the start of the chunk, which is known only now. */
static int add_half_chunk(struct index_chunks *chunks, enum symbol_chunk_kind kind, uint64_t first,
	struct half_chunk *half)
{
	uint32_t base = SYMBOL_BLOCK_TABLE + half->block_count * SYMBOL_BLOCK_TABLE_ENTRY_BYTES;
	struct bytes_reader starts;
	int r;

	bytes_reader_init(&starts, half->starts.bytes, half->starts.byte_count);
	bytes_writer_reset(&half->whole);
	bytes_write_u32(&half->whole, half->block_count);
	for (uint32_t i = 0; i < half->block_count; i++) {
		bytes_write_u64(&half->whole, bytes_read_u64(&starts));
		bytes_write_u32(&half->whole, base + bytes_read_u32(&starts));
	}
	bytes_write_span(&half->whole, half->blocks.bytes, half->blocks.byte_count);
	r = bytes_writer_fault(&half->whole);
	if (r == 0)
		r = index_chunks_add(
			chunks, kind, first, half->whole.bytes, half->whole.byte_count);
	bytes_writer_reset(&half->starts);
	bytes_writer_reset(&half->blocks);
	half->block_count = 0;
	return r;
}

int index_chunks_add_entries(struct index_chunks *chunks, enum symbol_chunk_kind kind,
	const struct index_entries *entries)
{
	size_t block_bytes_max = SYMBOL_BLOCK_TABLE_ENTRY_BYTES + 1 +
		(size_t)SYMBOL_BLOCK_ENTRIES * entries->bytes_each_max;
	struct half_chunk half = {0};
	uint64_t first = 0;
	int r = 0;

	bytes_writer_init(&half.starts, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&half.blocks, SYMBOL_CHUNK_BYTES_MAX);
	bytes_writer_init(&half.whole, SYMBOL_CHUNK_BYTES_MAX);
	for (uint32_t next = 0; r == 0 && next < entries->count; next += SYMBOL_BLOCK_ENTRIES) {
		uint32_t left = entries->count - next;

		if (half.block_count == 0)
			first = entries->start(entries->context, next);
		r = write_block(&half, entries, next,
			left < SYMBOL_BLOCK_ENTRIES ? left : SYMBOL_BLOCK_ENTRIES);
		if (r == 0 && half_chunk_bytes(&half) + block_bytes_max > SYMBOL_CHUNK_BYTES_AIM)
			r = add_half_chunk(chunks, kind, first, &half);
	}
	if (r == 0 && half.block_count > 0)
		r = add_half_chunk(chunks, kind, first, &half);
	bytes_writer_done(&half.starts);
	bytes_writer_done(&half.blocks);
	bytes_writer_done(&half.whole);
	return r;
}
