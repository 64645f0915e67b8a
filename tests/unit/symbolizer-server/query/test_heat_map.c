/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/heat_map.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

#define START (UINT64_C(1700000000) * NS_PER_S)
#define PERIOD INT64_C(10000000)

static struct selector everything(void)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct selector selector;

	CHECK_EQ(selector_parse("", 0, &selector, error), 0);
	return selector;
}

static void rows_are_whole_slots(void)
{
	struct time_range range = {START, START + 3 * NS_PER_S};
	struct heat_map_shape shape = {.row_count = 77};

	CHECK_EQ(heat_map_choose(range, NS_PER_S, 50, 10, &shape), 0);
	CHECK_EQ(shape.row_count, 50);
	CHECK_EQ(shape.columns.count, 3);
	CHECK_EQ(heat_map_choose(range, NS_PER_S, 49, 10, &shape), 0);
	CHECK_EQ(shape.row_count, 25);
	CHECK_EQ(heat_map_choose(range, 30 * NS_PER_MS, 50, 200, &shape), 0);
	CHECK_EQ(shape.row_count, 1);
	CHECK_EQ(heat_map_choose(range, NS_PER_S, 50, 2, &shape), -E2BIG);
}

static void a_cell_counts_the_samples_of_its_slot(void)
{
	struct time_range range = {START + NS_PER_S, START + 3 * NS_PER_S};
	struct selector selector = everything();
	struct profile *profile = sample_profile_new("a", START, 10 * NS_PER_S);
	struct heat_map_shape shape;
	struct heat_map map;

	/* Outside, then the first cell, the last one of the first second, and one more. */
	for (uint32_t i = 0; i < 4; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){
				.stack = "f", .slot = (const uint32_t[]){49, 50, 99, 113}[i]});
	}
	sample_profile_seal(profile);
	CHECK_EQ(heat_map_choose(range, NS_PER_S, 50, 10, &shape), 0);
	CHECK_EQ(heat_map_init(&map, &selector, range, &shape), 0);
	CHECK_EQ(heat_map_add(&map, profile), 0);
	CHECK_EQ(heat_map_cell_count(&map), 100);
	CHECK_EQ(map.sample_count, 3);
	CHECK_EQ(map.total, 3 * PERIOD);
	CHECK_EQ(map.counts[0], 1);
	CHECK_EQ(map.counts[49], 1);
	CHECK_EQ(map.counts[63], 1);
	CHECK_EQ(map.values[63], PERIOD);
	CHECK_EQ(map.spread_count, 0);
	CHECK_EQ(map.spread_until_ns, 0);
	heat_map_done(&map);
	profile_free(profile);
	selector_done(&selector);
}

static void without_slots_samples_are_spread_and_it_is_told(void)
{
	struct time_range range = {START, START + 20 * NS_PER_S};
	struct selector selector = everything();
	struct profile *profile = sample_profile_new("a", START, 10 * NS_PER_S);
	struct heat_map_shape shape;
	struct heat_map map;

	for (uint32_t i = 0; i < 100; i++)
		sample_profile_add(profile, &(struct sample_profile_sample){.stack = "f"});
	sample_profile_seal(profile);
	profile->types[0].has_slots = false;
	CHECK_EQ(heat_map_choose(range, NS_PER_S, 10, 100, &shape), 0);
	CHECK_EQ(heat_map_init(&map, &selector, range, &shape), 0);
	CHECK_EQ(heat_map_add(&map, profile), 0);
	for (uint32_t i = 0; i < 100; i++) {
		CHECK_EQ(map.counts[i], 1);
		CHECK_EQ(map.values[i], PERIOD);
		CHECK_EQ(map.counts[100 + i], 0);
	}
	CHECK_EQ(map.spread_count, 100);
	CHECK_EQ(map.spread_until_ns, START + 10 * NS_PER_S);
	heat_map_done(&map);
	/* In one cell there is nothing to spread. */
	CHECK_EQ(heat_map_choose(range, 10 * NS_PER_S, 1, 100, &shape), 0);
	CHECK_EQ(heat_map_init(&map, &selector, range, &shape), 0);
	CHECK_EQ(heat_map_add(&map, profile), 0);
	CHECK_EQ(map.counts[0], 100);
	CHECK_EQ(map.spread_count, 0);
	heat_map_done(&map);
	profile_free(profile);
	selector_done(&selector);
}

int main(void)
{
	RUN(rows_are_whole_slots);
	RUN(a_cell_counts_the_samples_of_its_slot);
	RUN(without_slots_samples_are_spread_and_it_is_told);
	return 0;
}
