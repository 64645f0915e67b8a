/* SPDX-License-Identifier: Apache-2.0 */
/* Whole I/O: reads and writes that either happen whole or fail.
 *
 * What it is   pread and write without their two traps: short transfers and interruption.
 * Ownership    the descriptor and the bytes stay with the caller.
 * Threads      any, on descriptors that no other thread closes.
 * Errors       0 or a negative errno. After an error the bytes, or what was written, are no use.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Reads exactly BYTE_COUNT bytes from OFFSET on. -EBADMSG: the file ends before that. */
int whole_read_at(int fd, uint64_t offset, void *ret_bytes, size_t byte_count);
int whole_write(int fd, const void *bytes, size_t byte_count);
