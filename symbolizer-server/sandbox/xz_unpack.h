/* SPDX-License-Identifier: Apache-2.0 */
/* xz unpacking: the one place that includes liblzma.
 *
 * What it is   a whole .xz stream in memory, unpacked into memory under a limit.
 * Ownership    the result is the caller's to free.
 * Threads      no shared state.
 * Errors       -EBADMSG: no such stream, or one that is cut off; -EFBIG: longer than allowed;
 *              -ENOMEM.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int xz_unpack(const uint8_t *packed, size_t packed_byte_count, size_t bytes_max,
	uint8_t **ret_bytes, size_t *ret_byte_count);
