/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/index_map.h"

#include <errno.h>

#include "tests/support/check.h"

#define KEY_COUNT 20000u

/* Record I is the number I * 7; HASH may be as bad as a test wants. */
static bool equal(const void *context, uint32_t index, const void *key)
{
	(void)context;
	return index * 7 == *(const uint32_t *)key;
}

static void check_all_found(uint64_t (*hash)(uint32_t key), uint32_t count)
{
	struct index_map map;

	index_map_init(&map, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t key = i * 7;

		CHECK_EQ(index_map_find(&map, hash(key), equal, NULL, &key), INDEX_MAP_NONE);
		CHECK_EQ(index_map_add(&map, hash(key), i), 0);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t key = i * 7, absent = key + 1;

		CHECK_EQ(index_map_find(&map, hash(key), equal, NULL, &key), i);
		CHECK_EQ(index_map_find(&map, hash(absent), equal, NULL, &absent), INDEX_MAP_NONE);
	}
	CHECK_EQ(map.count, count);
	CHECK_EQ(index_map_add(&map, 1, count), -E2BIG);
	index_map_clear(&map);
	CHECK_EQ(index_map_find(&map, hash(0), equal, NULL, &(uint32_t){0}), INDEX_MAP_NONE);
	CHECK_EQ(index_map_add(&map, hash(0), 0), 0);
	CHECK_EQ(index_map_find(&map, hash(0), equal, NULL, &(uint32_t){0}), 0);
	index_map_done(&map);
}

static uint64_t spread(uint32_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t one_for_all(uint32_t key)
{
	(void)key;
	return 5;
}

/* Equal in the bits that choose the place. */
static uint64_t high_bits_only(uint32_t key)
{
	return (uint64_t)key << 32 | 0xffffffff;
}

static void what_was_added_is_found(void)
{
	check_all_found(spread, KEY_COUNT);
}

static void records_of_equal_hash_are_told_apart(void)
{
	check_all_found(one_for_all, 500);
	check_all_found(high_bits_only, 500);
}

static void an_empty_map_finds_nothing(void)
{
	struct index_map map;
	uint32_t key = 0;

	index_map_init(&map, 0);
	CHECK_EQ(index_map_find(&map, 0, equal, NULL, &key), INDEX_MAP_NONE);
	CHECK_EQ(index_map_add(&map, 0, 0), -E2BIG);
	index_map_clear(&map);
	index_map_done(&map);
	index_map_done(&map);
}

int main(void)
{
	RUN(what_was_added_is_found);
	RUN(records_of_equal_hash_are_told_apart);
	RUN(an_empty_map_finds_nothing);
	return 0;
}
