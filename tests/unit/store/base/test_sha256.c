/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/sha256.h"

#include "tests/support/check.h"

static void check_hash(const char *text, size_t length, size_t part, const char *expected)
{
	char hex[2 * SHA256_BYTES + 1];
	uint8_t digest[SHA256_BYTES];
	struct sha256 hash;

	sha256_init(&hash);
	for (size_t i = 0; i < length; i += part)
		sha256_add(&hash, text + i, length - i < part ? length - i : part);
	sha256_finish(&hash, digest);
	for (int i = 0; i < SHA256_BYTES; i++)
		sprintf(hex + (size_t)2 * i, "%02x", digest[i]);
	CHECK_STR(hex, expected);
}

/* The examples of FIPS 180-4 and its companion. */
static void published_examples_hold(void)
{
	const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

	check_hash("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check_hash("abc", 3, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check_hash(two_blocks, 56, 56,
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters_give_the_published_hash_in_any_parts(void)
{
	const char *expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
	static char text[1000000];

	memset(text, 'a', sizeof(text));
	check_hash(text, sizeof(text), sizeof(text), expected);
	check_hash(text, sizeof(text), 1, expected);
	check_hash(text, sizeof(text), 63, expected);
	check_hash(text, sizeof(text), 65, expected);
}

static void lengths_around_a_block_differ(void)
{
	char text[128];

	memset(text, 0, sizeof(text));
	check_hash(
		text, 55, 55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
	check_hash(
		text, 56, 56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
	check_hash(
		text, 64, 64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
}

int main(void)
{
	RUN(published_examples_hold);
	RUN(a_million_letters_give_the_published_hash_in_any_parts);
	RUN(lengths_around_a_block_differ);
	return 0;
}
