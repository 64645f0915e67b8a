/* SPDX-License-Identifier: Apache-2.0 */
/* Time index: which records there are, found by time.
 *
 * What it is   one small entry a record in hourly buckets by the start of its window. Entries are
 *              numbered as they come, so that a reader can ignore what came after it began.
 * Ownership    owns its entries and the texts of hosts and types; an entry's owner pointer is the
 *              caller's and only handed back.
 * Threads      one owner; the store holds its lock around every call.
 * Errors       0 or a negative errno: -ENOMEM; -E2BIG: too many hosts, types or hours.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/disk/log_record.h"
#include "store/profile/string_table.h"

#define TIME_INDEX_BUCKET_NS (UINT64_C(3600) * NS_PER_S)
/* A record may lie in the bucket before that of its end, never further away. */
/* NOLINTNEXTLINE(misc-redundant-expression): that the two are equal today is not the point. */
_Static_assert(PROFILE_WINDOW_NS_MAX <= TIME_INDEX_BUCKET_NS, "a window spans two buckets at most");
/* 114 years of hours. */
#define TIME_INDEX_BUCKET_COUNT_MAX 1000000u
/* 8 M records are 384 MiB of entries; retention deletes the oldest beyond. */
#define TIME_INDEX_ENTRY_COUNT_MAX (8u << 20)

struct time_entry {
	uint64_t start_ns;
	uint64_t until_ns;
	uint64_t id; /* rises as entries are added */
	void *owner; /* the file that holds the record */
	uint32_t offset; /* in that file */
	uint32_t byte_count; /* of the record */
	uint32_t host; /* index of a text */
	uint32_t types; /* index of a set of texts */
};

struct time_bucket {
	uint64_t hour;
	struct time_entry *entries;
	uint32_t count;
	uint32_t capacity;
	bool sorted; /* by start, then id */
};

struct time_index {
	struct time_bucket *buckets; /* by hour */
	uint32_t count;
	uint32_t capacity;
	uint64_t entry_count;
	uint64_t next_id;
	struct string_table texts; /* hosts and types */
	struct string_table type_sets; /* each text is an array of uint32_t: indices of types */
};

/* What a query leaves out; made by time_index_select. */
struct time_selection {
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t id_end; /* entries from here on are too new */
	bool any_host;
	bool any_type;
	uint32_t host;
	uint32_t type;
};

int time_index_init(struct time_index *index);
void time_index_done(struct time_index *index);
/* Adds the record that OWNER holds at OFFSET; its id is index->next_id before the call. */
int time_index_add(
	struct time_index *index, const struct log_record *record, void *owner, uint32_t offset);
/* Removes the entries that DROP accepts. */
void time_index_remove(struct time_index *index,
	bool (*drop)(const void *context, const struct time_entry *entry), const void *context);
/* HOST and TYPE may be NULL: any. False: none of the entries can match. */
bool time_index_select(const struct time_index *index, const char *host, const char *type,
	struct time_selection *selection);
/* Copies, for the caller to free, the matching entries of the first bucket from hour *HOUR on that
 * has any, sorted by start; *HOUR is then the hour behind it. RET_COUNT 0: there are no more. */
int time_index_next(struct time_index *index, const struct time_selection *selection,
	uint64_t *hour, struct time_entry **ret_entries, uint32_t *ret_count);
/* The hour with which a visit of times from FROM_NS on begins. */
uint64_t time_index_first_hour(uint64_t from_ns);
