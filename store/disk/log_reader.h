/* SPDX-License-Identifier: Apache-2.0 */
/* Log reader: finds the records of one log file, whatever happened to it.
 *
 * What it is   a sealed file is read by its index; any other from its start, every checksum looked
 *              at: damage costs what is damaged, and an end that was never finished is told apart
 *              from damage in the middle.
 * Ownership    nothing is kept; a record handed to the callback lives for that call.
 * Threads      any; a file that is being written may be read, its unfinished end is left out.
 * Errors       0, or a negative errno: of reading, -ENOMEM, -ENOTSUP: of a later version.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/disk/log_record.h"

struct log_found {
	uint64_t offset;
	const uint8_t *header; /* RECORD->header_bytes of them */
	const struct log_record *record;
};

/* 0 goes on; anything else ends the scan and becomes its result. */
typedef int (*log_reader_fn)(void *context, const struct log_found *found);

struct log_scan {
	bool sealed; /* the records came from the file's index */
	uint64_t file_bytes;
	uint64_t intact_bytes; /* what follows is an index, or was never finished */
	uint64_t torn_bytes; /* behind that, neither record nor index: never finished */
	uint64_t record_count;
	uint64_t damaged_count; /* unreadable stretches before intact_bytes */
	uint64_t damaged_bytes;
};

/* Calls FN for every profile record of the file, in order. */
int log_reader_scan(int fd, log_reader_fn fn, void *context, struct log_scan *ret_scan);
/* The same of any file without its index, every checksum looked at. */
int log_reader_walk(int fd, log_reader_fn fn, void *context, struct log_scan *ret_scan);

/* Reads the record of BYTE_COUNT bytes at OFFSET into memory for the caller to free; RECORD borrows
 * from it, the payload lies behind its header. -EBADMSG: damaged, or not there. */
int log_reader_read(int fd, uint64_t offset, size_t byte_count, uint8_t **ret_bytes,
	struct log_record *ret_record);
