/* SPDX-License-Identifier: Apache-2.0 */
/* Slot bytes: how much of an encoded block is slots, which bars leave apart.
 *
 * What it is   one walk over the sections of a block: docs/format.md. Whole in this header.
 * Ownership    nothing outlives the call.
 * Threads      any.
 * Errors       a profile that cannot be encoded ends the test.
 */
#pragma once

#include <stdlib.h>

#include "store/disk/block_codec.h"
#include "tests/support/check.h"

#define SECTION_SLOTS 3 /* docs/format.md */

static inline uint64_t slot_bytes(const struct profile *profile)
{
	uint8_t *bytes;
	size_t byte_count, at = 2;
	uint64_t found = 0;

	CHECK_EQ(block_encode(profile, &bytes, &byte_count), 0);
	for (int i = 0; i < bytes[1]; i++) {
		uint64_t length = 0;
		int shift = 0, id = bytes[at++];

		do
			length |= (uint64_t)(bytes[at] & 0x7f) << 7 * shift++;
		while (bytes[at++] & 0x80);
		if (id == SECTION_SLOTS)
			found = length;
	}
	free(bytes);
	return found;
}
