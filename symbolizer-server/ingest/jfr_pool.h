/* SPDX-License-Identifier: Apache-2.0 */
/* JFR pools: the constants of a chunk, found by their numbers.
 *
 * What it is   of each constant that samples are joined with (stacks, methods, classes, texts,
 *              threads), the place where it stands; it is read when it is asked for. The checkpoints
 *              of a chunk add up: each has what the ones before it lack. Of two constants with one
 *              number the later counts. Constants of other classes are passed over.
 * Ownership    owns its tables, borrows the chunk's bytes and the layouts.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "symbolizer-server/ingest/jfr_layout.h"

/* Of one chunk, all classes together; a recorder that fills a chunk of 100 MiB has a tenth of that.
 * They take 210 MiB. */
#define JFR_CONSTANT_COUNT_MAX (4u << 20)

/* X(ID, class, fields that are asked for, ...) */
#define JFR_POOLS(X)                                                      \
	X(TEXT, "java.lang.String", "")                                   \
	X(SYMBOL, "jdk.types.Symbol", "string")                           \
	X(CLASS, "java.lang.Class", "name")                               \
	X(METHOD, "jdk.types.Method", "type", "name")                     \
	X(FRAME_TYPE, "jdk.types.FrameType", "description")               \
	X(STATE, "jdk.types.ThreadState", "name")                         \
	X(THREAD, "java.lang.Thread", "javaName", "osName", "osThreadId") \
	X(STACK, "jdk.types.StackTrace", "truncated", "frames")           \
	X(FRAME, "jdk.types.StackFrame", "method", "lineNumber", "type")

enum jfr_pool_id {
#define JFR_POOL_ID(id, ...) JFR_POOL_##id,
	JFR_POOLS(JFR_POOL_ID)
#undef JFR_POOL_ID
		JFR_POOL_COUNT
};

/* Slots, in the order of the fields above. */
enum { JFR_CLASS_NAME };
enum { JFR_METHOD_CLASS, JFR_METHOD_NAME };
enum { JFR_THREAD_JAVA_NAME, JFR_THREAD_OS_NAME, JFR_THREAD_OS_ID };
enum { JFR_STACK_TRUNCATED, JFR_STACK_FRAMES };
enum { JFR_FRAME_METHOD, JFR_FRAME_LINE, JFR_FRAME_TYPE };

struct jfr_place {
	uint64_t number;
	const uint8_t *at;
};

struct jfr_pool {
	uint32_t class_index; /* JFR_CLASS_NONE: this chunk has none of them */
	struct jfr_place *places;
	uint32_t count;
	uint32_t capacity;
	struct index_map numbers;
};

struct jfr_pools {
	const struct jfr_chunk *chunk;
	struct jfr_layouts *layouts;
	struct jfr_pool pools[JFR_POOL_COUNT];
	uint32_t constant_count; /* of all */
	struct arena texts; /* those that do not stand as UTF-8 */
};

/* The shapes of the classes above, to which a reader adds those of its events. */
extern const struct jfr_shape jfr_pool_shapes[JFR_POOL_COUNT];

void jfr_pools_init(
	struct jfr_pools *pools, const struct jfr_chunk *chunk, struct jfr_layouts *layouts);
void jfr_pools_done(struct jfr_pools *pools);
/* The constants of all checkpoints of the chunk. */
int jfr_pools_fill(struct jfr_pools *pools, struct ingest_fault *fault);
/* Whether there is a constant of that number; reads it into RET_SLOTS. */
bool jfr_pool_find(const struct jfr_pools *pools, enum jfr_pool_id id, uint64_t number,
	struct jfr_slot ret_slots[JFR_SLOT_COUNT]);
/* The text in SLOT: itself, or the constant of pool ID whose number stands there. 1: RET_TEXT; 0: it
 * names a constant that is not there; -ENOMEM, -E2BIG. */
int jfr_pool_text(struct jfr_pools *pools, enum jfr_pool_id id, const struct jfr_slot *slot,
	struct ingest_text *ret_text);
