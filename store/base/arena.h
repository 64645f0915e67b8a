/* SPDX-License-Identifier: Apache-2.0 */
/* Arena: one lifetime for everything that one request or one window allocates.
 *
 * What it is   a bump allocator in blocks, with a limit on the whole.
 * Ownership    the arena owns all it gave out, until arena_done or arena_reset.
 * Threads      one owner.
 * Errors       NULL when memory or the limit is exhausted; what was given out before stays valid.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t byte_count; /* given out so far, alignment included */
	size_t bytes_max;
	bool out_of_memory; /* something was not given, and not because of bytes_max */
};

void arena_init(struct arena *arena, size_t bytes_max);
void arena_done(struct arena *arena);
/* Forgets all that was given out; keeps one block for the next round. */
void arena_reset(struct arena *arena);
/* Not zeroed, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t byte_count);
/* A copy of BYTE_COUNT bytes with a NUL behind them. */
char *arena_copy_text(struct arena *arena, const char *text, size_t byte_count);
