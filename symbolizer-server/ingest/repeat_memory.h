/* SPDX-License-Identifier: Apache-2.0 */
/* Repeat memory: uploads that were stored lately, so that one that is sent again counts once.
 *
 * What it is   keys of uploads, each for ten minutes, in two generations: when the younger one is ten
 *              minutes old, or full, the older one is forgotten. A client that did not get its answer
 *              sends the same again; what is still being stored then is neither stored twice nor
 *              called stored.
 * Ownership    owns its tables.
 * Threads      any.
 * Errors       -ENOMEM where it is made. Later, an upload that finds no memory is not remembered.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "store/base/hash.h"

/* Agents of Java try eight times, half a minute apart at most. */
#define REPEAT_SPAN_NS (UINT64_C(600) * NS_PER_S)
/* Of one generation: a thousand agents that send every ten seconds. 4 MiB. */
#define REPEAT_COUNT_MAX 65536u

enum repeat_state {
	REPEAT_NEW, /* it is to be stored: repeat_memory_end must follow */
	REPEAT_UNDER_WAY, /* the same is being stored */
	REPEAT_STORED, /* the same is stored */
};

struct repeat_memory;

int repeat_memory_new(struct repeat_memory **ret_memory);
/* Accepts NULL. */
void repeat_memory_free(struct repeat_memory *memory);
/* An upload came at NOW_NS, by a clock that never goes backwards. */
enum repeat_state repeat_memory_begin(
	struct repeat_memory *memory, const struct hash128 *key, uint64_t now_ns);
/* What became of it; what was not stored may come again. */
void repeat_memory_end(struct repeat_memory *memory, const struct hash128 *key, bool is_stored);
/* Uploads that were forgotten before their time, because there were too many. */
uint64_t repeat_memory_forgotten(struct repeat_memory *memory);
