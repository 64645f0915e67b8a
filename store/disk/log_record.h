/* SPDX-License-Identifier: Apache-2.0 */
/* Log record: one profile as it lies in a log file, and what tells about it without decoding.
 *
 * What it is   a header (lengths, checksums, batch key, times, host, profile types) with a checksum
 *              of its own, so that headers can be read alone; then the payload. Records start at
 *              multiples of 8 bytes. docs/format.md describes every byte.
 * Ownership    a parsed record borrows the bytes that it was parsed from.
 * Threads      any.
 * Errors       -EBADMSG: not a record, or damaged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"
#include "store/disk/batch_key.h"
#include "store/disk/block_codec.h"
#include "store/profile/profile.h"

#define LOG_RECORD_ALIGN_BYTES 8
/* Up to the summary, and the checksum behind it. */
#define LOG_RECORD_HEADER_BYTES_MIN 80
/* A host's name and 64 types of ordinary length fill 4 KiB. */
#define LOG_RECORD_HEADER_BYTES_MAX 16384
#define LOG_RECORD_BYTES_MAX (LOG_RECORD_HEADER_BYTES_MAX + BLOCK_BYTES_MAX)

/* Values are stored: never renumber. */
enum log_record_kind {
	LOG_RECORD_PROFILE = 1, /* payload: a block */
	LOG_RECORD_INDEX = 2, /* payload: the headers of the whole file; closes it */
};

struct log_span {
	const char *text;
	uint32_t length;
};

struct log_record {
	uint32_t kind; /* enum log_record_kind, or what a later version wrote */
	uint32_t header_bytes;
	uint32_t payload_bytes;
	uint64_t payload_checksum;
	struct batch_key key;
	uint64_t received_at_ns; /* epoch */
	uint64_t start_ns; /* of the window, epoch */
	uint64_t until_ns; /* end of the window, epoch; above start_ns */
	struct log_span host;
	struct log_span types[PROFILE_TYPE_COUNT_MAX];
	uint32_t type_count;
};

/* Header, payload and padding together. */
size_t log_record_bytes(const struct log_record *record);
/* Times, host and types of PROFILE; its texts are borrowed. */
void log_record_describe(struct log_record *ret_record, const struct profile *profile);
/* Writes header, payload and padding; sets RECORD's lengths and checksum.
 * -EFBIG: host and types do not fit a header.  -ENOMEM. */
int log_record_write(struct log_record *record, const void *payload, size_t payload_bytes,
	struct bytes_writer *writer);
/* Reads the header at the start of BYTES, which may end anywhere behind it. */
int log_record_parse(const uint8_t *bytes, size_t byte_count, struct log_record *ret_record);
bool log_record_payload_intact(const struct log_record *record, const void *payload);
