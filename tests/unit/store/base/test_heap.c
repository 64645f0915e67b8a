/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/check.h"

/* Blocks too small for pages of their own, with a small one that stays between each two. */
#define BLOCK_COUNT 4096
#define BLOCK_BYTES 16384
#define ALL_BYTES ((size_t)BLOCK_COUNT * BLOCK_BYTES)

static size_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long size, resident;

	CHECK(file);
	CHECK_EQ(fscanf(file, "%lu %lu", &size, &resident), 2);
	CHECK_EQ(fclose(file), 0);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void what_was_freed_between_others_is_given_back(void)
{
	static void *blocks[BLOCK_COUNT], *between[BLOCK_COUNT];
	size_t before;

	for (int i = 0; i < BLOCK_COUNT; i++) {
		blocks[i] = malloc(BLOCK_BYTES);
		between[i] = malloc(64);
		CHECK(blocks[i] && between[i]);
		memset(blocks[i], 1, BLOCK_BYTES);
	}
	for (int i = 0; i < BLOCK_COUNT; i++)
		free(blocks[i]);
	before = resident_bytes();
	/* That much may stay. */
	heap_give_back(4 * ALL_BYTES);
	CHECK(resident_bytes() > before - ALL_BYTES / 2);
	heap_give_back(ALL_BYTES / 2);
	/* The allocators of sanitizers keep nothing of this kind. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	CHECK(before > ALL_BYTES / 2);
	CHECK(resident_bytes() < before - ALL_BYTES / 2);
#else
	CHECK(resident_bytes() > 0 && before > 0);
#endif
	for (int i = 0; i < BLOCK_COUNT; i++)
		free(between[i]);
}

int main(void)
{
	RUN(what_was_freed_between_others_is_given_back);
	return 0;
}
