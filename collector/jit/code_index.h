/* SPDX-License-Identifier: Apache-2.0 */
/* Code index: which line of a perf map tells of an address, at a given time.
 *
 * What it is   an entry a line: its stretch of addresses, where it stands in the file, and when it
 *              was first seen. Stretches may overlap, as memory is used again: the later line counts
 *              from the moment on at which it was seen, the earlier one before. Pure.
 * Ownership    owns its entries; names are the owner's, by a number that an entry carries.
 * Threads      one owner.
 * Errors       -ENOMEM. Beyond the limit, what was never asked for goes first, the oldest before
 *              the newest, and is counted.
 */
#pragma once

#include <stdint.h>

struct code_entry {
	uint64_t start;
	uint32_t size;
	uint32_t reach; /* addresses from START to the end of all entries up to this one */
	uint32_t line_at; /* byte of the file */
	uint32_t seen_at; /* in the owner's unit of time */
	uint32_t name; /* the owner's; CODE_NAME_NONE: was never asked for */
};

#define CODE_NAME_NONE 0u

struct code_index {
	struct code_entry *entries; /* sorted by start, then line, up to sorted_count */
	uint32_t count;
	uint32_t capacity;
	uint32_t count_max;
	uint32_t sorted_count;
	uint64_t dropped_count;
};

/* COUNT_MAX is at least 16. */
void code_index_init(struct code_index *index, uint32_t count_max);
void code_index_done(struct code_index *index);
/* Forgets all entries, and gives their memory back. */
void code_index_clear(struct code_index *index);

/* Lines come in the order of the file. */
int code_index_add(struct code_index *index, const struct code_entry *entry);
/* To be called between adding and finding. */
int code_index_settle(struct code_index *index);
/* What ADDRESS was at TIME: of the entries that cover it the last that had been seen by then; if
 * none had, the last of those that were seen first, for they may have stood there for long. NULL:
 * none covers it. Borrowed until the next add or settle. */
struct code_entry *code_index_find(const struct code_index *index, uint64_t address, uint32_t time);
