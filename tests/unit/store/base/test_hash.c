/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/hash.h"

#include <unistd.h>

#include "tests/support/check.h"

/* Values of xxhash 0.8's own test suite: what is stored must read back on any machine. */
static void content_hashes_are_those_of_xxh3(void)
{
	CHECK(hash_bytes(NULL, 0) == UINT64_C(0x2d06800538d394c2));
	CHECK(hash128_bytes(NULL, 0).low == UINT64_C(0x6001c324468d497f));
	CHECK(hash128_bytes(NULL, 0).high == UINT64_C(0x99aa06d3014798d8));
}

static void content_hashes_follow_content_alone(void)
{
	char one[] = "a stack of stones", other[] = "xa stack of stones";

	CHECK(hash_bytes(one, sizeof(one)) == hash_bytes(other + 1, sizeof(one)));
	CHECK(hash_bytes(one, sizeof(one)) != hash_bytes(one, sizeof(one) - 1));
	one[3] ^= 1;
	CHECK(hash_bytes(one, sizeof(one)) != hash_bytes(other + 1, sizeof(one)));
}

static void keys_hash_alike_within_a_process(void)
{
	CHECK(hash_key("stone", 5) == hash_key("stone", 5));
	CHECK(hash_key("stone", 5) != hash_key("stones", 6));
	CHECK(hash_pair(1, 2) == hash_pair(1, 2));
	CHECK(hash_pair(1, 2) != hash_pair(2, 1));
}

/* A table indexes by the low bits: counting keys must not share them. */
static void low_bits_of_pairs_spread(void)
{
	static unsigned char filled[4096];
	unsigned used = 0;

	for (uint64_t i = 0; i < 4096; i++) {
		uint64_t at = hash_pair(i << 32, i & 7) & 4095;

		used += filled[at] == 0;
		filled[at] = 1;
	}
	/* 63 % of the places, were it random. */
	CHECK(used > 2300);
}

/* Run as a program of its own: prints what it makes of a key. */
static void print_key(void)
{
	printf("%llx %llx\n", (unsigned long long)hash_key("stone", 5),
		(unsigned long long)hash_pair(1, 2));
}

static void keys_hash_differently_in_another_process(const char *program)
{
	char command[512], first[64] = "", second[64] = "";
	FILE *output;

	snprintf(command, sizeof(command), "'%s' print", program);
	/* NOLINTNEXTLINE(cert-env33-c): the command is this program's own path, quoted. */
	output = popen(command, "r");
	CHECK(output && fgets(first, sizeof(first), output));
	pclose(output);
	/* NOLINTNEXTLINE(cert-env33-c): as above. */
	output = popen(command, "r");
	CHECK(output && fgets(second, sizeof(second), output));
	pclose(output);
	CHECK(strcmp(first, second) != 0);
	printf("ok %s\n", __func__);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		print_key();
		return 0;
	}
	RUN(content_hashes_are_those_of_xxh3);
	RUN(content_hashes_follow_content_alone);
	RUN(keys_hash_alike_within_a_process);
	RUN(low_bits_of_pairs_spread);
	keys_hash_differently_in_another_process(argv[0]);
	return 0;
}
