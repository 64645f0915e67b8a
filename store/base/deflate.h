/* SPDX-License-Identifier: Apache-2.0 */
/* Deflate: the one place that includes zlib.
 *
 * What it is   gzip of a span in one go, at zlib's fastest level: 200 kB of JSON take about a
 *              millisecond; and a checked way back for zlib streams of a known size.
 * Ownership    results go where the caller says.
 * Threads      any.
 * Errors       -ENOMEM; -EFBIG: the writer's limit; -EBADMSG: not such a stream.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"

int deflate_write_gzip(struct bytes_writer *writer, const void *bytes, size_t byte_count);
/* A zlib stream that unpacks to exactly TO_BYTE_COUNT bytes, a size that was told elsewhere; its
 * own trailer may be missing. */
int inflate_exactly(const void *bytes, size_t byte_count, void *ret_to, size_t to_byte_count);
/* The same, written to TO_FD, where that stands, in little memory. Also errors of writing. */
int inflate_write(const void *bytes, size_t byte_count, int to_fd, uint64_t to_byte_count);
