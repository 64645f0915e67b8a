/* SPDX-License-Identifier: Apache-2.0 */
/* Upload spool: files that collectors send, from their first byte until they were read.
 *
 * What it is   one file an upload, named by the text of its build-ID, which holds nothing but the
 *              letters of a hexadecimal number and a prefix of ours; within a limit for each and
 *              for all together.
 * Ownership    a spooled file belongs to whoever began it, until upload_file_remove.
 * Threads      the spool: any; one file: one thread at a time.
 * Errors       -EFBIG: longer than it may be; -ENOSPC: the spool or the disk is full;
 *              -EEXIST: there is such a file; other errors of open and write.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "store/profile/build_id.h"

#define UPLOAD_SUFFIX_MAX 16
#define UPLOAD_NAME_MAX (BUILD_ID_TEXT_MAX + UPLOAD_SUFFIX_MAX)

struct upload_spool {
	int folder_fd;
	uint64_t file_bytes_max;
	uint64_t bytes_max;
	atomic_ullong byte_count; /* of all files now */
};

struct upload_file {
	int fd;
	char name[UPLOAD_NAME_MAX];
	uint64_t byte_count;
	uint64_t byte_count_max; /* what was announced, or the limit */
};

/* Opens FOLDER, which must exist, and removes what an earlier run left there. */
int upload_spool_init(struct upload_spool *spool, const char *folder, uint64_t file_bytes_max);
void upload_spool_done(struct upload_spool *spool);

/* BYTE_COUNT as announced, 0 if unknown. SUFFIX, of fewer than UPLOAD_SUFFIX_MAX characters, tells
 * files of one id apart. */
int upload_file_begin(struct upload_spool *spool, const struct build_id *id, const char *suffix,
	uint64_t byte_count, struct upload_file *ret_file);
/* Whole or not at all: after an error the file is what it was, and may be gone on with. */
int upload_file_append(
	struct upload_spool *spool, struct upload_file *file, const void *bytes, size_t byte_count);
/* The file was moved elsewhere: upload_file_remove only closes the descriptor. */
void upload_file_moved(struct upload_spool *spool, struct upload_file *file);
/* Accepts a zeroed or removed file. */
void upload_file_remove(struct upload_spool *spool, struct upload_file *file);
