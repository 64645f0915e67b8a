/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/block_order.h"

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

static struct profile *profile_of(uint64_t seed, uint32_t sample_count)
{
	struct fake_host host = fake_small_host("a");

	host.seed = seed;
	host.sample_count = sample_count;
	return fake_profile(&host, UINT64_C(1700000000) * NS_PER_S, 10 * NS_PER_S, 1);
}

/* PLACES is the inverse of ORDER, and both name each index once. */
static void check_permutation(const uint32_t *order, const uint32_t *places, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		CHECK(order[i] < count);
		CHECK_EQ(places[order[i]], i);
	}
}

static bool frame_before(const struct frame *one, const struct frame *other)
{
	if (one->module != other->module)
		return one->module < other->module;
	if (one->address != other->address)
		return one->address < other->address;
	if (one->kind != other->kind)
		return one->kind < other->kind;
	return one->flags < other->flags;
}

static void frames_rise_by_module_and_address(void)
{
	struct profile *profile = profile_of(1, 500);
	struct frame odd[] = {{UINT64_MAX, 0, 0, 0}, {UINT64_MAX, 0, 0, 1}, {UINT64_MAX, 0, 1, 0},
		{5, 0, 0, 0}, {UINT64_C(1) << 40, 3, 2, 1}};
	const struct frame *frames;
	struct block_order order;
	uint32_t index;

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		CHECK_EQ(frame_table_add(&profile->frames, &odd[i], &index), 0);
	CHECK_EQ(block_order_init(&order, profile), 0);
	frames = profile->frames.frames;
	check_permutation(order.frames, order.frame_places, profile->frames.count);
	for (uint32_t i = 1; i < profile->frames.count; i++)
		CHECK(frame_before(&frames[order.frames[i - 1]], &frames[order.frames[i]]));
	block_order_done(&order);
	profile_free(profile);
}

/* Depth first: a node's parent is the node before it or one of that node's forebears; siblings rise
 * by their frames' places. */
static void nodes_come_depth_first_with_rising_siblings(void)
{
	for (uint64_t seed = 1; seed < 20; seed++) {
		struct profile *profile = profile_of(seed, 200);
		const struct stack_node *nodes = profile->stacks.nodes;
		struct block_order order;

		CHECK_EQ(block_order_init(&order, profile), 0);
		check_permutation(order.nodes, order.node_places, profile->stacks.count);
		CHECK_EQ(order.nodes[0], STACK_EMPTY);
		for (uint32_t i = 1; i < profile->stacks.count; i++) {
			uint32_t node = order.nodes[i], at = order.nodes[i - 1],
				 below = STACK_EMPTY;

			for (; at != nodes[node].parent; at = nodes[at].parent) {
				CHECK(at != STACK_EMPTY);
				below = at;
			}
			if (below != STACK_EMPTY)
				CHECK(order.frame_places[nodes[below].frame] <
					order.frame_places[nodes[node].frame]);
		}
		block_order_done(&order);
		profile_free(profile);
	}
}

static void an_empty_profile_has_an_order(void)
{
	struct block_order order;
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(block_order_init(&order, profile), 0);
	CHECK_EQ(order.nodes[0], STACK_EMPTY);
	block_order_done(&order);
	block_order_done(&order);
	profile_free(profile);
}

int main(void)
{
	RUN(frames_rise_by_module_and_address);
	RUN(nodes_come_depth_first_with_rising_siblings);
	RUN(an_empty_profile_has_an_order);
	return 0;
}
