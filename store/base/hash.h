/* SPDX-License-Identifier: Apache-2.0 */
/* Hash: the one place that includes xxhash.
 *
 * What it is   content hashes of a span (XXH3), stable across machines and versions; and hashes for
 *              look-ups in memory, keyed anew in each process, so that nobody outside can choose
 *              keys that all fall into one place of a table.
 * Ownership    values only.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hash128 {
	uint64_t low;
	uint64_t high;
};

/* May be stored and sent. */
uint64_t hash_bytes(const void *bytes, size_t byte_count);
struct hash128 hash128_bytes(const void *bytes, size_t byte_count);

/* For tables in memory only: differ from process to process. */
uint64_t hash_key(const void *bytes, size_t byte_count);
uint64_t hash_pair(uint64_t first, uint64_t second);
