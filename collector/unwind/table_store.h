/* SPDX-License-Identifier: Apache-2.0 */
/* Table store: the unwind tables of all binaries, by build-ID, within a cap.
 *
 * What it is   gives each build-ID a number, and builds its table when a walk first needs it. All
 *              processes share it. When the memory is used up, tables that no walk used for longest
 *              are taken back; they are built again when they are needed. Tables in use stay,
 *              but for much smaller ones: a new one is refused for a while, since two that take
 *              the memory from each other cost more than the stacks of one.
 * Ownership    pool, rules and the numbered tables are the caller's.
 * Threads      one owner; walks read tables at any time.
 * Errors       -ENOSPC: all numbers are given out. A table that can't be built leaves its number
 *              without one: walks say so, and it is counted.
 */
#pragma once

#include "collector/tally.h"
#include "collector/unwind/frame_source.h"
#include "store/base/index_map.h"
#include "store/profile/build_id.h"

/* A file that could not be read is tried again after so long. */
#define TABLE_RETRY_NS (60 * NS_PER_S)
/* One that found no room, after so long. */
#define TABLE_NO_ROOM_RETRY_NS (10 * NS_PER_S)
/* A table that a walk used within so many of UNWIND_USE_TIME's seconds is in use. */
#define TABLE_IN_USE 8
/* Even one in use makes room for one so many times smaller: the memory of a compiler's is that of
 * the tables of thirty small programs. Not oftener than this, so that it can't become a loop. */
#define TABLE_LARGER_MIN 4
#define TABLE_LARGER_INTERVAL_NS (5 * NS_PER_S)

struct table_entry {
	struct build_id build_id;
	uint64_t retry_at_ns;
	size_t source_bytes; /* of call frame information that its table was made of */
	/* Of its table; while there is none, more than this were not enough the last time. */
	uint32_t node_count;
};

struct table_store {
	struct node_pool *pool;
	struct rule_set *rules;
	struct unwind_table *tables; /* UNWIND_TABLES_MAX, visible to walks */
	struct table_entry *entries;
	uint32_t count;
	uint64_t larger_at_ns; /* when a table in use may next be taken back for a smaller one */
	struct index_map by_build_id;
	struct tally *tally;
};

int table_store_init(struct table_store *store, struct node_pool *pool, struct rule_set *rules,
	struct unwind_table *tables, struct tally *tally);
void table_store_done(struct table_store *store);

/* The number of the table of BUILD_ID. */
int table_store_number(
	struct table_store *store, const struct build_id *build_id, uint32_t *ret_number);
/* True if table NUMBER is not there and it is time to try to build it. */
bool table_store_wants(const struct table_store *store, uint32_t number, uint64_t now_ns);
/* Builds table NUMBER from the file behind FD (negative: it could not be opened). */
void table_store_build(struct table_store *store, uint32_t number, int fd, uint64_t now_ns);
/* Takes back the table that was not used for longest, KEEP apart, if that is IDLE_MIN or more of
 * UNWIND_USE_TIME's seconds. False: there is none. */
bool table_store_evict(
	struct table_store *store, uint32_t keep, uint16_t idle_min, uint64_t now_ns);
