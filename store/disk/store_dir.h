/* SPDX-License-Identifier: Apache-2.0 */
/* Store folder: the data folder on the disk, and who may use it.
 *
 * What it is   DIR/lock (one process at a time), DIR/format (what wrote it), DIR/profiles (log
 *              files NUMBER.log, and NUMBER.torn for what was cut off them).
 * Ownership    owns descriptors of the folders and of the lock until store_dir_close.
 * Threads      one owner opens and closes; the rest from any thread.
 * Errors       0, or a negative errno, with a text for people from store_dir_open.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_FORMAT_VERSION 1
#define STORE_LOG_NAME_BYTES 32
#define STORE_PROBLEM_BYTES 256

struct store_dir {
	int profiles_fd; /* of DIR/profiles */
	int lock_fd; /* -1: opened read-only */
};

/* Makes what is missing, unless READ_ONLY, which takes no lock and changes nothing.
 * -EBUSY: locked by another process.  -ENOTSUP: of another format.  RET_PROBLEM
 * (STORE_PROBLEM_BYTES characters) says which step failed. */
int store_dir_open(struct store_dir *dir, const char *path, bool read_only, char *ret_problem);
/* Accepts a closed one. */
void store_dir_close(struct store_dir *dir);

/* RET_NAME holds STORE_LOG_NAME_BYTES characters. */
void store_dir_log_name(uint64_t number, char *ret_name);
/* The numbers of all log files, upwards, for the caller to free. */
int store_dir_list(const struct store_dir *dir, uint64_t **ret_numbers, size_t *ret_count);
/* For reading, or for reading and writing. */
int store_dir_open_log(const struct store_dir *dir, uint64_t number, bool writable, int *ret_fd);
/* Copies the bytes of log file FD from OFFSET to its end into NUMBER.torn, cuts them off, and makes
 * both durable. Without room for the copy they are cut off all the same. */
int store_dir_cut_tail(const struct store_dir *dir, uint64_t number, int fd, uint64_t offset);
/* Removes the log file and what was cut off it. */
int store_dir_remove_log(const struct store_dir *dir, uint64_t number);
/* Makes creations and removals durable. */
int store_dir_sync(const struct store_dir *dir);
