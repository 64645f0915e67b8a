/* SPDX-License-Identifier: Apache-2.0 */
/* Hash: the one place that includes xxhash.
 *
 * What it is   64-bit and 128-bit content hashes of a span (XXH3), stable across machines and
 * versions. Ownership    values only. Threads      any. Errors       none.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hash128 {
	uint64_t low;
	uint64_t high;
};

uint64_t hash_bytes(const void *bytes, size_t byte_count);
struct hash128 hash128_bytes(const void *bytes, size_t byte_count);
/* A well-mixed 64-bit value of two words: for keys of in-memory tables only, never stored. */
uint64_t hash_pair(uint64_t first, uint64_t second);
