/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/hash.h"

#include <sys/auxv.h>
#include <xxhash.h>

/* Drawn once, before main: the same in all threads without a lock. */
static struct hash128 secret;

static void __attribute__((constructor)) draw_secret(void)
{
	/* 16 random bytes that the kernel gives to each program; libc guards its stack with them,
	 * so they are not used as they are. */
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		secret = hash128_bytes(random, 16);
}

uint64_t hash_bytes(const void *bytes, size_t byte_count)
{
	return XXH3_64bits(bytes, byte_count);
}

struct hash128 hash128_bytes(const void *bytes, size_t byte_count)
{
	XXH128_hash_t hash = XXH3_128bits(bytes, byte_count);

	return (struct hash128){.low = hash.low64, .high = hash.high64};
}

uint64_t hash_key(const void *bytes, size_t byte_count)
{
	return XXH3_64bits_withSeed(bytes, byte_count, secret.low);
}

static uint64_t fold(uint64_t first, uint64_t second)
{
	__extension__ unsigned __int128 product = (unsigned __int128)first * second;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Folded twice: after one multiplication alone, keys that count in one half (an index in the upper
 * bits) still land evenly spaced, and for some secrets on few of a table's places. */
uint64_t hash_pair(uint64_t first, uint64_t second)
{
	return fold(fold(first ^ secret.low, second ^ secret.high) ^ secret.low,
		UINT64_C(0x9e3779b97f4a7c15));
}
