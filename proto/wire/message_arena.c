/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/message_arena.h"

static void *give(void *context, size_t byte_count)
{
	return arena_alloc(context, byte_count);
}

static void keep(void *context, void *given)
{
	(void)context;
	(void)given;
}

ProtobufCAllocator message_arena(struct arena *arena)
{
	return (ProtobufCAllocator){.alloc = give, .free = keep, .allocator_data = arena};
}
