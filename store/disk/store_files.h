/* SPDX-License-Identifier: Apache-2.0 */
/* Store files: the set of log files, what lies in each, and their end.
 *
 * What it is   adds files and records to the set and the index; retention marks files, and whoever
 *              leaves last (the writer or a visit that began before) deletes them.
 * Ownership    the store owns its files.
 * Threads      functions marked "locked" are called with the store's lock held.
 * Errors       0 or a negative errno.
 */
#pragma once

#include "store/disk/store_state.h"

/* Locked, or before the writer starts. */
int store_files_add(struct profile_store *store, uint64_t number, struct store_file **ret_file);
/* Locked, or before the writer starts: takes a file without records out of the set again. */
void store_files_drop(struct profile_store *store, struct store_file *file);
/* Locked: counts a durable record of FILE. */
void store_file_count(struct store_file *file, const struct log_record *record);
/* Marks what is past retention, the active file apart, and deletes what nobody reads. */
void store_files_retain(struct profile_store *store, uint64_t now_ns);
/* Deletes marked files that no running visit may still read. */
void store_files_reap(struct profile_store *store);
