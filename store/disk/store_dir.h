/* SPDX-License-Identifier: Apache-2.0 */
/* Store folder: the data folder on the disk, and who may use it.
 *
 * What it is   DIR/lock (one process at a time), DIR/format (what wrote it), DIR/profiles (the
 *              files of enum store_kind).
 * Ownership    owns descriptors of the folders and of the lock until store_dir_close.
 * Threads      one owner opens and closes; the rest from any thread.
 * Errors       0, or a negative errno, with a text for people from store_dir_open.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_FORMAT_VERSION 2
/* One without segments; made into the present one when it is opened. */
#define STORE_FORMAT_VERSION_MIN 1
#define STORE_NAME_BYTES 32
#define STORE_PROBLEM_BYTES 256

/* Files of DIR/profiles. Numbers are given to logs and segments together, each once. */
enum store_kind {
	STORE_LOG, /* NUMBER.log */
	STORE_SEGMENT, /* NUMBER.seg */
	STORE_TORN, /* NUMBER.torn: what was cut off a log */
	STORE_UNFINISHED, /* NUMBER.new: a segment that is being written */
};

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

/* RET_NAME holds STORE_NAME_BYTES characters. */
void store_dir_name(enum store_kind kind, uint64_t number, char *ret_name);
/* The numbers of all files of KIND, upwards, for the caller to free. */
int store_dir_list(const struct store_dir *dir, enum store_kind kind, uint64_t **ret_numbers,
	size_t *ret_count);
/* For reading, or for reading and writing. */
int store_dir_open_file(const struct store_dir *dir, enum store_kind kind, uint64_t number,
	bool writable, int *ret_fd);
/* Makes file NUMBER of STORE_UNFINISHED, which must not exist. */
int store_dir_begin_segment(const struct store_dir *dir, uint64_t number, int *ret_fd);
/* Gives it the name of a segment and makes that durable; its contents are. */
int store_dir_publish_segment(const struct store_dir *dir, uint64_t number);
/* Copies the bytes of log file FD from OFFSET to its end into NUMBER.torn, cuts them off, and makes
 * both durable. Without room for the copy they are cut off all the same. */
int store_dir_cut_tail(const struct store_dir *dir, uint64_t number, int fd, uint64_t offset);
/* Removes the file, and with a log what was cut off it. One that is not there is removed. */
int store_dir_remove(const struct store_dir *dir, enum store_kind kind, uint64_t number);
/* Makes creations and removals durable. */
int store_dir_sync(const struct store_dir *dir);
