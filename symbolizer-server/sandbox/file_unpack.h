/* SPDX-License-Identifier: Apache-2.0 */
/* File unpacking: a file that is packed as a whole, as kernels install their modules (`.ko.xz`,
 * `.ko.zst`, `.ko.gz`).
 *
 * What it is   tells the way by the first bytes, whatever the file is called.
 * Ownership    the descriptors are the caller's.
 * Threads      no shared state.
 * Errors       -ENOENT: it is not packed in any of these ways; -EBADMSG: damaged; -EFBIG: larger than
 *              allowed; -ENOMEM; errors of reading and writing.
 */
#pragma once

#include <stddef.h>

/* The largest modules with all their debug information, packed and not. */
#define FILE_PACKED_BYTES_MAX ((size_t)128 << 20)
#define FILE_UNPACKED_BYTES_MAX ((size_t)512 << 20)

/* Writes what is in FD to TO_FD, an empty file. */
int file_unpack(int fd, int to_fd);
