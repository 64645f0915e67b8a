/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   before   [ a ]   [    b    ]  [ c ]   [  d  ]
 *   new                  [     n       ]
 *   after    [ a ]   [ b][     n       ]  [  d  ]
 *
 * A sorted array: looked up for every frame, changed only when a file is mapped.
 */
#include "collector/process/mapping_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"

/* A dynamically linked program has some ten executable mappings. */
#define CAPACITY_FIRST 8

static void release_mapping(struct mapping_pool *pool, const struct mapping *mapping)
{
	if (mapping->binary)
		binary_release(pool->binaries, mapping->binary);
}

static void forget_tree(struct mapping_pool *pool, struct mapping_set *set)
{
	if (set->tree.node != 0 && pool->forget_tree)
		pool->forget_tree(pool->context, set);
}

void mapping_set_release(struct mapping_pool *pool, struct mapping_set *set)
{
	if (!set)
		return;
	must(set->reference_count > 0);
	if (--set->reference_count > 0)
		return;
	forget_tree(pool, set);
	for (uint32_t i = 0; i < set->count; i++)
		release_mapping(pool, &set->mappings[i]);
	pool->mapping_count -= set->capacity;
	free(set);
}

struct mapping_set *mapping_set_share(struct mapping_set *set)
{
	if (set)
		set->reference_count++;
	return set;
}

/* The first mapping that ends above ADDRESS. */
static uint32_t first_above(const struct mapping_set *set, uint64_t address)
{
	uint32_t low = 0, high = set->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (set->mappings[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct mapping *mapping_set_find(const struct mapping_set *set, uint64_t address)
{
	uint32_t index;

	if (!set)
		return NULL;
	index = first_above(set, address);
	if (index == set->count || set->mappings[index].start > address)
		return NULL;
	return &set->mappings[index];
}

static bool is_same(const struct mapping *one, const struct mapping *other)
{
	return one->start == other->start && one->end == other->end &&
		one->offset == other->offset && one->binary == other->binary;
}

/* A set of the caller's own with room for COUNT mappings, with the contents of OLD. */
static int own_set(struct mapping_pool *pool, struct mapping_set *old, uint32_t count,
	struct mapping_set **ret_set)
{
	uint32_t capacity = CAPACITY_FIRST;
	uint32_t old_count = old ? old->count : 0;
	struct mapping_set *set;

	if (old && old->reference_count == 1 && old->capacity >= count) {
		*ret_set = old;
		return 0;
	}
	while (capacity < count)
		capacity *= 2;
	if (count > MAPPING_COUNT_MAX || pool->mapping_count + capacity > MAPPING_TOTAL_MAX)
		return -E2BIG;
	set = malloc(sizeof(*set) + capacity * sizeof(set->mappings[0]));
	if (!set)
		return -ENOMEM;
	set->reference_count = 1;
	set->tree = (struct unwind_reference){0, 0};
	set->tree_height = 0;
	set->count = old_count;
	set->capacity = capacity;
	for (uint32_t i = 0; i < old_count; i++) {
		set->mappings[i] = old->mappings[i];
		if (set->mappings[i].binary)
			binary_share(pool->binaries, set->mappings[i].binary);
	}
	pool->mapping_count += capacity;
	mapping_set_release(pool, old);
	*ret_set = set;
	return 0;
}

/* Room for what is left of a mapping on either side of the new one. */
#define PART_COUNT_MAX 3

/* The new mapping between the rests of what it covers, FIRST to LAST (exclusive). */
static uint32_t cut_parts(const struct mapping_set *set, uint32_t first, uint32_t last,
	const struct mapping *mapping, struct mapping ret_parts[PART_COUNT_MAX])
{
	uint32_t count = 0;

	if (first < last && set->mappings[first].start < mapping->start) {
		ret_parts[count] = set->mappings[first];
		ret_parts[count++].end = mapping->start;
	}
	ret_parts[count++] = *mapping;
	if (first < last && set->mappings[last - 1].end > mapping->end) {
		struct mapping *rest = &ret_parts[count++];

		*rest = set->mappings[last - 1];
		rest->offset += mapping->end - rest->start;
		rest->start = mapping->end;
	}
	return count;
}

/* Memory without a file that touches its like is one piece: JIT compilers map page by page. */
static void join_neighbours(
	const struct mapping_set *set, uint32_t *first, uint32_t *last, struct mapping *mapping)
{
	if (mapping->binary)
		return;
	if (*first > 0 && !set->mappings[*first - 1].binary &&
		set->mappings[*first - 1].end == mapping->start) {
		--*first;
		mapping->start = set->mappings[*first].start;
	}
	if (*last < set->count && !set->mappings[*last].binary &&
		set->mappings[*last].start == mapping->end) {
		mapping->end = set->mappings[*last].end;
		++*last;
	}
}

static int insert(struct mapping_pool *pool, struct mapping_set **holder, struct mapping mapping)
{
	struct mapping_set *set = *holder;
	struct mapping parts[PART_COUNT_MAX];
	uint32_t first = set ? first_above(set, mapping.start) : 0;
	uint32_t last = first;
	uint32_t part_count, count;
	int r;

	mapping.version = pool->version == UINT32_MAX ? 1 : pool->version + 1;
	while (set && last < set->count && set->mappings[last].start < mapping.end)
		last++;
	if (set)
		join_neighbours(set, &first, &last, &mapping);
	part_count = cut_parts(set, first, last, &mapping, parts);
	count = (set ? set->count : 0) - (last - first) + part_count;
	r = own_set(pool, set, count, &set);
	if (r < 0)
		return r;
	*holder = set;
	forget_tree(pool, set);
	set->version = mapping.version;
	pool->version = mapping.version;
	for (uint32_t i = 0; i < part_count; i++) {
		if (parts[i].binary)
			binary_share(pool->binaries, parts[i].binary);
	}
	for (uint32_t i = first; i < last; i++)
		release_mapping(pool, &set->mappings[i]);
	memmove(&set->mappings[first + part_count], &set->mappings[last],
		(set->count - last) * sizeof(set->mappings[0]));
	memcpy(&set->mappings[first], parts, part_count * sizeof(parts[0]));
	set->count = count;
	return 0;
}

int mapping_set_insert(
	struct mapping_pool *pool, struct mapping_set **set, const struct mapping *mapping)
{
	const struct mapping *there = mapping_set_find(*set, mapping->start);
	int r = 0;

	must(mapping->start < mapping->end);
	/* A process that was read from /proc while it mapped tells the same twice. */
	if (!there || !is_same(there, mapping))
		r = insert(pool, set, *mapping);
	release_mapping(pool, mapping);
	return r;
}

/* Readings of the same file by different ways make different binaries of it. */
static bool is_same_file(const struct binary *one, const struct binary *other)
{
	if (one == other)
		return true;
	return one && other && build_id_known(&one->build_id) &&
		build_id_equal(&one->build_id, &other->build_id);
}

bool mapping_set_carry_over(const struct mapping_set *old, struct mapping_set *fresh)
{
	uint32_t carried = 0;

	for (uint32_t i = 0; i < fresh->count; i++) {
		struct mapping *mapping = &fresh->mappings[i];
		const struct mapping *before = mapping_set_find(old, mapping->start);

		if (!before || before->start != mapping->start || before->end != mapping->end ||
			before->offset != mapping->offset ||
			!is_same_file(before->binary, mapping->binary))
			continue;
		mapping->version = before->version;
		carried++;
	}
	return old && carried == fresh->count && fresh->count == old->count;
}
