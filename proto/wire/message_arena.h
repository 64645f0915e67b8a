/* SPDX-License-Identifier: Apache-2.0 */
/* Message arena: lets protobuf-c unpack into an arena.
 *
 * What it is   an allocator in protobuf-c's shape. When the arena is full, unpacking fails, so the
 *              arena's limit is the limit on what a foreign message may cost.
 * Ownership    unpacked messages live in the arena; they are never freed one by one.
 * Threads      one owner, as the arena.
 * Errors       none of its own.
 */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "store/base/arena.h"

ProtobufCAllocator message_arena(struct arena *arena);
