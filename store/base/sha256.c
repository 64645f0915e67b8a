/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
	0x428a2f98,
	0x71374491,
	0xb5c0fbcf,
	0xe9b5dba5,
	0x3956c25b,
	0x59f111f1,
	0x923f82a4,
	0xab1c5ed5,
	0xd807aa98,
	0x12835b01,
	0x243185be,
	0x550c7dc3,
	0x72be5d74,
	0x80deb1fe,
	0x9bdc06a7,
	0xc19bf174,
	0xe49b69c1,
	0xefbe4786,
	0x0fc19dc6,
	0x240ca1cc,
	0x2de92c6f,
	0x4a7484aa,
	0x5cb0a9dc,
	0x76f988da,
	0x983e5152,
	0xa831c66d,
	0xb00327c8,
	0xbf597fc7,
	0xc6e00bf3,
	0xd5a79147,
	0x06ca6351,
	0x14292967,
	0x27b70a85,
	0x2e1b2138,
	0x4d2c6dfc,
	0x53380d13,
	0x650a7354,
	0x766a0abb,
	0x81c2c92e,
	0x92722c85,
	0xa2bfe8a1,
	0xa81a664b,
	0xc24b8b70,
	0xc76c51a3,
	0xd192e819,
	0xd6990624,
	0xf40e3585,
	0x106aa070,
	0x19a4c116,
	0x1e376c08,
	0x2748774c,
	0x34b0bcb5,
	0x391c0cb3,
	0x4ed8aa4a,
	0x5b9cca4f,
	0x682e6ff3,
	0x748f82ee,
	0x78a5636f,
	0x84c87814,
	0x8cc70208,
	0x90befffa,
	0xa4506ceb,
	0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t value, unsigned bits)
{
	return value >> bits | value << (32 - bits);
}

static uint32_t big_endian(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
		bytes[3];
}

static void expand(const uint8_t *block, uint32_t words[64])
{
	for (int i = 0; i < 16; i++)
		words[i] = big_endian(block + (size_t)4 * i);
	for (int i = 16; i < 64; i++) {
		uint32_t a = words[i - 15], b = words[i - 2];
		uint32_t low = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3;
		uint32_t high = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;

		words[i] = words[i - 16] + low + words[i - 7] + high;
	}
}

static void mix(struct sha256 *hash, const uint8_t *block)
{
	uint32_t words[64], s[8];

	expand(block, words);
	memcpy(s, hash->state, sizeof(s));
	for (int i = 0; i < 64; i++) {
		uint32_t sum1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t first = s[7] + sum1 + choice + round_constants[i] + words[i];
		uint32_t sum0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
		uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);

		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += first;
		s[0] = first + sum0 + majority;
	}
	for (int i = 0; i < 8; i++)
		hash->state[i] += s[i];
}

void sha256_init(struct sha256 *hash)
{
	/* The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
	*hash = (struct sha256){
		.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
			0x1f83d9ab, 0x5be0cd19},
	};
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t byte_count)
{
	const uint8_t *at = bytes;

	while (byte_count > 0) {
		size_t held = hash->byte_count % SHA256_BLOCK_BYTES;
		size_t part = SHA256_BLOCK_BYTES - held;

		if (part > byte_count)
			part = byte_count;
		memcpy(hash->block + held, at, part);
		hash->byte_count += part;
		at += part;
		byte_count -= part;
		if (held + part == SHA256_BLOCK_BYTES)
			mix(hash, hash->block);
	}
}

void sha256_finish(struct sha256 *hash, uint8_t ret_digest[SHA256_BYTES])
{
	static const uint8_t padding[SHA256_BLOCK_BYTES] = {0x80};
	uint64_t bit_count = hash->byte_count * 8;
	size_t held = hash->byte_count % SHA256_BLOCK_BYTES;
	uint8_t length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bit_count >> (56 - 8 * i));
	/* Up to the last eight bytes of a block, which hold the length. */
	sha256_add(hash, padding, held < 56 ? 56 - held : 120 - held);
	sha256_add(hash, length, sizeof(length));
	for (int i = 0; i < SHA256_BYTES; i++)
		ret_digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
