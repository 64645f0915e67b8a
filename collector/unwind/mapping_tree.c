/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/mapping_tree.h"

#include <errno.h>
#include <string.h>

bool mapping_bias(const struct mapping *mapping, uint64_t *ret_bias)
{
	const struct binary *binary = mapping->binary;
	uint64_t bytes = mapping->end - mapping->start, most = 0, from, until;

	if (!binary || binary->state != BINARY_READ ||
		!frame_code_range(binary->segments, &from, &until))
		return false;
	/* Whole pages are mapped, so that it may touch several segments: the one that it is for
	 * is the executable one that most of it shows. */
	for (uint32_t i = 0; i < binary->segments->count; i++) {
		const struct load_segment *segment = &binary->segments->segments[i];
		uint64_t low = segment->offset, high = low + segment->file_bytes;

		if (low < mapping->offset)
			low = mapping->offset;
		if (high > mapping->offset + bytes)
			high = mapping->offset + bytes;
		if (!segment->executable || high <= low || high - low <= most)
			continue;
		most = high - low;
		*ret_bias = mapping->start - mapping->offset + segment->offset - segment->address +
			from;
	}
	return most > 0;
}

static void write_mapping(
	struct unwind_mapping *to, const struct mapping *mapping, struct table_store *tables)
{
	uint32_t number = UNWIND_NO_TABLE;
	uint64_t bias = 0;

	if (!mapping_bias(mapping, &bias) ||
		table_store_number(tables, &mapping->binary->build_id, &number) < 0)
		number = UNWIND_NO_TABLE;
	*to = (struct unwind_mapping){mapping->start, mapping->end, bias, number, 0};
}

static int write_leaf(const struct mapping_set *set, uint32_t first, struct node_pool *pool,
	struct table_store *tables, struct unwind_reference *ret_reference)
{
	struct unwind_mapping_leaf *leaf;
	uint32_t count = set->count - first;
	int r = node_pool_take(pool, ret_reference);

	if (r < 0)
		return r;
	if (count > UNWIND_LEAF_MAPPINGS)
		count = UNWIND_LEAF_MAPPINGS;
	leaf = node_pool_at(pool, *ret_reference);
	for (uint32_t i = 0; i < count; i++)
		write_mapping(&leaf->mappings[i], &set->mappings[first + i], tables);
	leaf->head.count = (uint16_t)count;
	return 0;
}

static void give_back(struct node_pool *pool, struct unwind_reference root, uint8_t height)
{
	const struct unwind_mapping_index *index = node_pool_at(pool, root);

	for (uint32_t i = 0; height > 0 && i < index->head.count; i++)
		node_pool_give_back(pool, index->children[i].reference);
	node_pool_give_back(pool, root);
}

static int write_index(const struct mapping_set *set, struct node_pool *pool,
	struct table_store *tables, struct unwind_reference *ret_reference)
{
	struct unwind_mapping_index *index;
	int r = node_pool_take(pool, ret_reference);

	if (r < 0)
		return r;
	index = node_pool_at(pool, *ret_reference);
	for (uint32_t first = 0; first < set->count && first < MAPPING_TREE_MAX;
		first += UNWIND_LEAF_MAPPINGS) {
		struct unwind_mapping_child child = {.first = set->mappings[first].start};

		r = write_leaf(set, first, pool, tables, &child.reference);
		if (r < 0) {
			give_back(pool, *ret_reference, 1);
			return r;
		}
		index->children[index->head.count++] = child;
	}
	return 0;
}

int mapping_tree_write(struct mapping_set *set, struct node_pool *pool, struct table_store *tables)
{
	uint8_t height = set->count > UNWIND_LEAF_MAPPINGS;
	struct unwind_reference root;
	int r = height ? write_index(set, pool, tables, &root)
		       : write_leaf(set, 0, pool, tables, &root);

	if (r < 0)
		return r;
	mapping_tree_forget(set, pool);
	set->tree = root;
	set->tree_height = height;
	return 0;
}

void mapping_tree_forget(struct mapping_set *set, struct node_pool *pool)
{
	if (set->tree.node == 0)
		return;
	give_back(pool, set->tree, set->tree_height);
	set->tree = (struct unwind_reference){0, 0};
}
