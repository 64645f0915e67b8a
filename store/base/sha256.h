/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256: for ids that other systems compute the same way; nothing here guards a secret.
 *
 * What it is   FIPS 180-4, fed piecewise.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_BLOCK_BYTES 64

struct sha256 {
	uint32_t state[8];
	uint64_t byte_count;
	uint8_t block[SHA256_BLOCK_BYTES];
};

void sha256_init(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t byte_count);
/* The hash must not be fed further. */
void sha256_finish(struct sha256 *hash, uint8_t ret_digest[SHA256_BYTES]);
