/* SPDX-License-Identifier: Apache-2.0 */
/* File input: an input as a file, for code that reads files.
 *
 * What it is   a file in memory that holds the input.
 * Ownership    the descriptor is the caller's.
 * Threads      any.
 * Errors       no memory ends the program.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/must.h"

static inline int file_input(const uint8_t *bytes, size_t byte_count)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	must(fd >= 0);
	must(write(fd, bytes, byte_count) == (ssize_t)byte_count);
	return fd;
}
