/* SPDX-License-Identifier: Apache-2.0 */
/* Store files: the set of logs and segments, what lies in each, and their end.
 *
 * What it is   adds files and records to the set and the index; retention and compaction mark
 *              files, and whoever leaves last (they, or a visit that began before) deletes them.
 * Ownership    the store owns its files.
 * Threads      functions marked "locked" are called with the store's lock held.
 * Errors       0 or a negative errno.
 */
#pragma once

#include "store/disk/store_state.h"

/* A number that no file has, nor will get again. Takes the lock. */
uint64_t store_files_take_number(struct profile_store *store);
/* Locked, or before the writer starts. */
int store_files_add(struct profile_store *store, enum store_kind kind, uint64_t number,
	struct store_file **ret_file);
/* Locked, or before the writer starts: puts what its reader says of itself into FILE, a segment. */
void store_file_describe(struct store_file *file, struct segment_reader *reader);
/* Locked, or before the writer starts: takes a file without records out of the set again. */
void store_files_drop(struct profile_store *store, struct store_file *file);
/* Closes and frees one that is not in the set any more. */
void store_file_free(struct profile_store *store, struct store_file *file);
/* Locked: counts a durable record of FILE. */
void store_file_count(struct store_file *file, const struct log_record *record);
/* Marks what is past retention, or, the oldest first, is in the way of a disk that is almost full,
 * the active file apart, and deletes what nobody reads. */
void store_files_retain(struct profile_store *store, uint64_t now_ns);
/* Locked: marks FILE, unless it is marked, as one that visits from now on find in a segment. */
void store_file_replace(struct profile_store *store, struct store_file *file);
/* Locked: whether a visit of this serial reads FILE. */
bool store_file_is_seen(const struct store_file *file, uint64_t visit_serial);
/* Deletes marked files that no running visit may still read. */
void store_files_reap(struct profile_store *store);
