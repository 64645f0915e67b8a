/* SPDX-License-Identifier: Apache-2.0 */
/* Whole index: a symbol index in memory, for tests that look names up.
 *
 * What it is   the bytes of an index and a look-up through the functions of symbol_index.h.
 * Ownership    whole_index_load owns the bytes until whole_index_done.
 * Threads      one owner.
 * Errors       a damaged index ends the program: the test's subject made it.
 */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer-server/sandbox/symbol_index.h"
#include "tests/support/check.h"

struct whole_index {
	uint8_t *bytes;
	struct symbol_index_header header;
};

static inline void whole_index_adopt(struct whole_index *index, uint8_t *bytes, size_t byte_count)
{
	uint32_t header_bytes;

	index->bytes = bytes;
	CHECK_EQ(symbol_index_header_length(bytes, byte_count, &header_bytes), 0);
	CHECK_EQ(symbol_index_read_header(bytes, header_bytes, &index->header), 0);
	CHECK_EQ(index->header.total_bytes, byte_count);
}

static inline void whole_index_load(struct whole_index *index, int fd)
{
	struct stat stat;
	uint8_t *bytes;

	CHECK(fstat(fd, &stat) == 0);
	bytes = malloc((size_t)stat.st_size);
	CHECK(bytes);
	CHECK(pread(fd, bytes, (size_t)stat.st_size, 0) == stat.st_size);
	whole_index_adopt(index, bytes, (size_t)stat.st_size);
}

static inline void whole_index_done(struct whole_index *index)
{
	free(index->bytes);
	index->bytes = NULL;
}

/* Chunk NUMBER, by a walk over the directory. */
static inline const uint8_t *whole_index_chunk(
	const struct whole_index *index, uint32_t number, struct symbol_index_entry *ret_entry)
{
	uint64_t offset = index->header.byte_count;

	for (uint32_t i = 0; i < number; i++)
		offset += symbol_index_entry(index->bytes, i).byte_count;
	*ret_entry = symbol_index_entry(index->bytes, number);
	return index->bytes + offset;
}

/* The name of the function that holds ADDRESS, or NULL. */
static inline const char *whole_index_name(const struct whole_index *index, uint64_t address,
	struct symbol_index_function *ret_function)
{
	struct symbol_index_entry entry;
	const uint8_t *bytes;
	const char *name;
	uint32_t number =
		symbol_index_locate(index->bytes, &index->header, SYMBOL_CHUNK_FUNCTIONS, address);

	if (number == UINT32_MAX)
		return NULL;
	bytes = whole_index_chunk(index, number, &entry);
	if (symbol_index_find_function(bytes, entry.byte_count, address, ret_function) == -ENOENT)
		return NULL;
	number = symbol_index_locate(
		index->bytes, &index->header, SYMBOL_CHUNK_NAMES, ret_function->name);
	CHECK(number != UINT32_MAX);
	bytes = whole_index_chunk(index, number, &entry);
	CHECK_EQ(symbol_index_find_name(
			 bytes, entry.byte_count, entry.first, ret_function->name, &name),
		0);
	return name;
}
