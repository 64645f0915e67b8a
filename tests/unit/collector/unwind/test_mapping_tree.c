/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/mapping_tree.h"

#include <errno.h>

#include "bpf/abi/unwind_search.h"
#include "tests/support/check.h"
#include "tests/support/unwind_memory.h"

static struct unwind_memory_fixture memory;
static struct node_pool nodes;
static struct rule_set rules;
static struct table_store tables;
static struct tally tally;
static struct proc_root proc;
static struct binary_table binaries;
static struct mapping_pool pool;

static void forget_tree(void *context, struct mapping_set *set)
{
	mapping_tree_forget(set, context);
}

static void set_up(uint32_t shard_count_max)
{
	struct node_pool_config config = {.shard_count_max = shard_count_max,
		.make_shard = unwind_memory_make_shard,
		.context = &memory};

	unwind_memory_init(&memory);
	node_pool_init(&nodes, &config);
	CHECK_EQ(rule_set_init(&rules, memory.rules), 0);
	CHECK_EQ(table_store_init(&tables, &nodes, &rules, memory.tables, &tally), 0);
	CHECK_EQ(proc_root_init(&proc, "/proc"), 0);
	CHECK_EQ(binary_table_init(&binaries, &proc, &tally), 0);
	pool = (struct mapping_pool){
		.binaries = &binaries, .forget_tree = forget_tree, .context = &nodes};
}

static void tear_down(void)
{
	CHECK_EQ(nodes.node_count, 0);
	binary_table_done(&binaries);
	proc_root_done(&proc);
	table_store_done(&tables);
	rule_set_done(&rules);
	node_pool_done(&nodes);
	unwind_memory_done(&memory);
}

static struct mapping_set *set_of(uint32_t count)
{
	struct mapping_set *set = NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct mapping mapping = {.start = 0x10000 + i * UINT64_C(0x2000),
			.end = 0x11000 + i * UINT64_C(0x2000)};

		CHECK_EQ(mapping_set_insert(&pool, &set, &mapping), 0);
	}
	return set;
}

/* As a walk does it. */
static const struct unwind_mapping *find(const struct mapping_set *set, uint64_t address)
{
	struct unwind_reference at = set->tree;

	if (set->tree_height > 0)
		at = unwind_find_mapping_child(node_pool_at(&nodes, at), address)->reference;
	return unwind_find_mapping(node_pool_at(&nodes, at), address);
}

static void every_mapping_is_found_and_nothing_between(uint32_t count)
{
	struct mapping_set *set;

	set_up(2);
	set = set_of(count);
	CHECK_EQ(mapping_tree_write(set, &nodes, &tables), 0);
	CHECK_EQ(set->tree_height, count > UNWIND_LEAF_MAPPINGS);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t start = 0x10000 + i * UINT64_C(0x2000);

		CHECK(find(set, start) && find(set, start + 0xfff) == find(set, start));
		CHECK_EQ(find(set, start)->start, start);
		CHECK_EQ(find(set, start)->table, UNWIND_NO_TABLE);
		CHECK(!find(set, start - 1) && !find(set, start + 0x1000));
	}
	mapping_set_release(&pool, set);
	tear_down();
}

static void trees_of_every_size_are_searched(void)
{
	every_mapping_is_found_and_nothing_between(1);
	every_mapping_is_found_and_nothing_between(UNWIND_LEAF_MAPPINGS);
	every_mapping_is_found_and_nothing_between(UNWIND_LEAF_MAPPINGS + 1);
	every_mapping_is_found_and_nothing_between(4096);
}

static void a_set_that_changes_loses_its_tree(void)
{
	struct mapping mapping = {.start = 0x900000, .end = 0x901000};
	struct mapping_set *set;
	struct unwind_reference before;

	set_up(1);
	set = set_of(3);
	CHECK_EQ(mapping_tree_write(set, &nodes, &tables), 0);
	before = set->tree;
	CHECK_EQ(mapping_set_insert(&pool, &set, &mapping), 0);
	CHECK_EQ(set->tree.node, 0);
	CHECK(!node_pool_at(&nodes, before));
	mapping_set_release(&pool, set);
	tear_down();
}

static void a_tree_that_finds_no_room_leaves_nothing_behind(void)
{
	struct unwind_reference taken[UNWIND_SHARD_NODES];
	struct mapping_set *set;
	uint32_t count = 0;

	set_up(1);
	set = set_of(UNWIND_LEAF_MAPPINGS * 3);
	while (node_pool_left(&nodes) > 3)
		CHECK_EQ(node_pool_take(&nodes, &taken[count++]), 0);
	CHECK_EQ(mapping_tree_write(set, &nodes, &tables), -ENOSPC);
	CHECK_EQ(set->tree.node, 0);
	CHECK_EQ(node_pool_left(&nodes), 3);
	while (count > 0)
		node_pool_give_back(&nodes, taken[--count]);
	mapping_set_release(&pool, set);
	tear_down();
}

/* A binary of two segments, as lld lays them out: addresses run ahead of file offsets. */
static void the_bias_comes_from_the_segment_that_is_shown(void)
{
	struct load_map map = {
		.segments = {{.offset = 0, .file_bytes = 0x1234, .address = 0x200000},
			{.offset = 0x1234,
				.file_bytes = 0x3000,
				.address = 0x202234,
				.executable = true}},
		.count = 2};
	struct binary binary = {.state = BINARY_READ, .segments = &map};
	struct mapping mapping = {.start = 0x7f0000001000,
		.end = 0x7f0000005000,
		.offset = 0x1000,
		.binary = &binary};
	uint64_t bias;

	CHECK(mapping_bias(&mapping, &bias));
	/* Its first byte of code. */
	CHECK_EQ(mapping.start + 0x234 - bias, 0);
	CHECK_EQ(mapping.start + 0x1000 - bias, 0xdcc);
	binary.state = BINARY_UNREAD;
	CHECK(!mapping_bias(&mapping, &bias));
}

int main(void)
{
	RUN(trees_of_every_size_are_searched);
	RUN(a_set_that_changes_loses_its_tree);
	RUN(a_tree_that_finds_no_room_leaves_nothing_behind);
	RUN(the_bias_comes_from_the_segment_that_is_shown);
	return 0;
}
