/* SPDX-License-Identifier: Apache-2.0 */
/* Deflate: the one place that includes zlib.
 *
 * What it is   gzip of a span in one go, at zlib's fastest level: 200 kB of JSON take about a
 *              millisecond; and checked ways back, for gzip under a limit and for zlib streams of
 *              a known size.
 * Ownership    results go where the caller says.
 * Threads      any.
 * Errors       -ENOMEM; -EFBIG: the writer's limit; -EBADMSG: not such a stream.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"

/* Whether these bytes begin as a gzip file does. */
bool gunzip_is(const void *bytes, size_t byte_count);
/* All members of a gzip file, appended to WRITER, whose limit is the only one. -EBADMSG: damaged or
 * cut off. */
int gunzip_write(struct bytes_writer *writer, const void *bytes, size_t byte_count);

/* How many bytes that would be, in little memory. -EFBIG: more than LENGTH_MAX. */
int gunzip_length(const void *bytes, size_t byte_count, size_t length_max, size_t *ret_length);

int deflate_write_gzip(struct bytes_writer *writer, const void *bytes, size_t byte_count);
/* A zlib stream that unpacks to exactly TO_BYTE_COUNT bytes, a size that was told elsewhere; its
 * own trailer may be missing. */
int inflate_exactly(const void *bytes, size_t byte_count, void *ret_to, size_t to_byte_count);
/* The same, written to TO_FD, where that stands, in little memory. Also errors of writing. */
int inflate_write(const void *bytes, size_t byte_count, int to_fd, uint64_t to_byte_count);
