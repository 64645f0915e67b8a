/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Large enough that a typical request needs one block, small enough that an idle arena is cheap. */
#define BLOCK_BYTES ((size_t)64 * 1024)
#define ALIGN_BYTES _Alignof(max_align_t)

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t capacity;
	_Alignas(max_align_t) unsigned char bytes[];
};

void arena_init(struct arena *arena, size_t bytes_max)
{
	*arena = (struct arena){.bytes_max = bytes_max};
}

static void free_blocks(struct arena_block *block)
{
	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
}

void arena_done(struct arena *arena)
{
	free_blocks(arena->blocks);
	*arena = (struct arena){0};
}

void arena_reset(struct arena *arena)
{
	if (arena->blocks) {
		free_blocks(arena->blocks->next);
		arena->blocks->next = NULL;
		arena->blocks->used = 0;
	}
	arena->byte_count = 0;
	arena->out_of_memory = false;
}

static struct arena_block *add_block(struct arena *arena, size_t byte_count)
{
	size_t capacity = byte_count > BLOCK_BYTES ? byte_count : BLOCK_BYTES;
	struct arena_block *block = NULL;

	if (capacity <= SIZE_MAX - sizeof(*block))
		block = malloc(sizeof(*block) + capacity);
	if (!block) {
		arena->out_of_memory = true;
		return NULL;
	}
	block->next = arena->blocks;
	block->used = 0;
	block->capacity = capacity;
	arena->blocks = block;
	return block;
}

void *arena_alloc(struct arena *arena, size_t byte_count)
{
	struct arena_block *block = arena->blocks;
	void *given;

	if (byte_count > SIZE_MAX - ALIGN_BYTES)
		return NULL;
	byte_count = (byte_count + ALIGN_BYTES - 1) & ~(ALIGN_BYTES - 1);
	if (byte_count > arena->bytes_max || arena->byte_count > arena->bytes_max - byte_count)
		return NULL;
	if (!block || block->capacity - block->used < byte_count)
		block = add_block(arena, byte_count);
	if (!block)
		return NULL;
	given = block->bytes + block->used;
	block->used += byte_count;
	arena->byte_count += byte_count;
	return given;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t byte_count)
{
	char *copy;

	if (byte_count == SIZE_MAX)
		return NULL;
	copy = arena_alloc(arena, byte_count + 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, byte_count);
	copy[byte_count] = '\0';
	return copy;
}
