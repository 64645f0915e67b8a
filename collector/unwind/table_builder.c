/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/table_builder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/abi/unwind_search.h"
#include "store/base/must.h"

struct function {
	uint32_t from; /* bytes of code, from code_from on */
	uint32_t until;
	uint32_t offset; /* of its entry, and FUNCTION_OF_... */
};

/* Above any offset, so that of two for the same code the one of the better source comes first. */
#define FUNCTION_OF_DEBUG (UINT32_C(1) << 30)
#define FUNCTION_OF_GO (UINT32_C(1) << 31)
#define FUNCTION_OFFSET_MAX (FUNCTION_OF_DEBUG - 1)

struct builder {
	const struct table_source *source;
	struct node_pool *pool;
	struct rule_set *rules;
	struct table_counts counts;
	struct eh_frame_reader reader;
	struct eh_frame_reader debug_reader;
	struct function *functions;
	size_t function_count;
	size_t function_capacity;
	/* The leaf that is being filled, and all leaves so far. */
	struct unwind_leaf *leaf;
	uint32_t leaf_first;
	uint16_t last_rule;
	struct unwind_child *children;
	size_t child_count;
	size_t child_capacity;
	/* Every node, to be given back if this fails. */
	struct unwind_reference *taken;
	size_t taken_count;
	size_t taken_capacity;
	/* Of the function whose rows come now. */
	uint32_t clip; /* the next function begins here */
	uint32_t end; /* up to here rows were given */
	int fault; /* of the pool */
};

/* Room for one more item in an array that doubles. */
static int make_room(void **items, size_t count, size_t *capacity, size_t item_bytes)
{
	size_t more = *capacity ? *capacity * 2 : 256;
	void *larger;

	if (count < *capacity)
		return 0;
	larger = realloc(*items, more * item_bytes);
	if (!larger)
		return -ENOMEM;
	*items = larger;
	*capacity = more;
	return 0;
}

/* --- functions ---------------------------------------------------------------------------------
 */

/* MARK: FUNCTION_OF_..., or 0. */
static int add_function(
	struct builder *builder, const struct eh_frame_function *found, uint32_t mark)
{
	const struct table_source *source = builder->source;
	struct function *function;
	int r;

	if (found->from < source->code_from || found->until > source->code_until ||
		found->offset > FUNCTION_OFFSET_MAX) {
		builder->counts.outside_count++;
		return 0;
	}
	r = make_room((void **)&builder->functions, builder->function_count,
		&builder->function_capacity, sizeof(*function));
	if (r < 0)
		return r;
	function = &builder->functions[builder->function_count++];
	function->from = (uint32_t)(found->from - source->code_from);
	function->until = (uint32_t)(found->until - source->code_from);
	function->offset = (uint32_t)found->offset | mark;
	return 0;
}

static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	/* Of two for the same code the first in the section wins: the other's rows are clipped. */
	return a->offset < b->offset ? 1 : -1;
}

static bool functions_are_sorted(const struct builder *builder)
{
	for (size_t i = 1; i < builder->function_count; i++)
		if (builder->functions[i - 1].from >= builder->functions[i].from)
			return false;
	return true;
}

static int list_functions_of_go(struct builder *builder)
{
	const struct go_table *table = &builder->source->go;
	struct eh_frame_function function;
	int r = 0;

	for (uint32_t i = 0; i < table->function_count && r == 0; i++) {
		if (go_table_function(table, i, &function) < 0) {
			builder->counts.broken_count++;
			continue;
		}
		r = add_function(builder, &function, FUNCTION_OF_GO);
	}
	return r;
}

static int list_functions_of_section(
	struct builder *builder, struct eh_frame_reader *reader, uint32_t mark)
{
	struct eh_frame_function function;
	int r;

	while ((r = eh_frame_next(reader, &function)) == 1) {
		if (add_function(builder, &function, mark) < 0)
			return -ENOMEM;
	}
	builder->counts.broken_count += reader->broken_count;
	return r;
}

static int list_functions(struct builder *builder)
{
	int r;

	eh_frame_reader_init(&builder->reader, &builder->source->section);
	eh_frame_reader_init(&builder->debug_reader, &builder->source->debug_section);
	r = list_functions_of_section(builder, &builder->reader, 0);
	if (r != -ENOMEM && builder->source->debug_section.bytes)
		r = list_functions_of_section(builder, &builder->debug_reader, FUNCTION_OF_DEBUG);
	if (r != -ENOMEM && list_functions_of_go(builder) < 0)
		r = -ENOMEM;
	if (r == -ENOMEM)
		return r;
	builder->counts.function_count = builder->function_count;
	/* What was read of a section that is broken further on counts. */
	if (builder->function_count == 0)
		return r < 0 ? r : -ENOENT;
	if (!functions_are_sorted(builder))
		qsort(builder->functions, builder->function_count, sizeof(*builder->functions),
			compare_functions);
	return 0;
}

/* --- leaves ------------------------------------------------------------------------------------
 */

static int take_node(struct builder *builder, struct unwind_reference *ret_reference)
{
	int r = make_room((void **)&builder->taken, builder->taken_count, &builder->taken_capacity,
		sizeof(*builder->taken));

	if (r == 0)
		r = node_pool_take(builder->pool, ret_reference);
	if (r == 0)
		builder->taken[builder->taken_count++] = *ret_reference;
	return r;
}

static int begin_leaf(struct builder *builder, uint32_t first)
{
	struct unwind_reference reference;
	int r = make_room((void **)&builder->children, builder->child_count,
		&builder->child_capacity, sizeof(*builder->children));

	if (r == 0)
		r = take_node(builder, &reference);
	if (r < 0)
		return r;
	builder->children[builder->child_count++] = (struct unwind_child){first, reference};
	builder->leaf = node_pool_at(builder->pool, reference);
	builder->leaf_first = first;
	return 0;
}

/* From FIRST on RULE holds. */
static int add_row(struct builder *builder, uint32_t first, uint16_t rule)
{
	struct unwind_leaf *leaf = builder->leaf;
	int r;

	if (leaf && rule == builder->last_rule)
		return 0;
	if (!leaf || leaf->head.count == UNWIND_LEAF_ROWS ||
		first - builder->leaf_first >= UNWIND_LEAF_SPAN) {
		r = begin_leaf(builder, first);
		if (r < 0)
			return r;
		leaf = builder->leaf;
	}
	leaf->rows[leaf->head.count++] =
		(struct unwind_row){(uint16_t)(first - builder->leaf_first), rule};
	builder->last_rule = rule;
	builder->counts.row_count++;
	return 0;
}

/* Code without call frame information, [FROM, UNTIL). */
static int add_gap(struct builder *builder, uint32_t from, uint32_t until)
{
	static const struct unwind_rule begin = {.cfa = UNWIND_CFA_register,
		.cfa_register = UNWIND_RSP,
		.returns = UNWIND_RETURN_none};
	uint64_t entry = builder->source->entry - builder->source->code_from;
	int r = 0;

	if (entry < from || entry >= until)
		return add_row(builder, from, UNWIND_RULE_GAP);
	if (entry > from)
		r = add_row(builder, from, UNWIND_RULE_GAP);
	if (r == 0)
		r = add_row(builder, (uint32_t)entry, rule_set_number(builder->rules, &begin));
	if (r == 0 && until - entry > TABLE_ENTRY_BYTES)
		r = add_row(builder, (uint32_t)entry + TABLE_ENTRY_BYTES, UNWIND_RULE_GAP);
	return r;
}

static int take_row(void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule)
{
	struct builder *builder = context;
	uint32_t first = (uint32_t)(from - builder->source->code_from);
	uint32_t last = (uint32_t)(until - builder->source->code_from);

	if (first >= builder->clip)
		return 0;
	builder->end = last < builder->clip ? last : builder->clip;
	builder->fault = add_row(builder, first, rule_set_number(builder->rules, rule));
	return builder->fault;
}

static int rows_of(struct builder *builder, const struct function *function)
{
	struct eh_frame_function found = {
		builder->source->code_from + function->from,
		builder->source->code_from + function->until,
		function->offset & FUNCTION_OFFSET_MAX,
	};

	if (function->offset & FUNCTION_OF_GO)
		return go_table_rows(&builder->source->go, &found, take_row, builder);
	return eh_frame_rows(
		function->offset & FUNCTION_OF_DEBUG ? &builder->debug_reader : &builder->reader,
		&found, take_row, builder);
}

static int add_functions(struct builder *builder)
{
	uint32_t end = 0; /* of the function before */
	/* The first leaf begins with the code, which a root without an index above it relies on. */
	int r = builder->functions[0].from > 0 ? add_gap(builder, 0, builder->functions[0].from)
					       : 0;

	for (size_t i = 0; i < builder->function_count && r == 0; i++) {
		const struct function *function = &builder->functions[i];
		bool is_last = i + 1 == builder->function_count;

		if (i > 0 && function->from > end + TABLE_PADDING_MAX)
			r = add_gap(builder, end, function->from);
		if (r < 0)
			return r;
		builder->clip = is_last ? UINT32_MAX : builder->functions[i + 1].from;
		builder->end = function->from;
		if (rows_of(builder, function) < 0 && builder->fault == 0)
			builder->counts.broken_count++;
		r = builder->fault;
		/* What could not be read to its end leaves code without rows. */
		end = builder->end;
	}
	if (r < 0)
		return r;
	return add_gap(
		builder, end, (uint32_t)(builder->source->code_until - builder->source->code_from));
}

/* --- index -------------------------------------------------------------------------------------
 */

/* Replaces the children by index nodes above them. */
static int add_level(struct builder *builder)
{
	size_t parent_count = 0;

	for (size_t i = 0; i < builder->child_count; i += UNWIND_INDEX_CHILDREN) {
		size_t count = builder->child_count - i;
		struct unwind_child parent = {.first = builder->children[i].first};
		struct unwind_index *index;
		int r = take_node(builder, &parent.reference);

		if (r < 0)
			return r;
		if (count > UNWIND_INDEX_CHILDREN)
			count = UNWIND_INDEX_CHILDREN;
		index = node_pool_at(builder->pool, parent.reference);
		index->head.count = (uint16_t)count;
		memcpy(index->children, builder->children + i, count * sizeof(*index->children));
		builder->children[parent_count++] = parent;
	}
	builder->child_count = parent_count;
	return 0;
}

static int add_index(struct builder *builder, struct unwind_table *table)
{
	while (builder->child_count > 1) {
		int r = table->height == UNWIND_HEIGHT_MAX ? -E2BIG : add_level(builder);

		if (r < 0)
			return r;
		table->height++;
	}
	table->root = builder->children[0].reference;
	table->state = UNWIND_TABLE_ready;
	return 0;
}

static int build(struct builder *builder, struct unwind_table *table)
{
	int r = list_functions(builder);

	if (r == 0)
		r = add_functions(builder);
	return r < 0 ? r : add_index(builder, table);
}

int table_build(const struct table_source *source, struct node_pool *pool, struct rule_set *rules,
	struct unwind_table *ret_table, struct table_counts *ret_counts)
{
	struct builder builder = {.source = source, .pool = pool, .rules = rules};
	struct unwind_table table = {.byte_count = source->code_until - source->code_from};
	int r;

	if (source->code_until <= source->code_from || table.byte_count >= UINT32_MAX)
		return -E2BIG;
	r = build(&builder, &table);
	if (r == 0) {
		builder.counts.node_count = (uint32_t)builder.taken_count;
		*ret_table = table;
		*ret_counts = builder.counts;
	}
	for (size_t i = 0; r < 0 && i < builder.taken_count; i++)
		node_pool_give_back(pool, builder.taken[i]);
	free(builder.functions);
	free(builder.children);
	free(builder.taken);
	return r;
}

/* --- a table that stands -----------------------------------------------------------------------
 */

void table_free(struct node_pool *pool, const struct unwind_table *table)
{
	struct unwind_reference path[UNWIND_HEIGHT_MAX + 1] = {table->root};
	uint16_t next[UNWIND_HEIGHT_MAX + 1] = {0};
	unsigned depth = 0;

	if (table->state != UNWIND_TABLE_ready)
		return;
	for (;;) {
		const struct unwind_index *index = node_pool_at(pool, path[depth]);

		must(index);
		if (depth < table->height && next[depth] < index->head.count) {
			path[depth + 1] = index->children[next[depth]++].reference;
			next[++depth] = 0;
			continue;
		}
		node_pool_give_back(pool, path[depth]);
		if (depth-- == 0)
			return;
	}
}

uint16_t table_find(const struct node_pool *pool, const struct unwind_table *table, uint64_t byte)
{
	struct unwind_child at = {.reference = table->root};
	uint64_t distance;

	if (table->state != UNWIND_TABLE_ready || byte >= table->byte_count)
		return UNWIND_RULE_GAP;
	for (unsigned height = table->height; height > 0; height--) {
		const struct unwind_index *index = node_pool_at(pool, at.reference);

		must(index);
		at = *unwind_find_child(index, (uint32_t)byte);
	}
	if (byte < at.first)
		return UNWIND_RULE_GAP;
	distance = byte - at.first;
	if (distance >= UNWIND_LEAF_SPAN)
		distance = UNWIND_LEAF_SPAN - 1;
	return unwind_find_row(node_pool_at(pool, at.reference), (uint32_t)distance);
}
