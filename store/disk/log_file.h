/* SPDX-License-Identifier: Apache-2.0 */
/* Log file: one file of records that is being written.
 *
 * What it is   appends records behind each other; a commit makes what was appended durable; sealing
 *              puts an index of all headers behind them, after which the file never changes.
 *              docs/format.md describes every byte.
 * Ownership    owns its descriptor until log_file_done.
 * Threads      one owner.
 * Errors       0, or the negative errno of the system call that failed. After a failed append or
 *              commit log_file_rollback decides whether the file may still be used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"
#include "store/disk/log_record.h"

#define LOG_FILE_VERSION 1
#define LOG_FILE_HEADER_BYTES 32
#define LOG_FILE_TRAILER_BYTES 32
/* Headers of one file are held until it is sealed: about 10 MiB for so many. */
#define LOG_FILE_RECORD_COUNT_MAX 65536

struct log_file {
	int fd; /* -1: none is open */
	uint64_t number;
	uint64_t byte_count; /* appended */
	uint64_t durable_bytes; /* committed: a prefix of what is appended */
	uint32_t record_count;
	uint32_t durable_count;
	struct bytes_writer headers; /* of all records, as the index will hold them */
	size_t durable_headers; /* bytes of them that belong to committed records */
};

/* Begins file NUMBER under NAME, which must not exist; the caller syncs the folder before it
 * acknowledges anything. On failure nothing is left behind. */
int log_file_create(struct log_file *file, int dir_fd, const char *name, uint64_t number);
/* Goes on with a file that was left unsealed: FD becomes the file's, its first BYTE_COUNT bytes
 * count as durable; log_file_add_header follows for each record in them. */
void log_file_resume(struct log_file *file, int fd, uint64_t number, uint64_t byte_count);
int log_file_add_header(
	struct log_file *file, uint64_t offset, const uint8_t *header, size_t header_bytes);
/* BYTES are one record as log_record_write gave it. */
int log_file_append(struct log_file *file, const uint8_t *bytes, size_t byte_count);
int log_file_commit(struct log_file *file);
/* Takes back what was appended since the last commit. */
int log_file_rollback(struct log_file *file);
/* Commits an index of all records. The file is still to be closed. */
int log_file_seal(struct log_file *file);
/* Closes; what was not committed may be there or not. Accepts one without a descriptor. */
void log_file_done(struct log_file *file);

/* Fixed parts of a file, for its reader. */
void log_file_write_header(struct bytes_writer *writer, uint64_t number);
/* -EBADMSG: not ours or damaged.  -ENOTSUP: of a later version. */
int log_file_parse_header(const uint8_t *bytes, uint64_t *ret_number);
/* Where the index record starts. -EBADMSG: the file is not sealed. */
int log_file_parse_trailer(const uint8_t *bytes, uint64_t *ret_index_offset);
