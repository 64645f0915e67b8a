/* SPDX-License-Identifier: Apache-2.0 */
/* Compress: the one place that includes zstd.
 *
 * What it is   one-shot zstd of a span, with a checked and limited way back; files in a stream.
 * Ownership    results are malloc'ed for the caller.
 * Threads      any.
 * Errors       -ENOMEM; -EBADMSG: not a zstd frame of known size; -EFBIG: larger than allowed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int compress_bytes(const void *bytes, size_t byte_count, int level, uint8_t **ret_bytes,
	size_t *ret_byte_count);
/* The frame must state its content size, and that may be at most BYTES_MAX. */
int decompress_bytes(const void *bytes, size_t byte_count, size_t bytes_max, uint8_t **ret_bytes,
	size_t *ret_byte_count);
/* One or more frames that together unpack to exactly TO_BYTE_COUNT bytes, a size that was told
 * elsewhere. -EBADMSG if they do not. */
int decompress_exactly(const void *bytes, size_t byte_count, void *ret_to, size_t to_byte_count);
/* The same, written to TO_FD, where that stands, in little memory. Also errors of writing. */
int decompress_write(const void *bytes, size_t byte_count, int to_fd, uint64_t to_byte_count);
/* Reads frames of any size from one file and writes what they hold to another, in little memory.
 * -EFBIG: more than BYTES_MAX; -EBADMSG: not zstd, or cut off; other errors of read and write. */
int decompress_file(int from_fd, int to_fd, uint64_t bytes_max);
