/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/hash.h"

#include <xxhash.h>

uint64_t hash_bytes(const void *bytes, size_t byte_count)
{
	return XXH3_64bits(bytes, byte_count);
}

struct hash128 hash128_bytes(const void *bytes, size_t byte_count)
{
	XXH128_hash_t hash = XXH3_128bits(bytes, byte_count);

	return (struct hash128){.low = hash.low64, .high = hash.high64};
}

uint64_t hash_pair(uint64_t first, uint64_t second)
{
	__extension__ unsigned __int128 product =
		(unsigned __int128)(first ^ UINT64_C(0x9e3779b97f4a7c15)) *
		(second ^ UINT64_C(0xd6e8feb86659fd93));

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}
