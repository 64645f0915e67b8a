/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unwind search: from an address to its mapping, and from a byte of code to its rule.
 *
 * What it is   binary searches in single nodes, with loops and indexes that the kernel's verifier
 *              can follow. User space searches by the same code.
 * Ownership    nodes are borrowed.
 * Threads      any; the caller checks the node's generation before and after.
 * Errors       what is not there is NULL, or UNWIND_RULE_GAP.
 */
#pragma once

#include <stddef.h>

#include "bpf/abi/unwind_table.h"

/* Halvings until one item of a node is left. */
#define UNWIND_HALVINGS_ROWS 9
#define UNWIND_HALVINGS_CHILDREN 8
#define UNWIND_HALVINGS_MAPPINGS 6
#define UNWIND_HALVINGS_MAPPING_CHILDREN 7

_Static_assert(UNWIND_LEAF_ROWS <= 1 << UNWIND_HALVINGS_ROWS, "unwind_search: rows");
_Static_assert(UNWIND_INDEX_CHILDREN <= 1 << UNWIND_HALVINGS_CHILDREN, "unwind_search: children");
_Static_assert(UNWIND_LEAF_MAPPINGS <= 1 << UNWIND_HALVINGS_MAPPINGS, "unwind_search: mappings");
_Static_assert(UNWIND_INDEX_MAPPINGS <= 1 << UNWIND_HALVINGS_MAPPING_CHILDREN,
	"unwind_search: children of mappings");

#define UNWIND_INLINE static inline __attribute__((always_inline))

/* The body of each search: LOW becomes the last of COUNT items whose key is at most KEY, or 0. */
#define UNWIND_SEARCH(low, count, halvings, items_max, key_at_middle, key)  \
	do {                                                                \
		uint32_t high_ = (count);                                   \
                                                                            \
		for (int halving_ = 0; halving_ < (halvings); halving_++) { \
			uint32_t middle = ((low) + high_) / 2;              \
                                                                            \
			if (middle >= (items_max))                          \
				break;                                      \
			if ((key_at_middle) <= (key))                       \
				(low) = middle;                             \
			else                                                \
				high_ = middle;                             \
		}                                                           \
	} while (0)

UNWIND_INLINE uint16_t unwind_find_row(const struct unwind_leaf *leaf, uint32_t distance)
{
	uint32_t low = 0;

	UNWIND_SEARCH(low, leaf->head.count, UNWIND_HALVINGS_ROWS, UNWIND_LEAF_ROWS,
		leaf->rows[middle].distance, distance);
	return low < UNWIND_LEAF_ROWS ? leaf->rows[low].rule : UNWIND_RULE_GAP;
}

UNWIND_INLINE const struct unwind_child *unwind_find_child(
	const struct unwind_index *index, uint32_t byte)
{
	uint32_t low = 0;

	UNWIND_SEARCH(low, index->head.count, UNWIND_HALVINGS_CHILDREN, UNWIND_INDEX_CHILDREN,
		index->children[middle].first, byte);
	return low < UNWIND_INDEX_CHILDREN ? &index->children[low] : NULL;
}

UNWIND_INLINE const struct unwind_mapping *unwind_find_mapping(
	const struct unwind_mapping_leaf *leaf, uint64_t address)
{
	uint32_t low = 0;

	UNWIND_SEARCH(low, leaf->head.count, UNWIND_HALVINGS_MAPPINGS, UNWIND_LEAF_MAPPINGS,
		leaf->mappings[middle].start, address);
	if (low >= UNWIND_LEAF_MAPPINGS || leaf->head.count == 0)
		return NULL;
	if (address < leaf->mappings[low].start || address >= leaf->mappings[low].end)
		return NULL;
	return &leaf->mappings[low];
}

UNWIND_INLINE const struct unwind_mapping_child *unwind_find_mapping_child(
	const struct unwind_mapping_index *index, uint64_t address)
{
	uint32_t low = 0;

	UNWIND_SEARCH(low, index->head.count, UNWIND_HALVINGS_MAPPING_CHILDREN,
		UNWIND_INDEX_MAPPINGS, index->children[middle].first, address);
	return low < UNWIND_INDEX_MAPPINGS ? &index->children[low] : NULL;
}
