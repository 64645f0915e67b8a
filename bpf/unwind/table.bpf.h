/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Table: the caller's frame by tables of call frame information.
 *
 * What it is   address -> mapping -> table -> row -> rule, each by a search in nodes that user
 *              space fills, then one step by the rule. What was found is kept by address, and the
 *              mapping of the last frame that was searched for.
 * Ownership    the walk's registers and its copy of the mapping.
 * Threads      the CPU that runs the program; nodes may be taken back meanwhile, which their
 *              generation tells.
 * Errors       a stop reason. UNWIND_NO_RULE: code without a rule, for frame pointers to try.
 */
#pragma once

#include "bpf/abi/unwind_search.h"
#include "bpf/abi/unwind_step.h"
#include "bpf/lib/node.bpf.h"
#include "bpf/unwind/window.bpf.h"

static __always_inline enum stop table_find_mapping(struct walk *walk, uint64_t address)
{
	struct unwind_reference at = walk->process.root;
	const struct unwind_mapping *mapping;
	const void *node;

	if (at.node == 0)
		return STOP_no_process;
	if (walk->process.height > 0) {
		const struct unwind_mapping_child *child;
		struct unwind_reference next;

		node = table_node(at);
		child = node ? unwind_find_mapping_child(node, address) : NULL;
		if (!child)
			return STOP_table_replaced;
		next = child->reference;
		if (!table_node_stays(node, at))
			return STOP_table_replaced;
		at = next;
	}
	node = table_node(at);
	if (!node)
		return STOP_table_replaced;
	mapping = unwind_find_mapping(node, address);
	if (mapping)
		walk->mapping = *mapping;
	if (!table_node_stays(node, at)) {
		walk->mapping.end = walk->mapping.start;
		return STOP_table_replaced;
	}
	return mapping ? STOP_NONE : STOP_unmapped;
}

/* Moves to the child of an index node that holds BYTE. */
static __always_inline enum stop table_descend(struct unwind_child *at, uint32_t byte)
{
	const void *node = table_node(at->reference);
	const struct unwind_child *child = node ? unwind_find_child(node, byte) : NULL;
	struct unwind_child next;

	if (!child)
		return STOP_table_replaced;
	next = *child;
	if (!table_node_stays(node, at->reference))
		return STOP_table_replaced;
	*at = next;
	return STOP_NONE;
}

static __always_inline enum stop table_find_rule(
	const struct unwind_table *table, uint64_t byte, uint16_t *ret_rule)
{
	struct unwind_child at = {.reference = table->root};
	uint8_t height = table->height;
	const void *node;
	uint64_t distance;
	enum stop stop;

	*ret_rule = UNWIND_RULE_GAP;
	for (int i = 0; i < UNWIND_HEIGHT_MAX; i++) {
		if (i >= height)
			break;
		stop = table_descend(&at, byte);
		if (stop != STOP_NONE)
			return stop;
	}
	if (byte < at.first)
		return STOP_NONE;
	distance = byte - at.first;
	if (distance >= UNWIND_LEAF_SPAN)
		distance = UNWIND_LEAF_SPAN - 1;
	node = table_node(at.reference);
	if (!node)
		return STOP_table_replaced;
	*ret_rule = unwind_find_row(node, distance);
	return table_node_stays(node, at.reference) ? STOP_NONE : STOP_table_replaced;
}

/* The table of the mapping that holds ADDRESS; *RET_TABLE is NULL for memory without one. */
static __always_inline enum stop table_of(
	struct walk *walk, uint64_t address, struct unwind_table **ret_table)
{
	enum stop stop = STOP_NONE;
	uint32_t number;

	*ret_table = NULL;
	if (address - walk->mapping.start >= walk->mapping.end - walk->mapping.start)
		stop = table_find_mapping(walk, address);
	if (stop != STOP_NONE)
		return stop;
	number = walk->mapping.table;
	if (number == UNWIND_NO_TABLE)
		return STOP_NONE;
	*ret_table = bpf_map_lookup_elem(&unwind_tables, &number);
	return STOP_NONE;
}

/* The rule for ADDRESS, searched and kept in MEMO. */
static __always_inline enum stop table_search(
	struct walk *walk, uint64_t address, struct memo *memo)
{
	static const struct unwind_rule none;
	struct unwind_table *table;
	struct unwind_rule *rule;
	uint16_t number = UNWIND_RULE_GAP;
	uint32_t key;
	enum stop stop = table_of(walk, address, &table);

	memo->root.node = 0;
	if (stop != STOP_NONE)
		return stop;
	if (table && table->state == UNWIND_TABLE_absent)
		return STOP_no_table;
	if (table && table->state == UNWIND_TABLE_no_room)
		return STOP_no_room;
	if (table && table->state == UNWIND_TABLE_ready)
		stop = table_find_rule(table, address - walk->mapping.bias, &number);
	if (stop != STOP_NONE)
		return stop;
	key = number;
	rule = bpf_map_lookup_elem(&unwind_rules, &key);
	memo->rule = rule && number != UNWIND_RULE_GAP ? *rule : none;
	memo->address = address;
	memo->table = walk->mapping.table;
	memo->used_at = 0;
	memo->root = walk->process.root;
	return STOP_NONE;
}

/* User space takes back what was not used for longest. */
static __always_inline void table_mark_used(const struct walk *walk, struct memo *memo)
{
	uint16_t now = UNWIND_USE_TIME(walk->sample.taken_at_ns);
	uint32_t number = memo->table;
	struct unwind_table *table;

	if (memo->used_at == now)
		return;
	memo->used_at = now;
	table = bpf_map_lookup_elem(&unwind_tables, &number);
	if (table && table->used_at != now)
		table->used_at = now;
}

static __always_inline enum stop step_table(struct walk *walk)
{
	uint64_t address = walk->state.registers.ip - !walk->state.registers.is_exact;
	struct unwind_reference root = walk->process.root;
	uint32_t key = (address ^ address >> 10 ^ address >> 20 ^ root.node) % MEMOS_MAX;
	struct memo *memo = bpf_map_lookup_elem(&unwind_memos, &key);
	enum stop stop = STOP_NONE;

	if (!memo)
		return STOP_table_replaced;
	if (memo->address != address || memo->root.node != root.node ||
		memo->root.generation != root.generation || !walk->may_recall)
		stop = table_search(walk, address, memo);
	if (stop != STOP_NONE)
		return stop;
	table_mark_used(walk, memo);
	if (memo->rule.cfa == UNWIND_CFA_unknown)
		return UNWIND_NO_RULE;
	return unwind_step(
		&memo->rule, &walk->state.registers, walk->state.leaf, window_read_word, walk);
}
