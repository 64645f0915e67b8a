/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/comparison.h"

#include <errno.h>
#include <stdlib.h>

/* Two shares of at most 2^60 each fit a signed total. */
#define BALANCE_ONE ((double)(UINT64_C(1) << 60))

static uint64_t divide_up(uint64_t dividend, uint64_t divisor)
{
	return dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
}

/* What groups of that length begin and end at multiples of: where long ones begin is where the sums
 * of the store do, and to be read there is what little lies between. */
static uint64_t unit_of(uint64_t group_ns)
{
	if (group_ns >= 3600 * NS_PER_S)
		return 3600 * NS_PER_S;
	return group_ns >= 60 * NS_PER_S ? 10 * NS_PER_S : NS_PER_S;
}

/* Cuts the range of SIDE into at most COMPARISON_GROUP_COUNT_MAX groups of whole units. */
static void choose_groups(struct comparison_side *side)
{
	struct time_range range = side->range;
	uint64_t length = range.until_ns > range.from_ns ? range.until_ns - range.from_ns : 0;
	uint64_t unit = unit_of(length / COMPARISON_GROUP_COUNT_MAX);

	side->group_count = 1;
	if (length < 2 * COMPARISON_GROUP_NS_MIN)
		return;
	side->group_origin_ns = range.from_ns / unit * unit;
	side->group_ns = divide_up(length, COMPARISON_GROUP_COUNT_MAX * unit) * unit;
	if (side->group_ns < COMPARISON_GROUP_NS_MIN)
		side->group_ns = COMPARISON_GROUP_NS_MIN;
	length = range.until_ns - side->group_origin_ns;
	if (divide_up(length, side->group_ns) > COMPARISON_GROUP_COUNT_MAX)
		side->group_ns += unit;
	side->group_count = (uint32_t)divide_up(length, side->group_ns);
}

void comparison_init(struct comparison *comparison, struct time_range left, struct time_range right)
{
	*comparison = (struct comparison){0};
	comparison->sides[COMPARISON_LEFT].range = left;
	comparison->sides[COMPARISON_RIGHT].range = right;
	for (uint32_t i = 0; i < COMPARISON_SIDE_COUNT; i++) {
		struct comparison_side *side = &comparison->sides[i];

		side->lane_first = comparison->lane_count;
		choose_groups(side);
		comparison->lane_count += side->group_count;
	}
}

uint32_t comparison_lane(
	const struct comparison *comparison, enum comparison_sides side, uint64_t time_ns)
{
	const struct comparison_side *at = &comparison->sides[side];
	uint64_t group = 0;

	if (at->group_ns > 0 && time_ns > at->group_origin_ns)
		group = (time_ns - at->group_origin_ns) / at->group_ns;
	if (group >= at->group_count)
		group = at->group_count - 1;
	return at->lane_first + (uint32_t)group;
}

int64_t comparison_value(
	const struct comparison *comparison, enum comparison_sides side, const int64_t *lanes)
{
	const struct comparison_side *at = &comparison->sides[side];
	int64_t sum = 0;

	for (uint32_t i = 0; i < at->group_count; i++)
		sum += lanes[at->lane_first + i];
	return sum;
}

static struct share_side side_of(const struct comparison *comparison, enum comparison_sides side,
	const int64_t *lanes, const int64_t *root)
{
	const struct comparison_side *at = &comparison->sides[side];

	return (struct share_side){
		.parts = lanes + at->lane_first,
		.totals = root + at->lane_first,
		.group_count = at->group_count,
		.sample_count = at->sample_count,
	};
}

struct share_change comparison_change(
	const struct comparison *comparison, const int64_t *lanes, const int64_t *root)
{
	struct share_side left = side_of(comparison, COMPARISON_LEFT, lanes, root);
	struct share_side right = side_of(comparison, COMPARISON_RIGHT, lanes, root);

	return share_change_of(&left, &right);
}

void comparison_balance(const struct comparison *comparison, struct call_tree *calls)
{
	const int64_t *root = calls->lanes;
	int64_t left = comparison_value(comparison, COMPARISON_LEFT, root);
	int64_t right = comparison_value(comparison, COMPARISON_RIGHT, root);
	double left_scale = left > 0 ? BALANCE_ONE / (double)left : 0;
	double right_scale = right > 0 ? BALANCE_ONE / (double)right : 0;

	for (uint32_t i = 0; i < calls->tree.count; i++) {
		const int64_t *lanes = calls->lanes + (size_t)i * calls->lane_count;

		calls->totals[i] =
			(int64_t)((double)comparison_value(comparison, COMPARISON_LEFT, lanes) *
				left_scale) +
			(int64_t)((double)comparison_value(comparison, COMPARISON_RIGHT, lanes) *
				right_scale);
	}
}

/* ---- The table of functions ---- */

struct sums {
	const struct call_tree *calls;
	int64_t *self; /* of each function, lane by lane */
	int64_t *total;
	uint32_t *on_path; /* of each function: its nodes between the root and where we are */
};

static void add_lanes(int64_t *to, const int64_t *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] += from[i];
}

static void enter(void *context, uint32_t node)
{
	struct sums *sums = context;
	const struct call_tree *calls = sums->calls;
	const struct growing_node *at = &calls->tree.nodes[node];
	uint32_t count = calls->lane_count;
	const int64_t *lanes = calls->lanes + (size_t)node * count;

	if (sums->on_path[at->what]++ == 0)
		add_lanes(sums->total + (size_t)at->what * count, lanes, count);
	add_lanes(sums->self + (size_t)at->what * count, lanes, count);
	/* What a node has of its own is what its children leave of it. */
	if (node != GROWING_TREE_ROOT) {
		int64_t *caller = sums->self + (size_t)calls->tree.nodes[at->parent].what * count;

		for (uint32_t i = 0; i < count; i++)
			caller[i] -= lanes[i];
	}
}

static void leave(void *context, uint32_t node)
{
	struct sums *sums = context;

	sums->on_path[sums->calls->tree.nodes[node].what]--;
}

static bool has_any(const int64_t *lanes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (lanes[i] != 0)
			return true;
	}
	return false;
}

int comparison_table_init(struct comparison_table *table, const struct call_tree *calls)
{
	size_t function_count = calls->functions->count;
	size_t lanes = function_count * calls->lane_count;
	uint32_t *on_path = calloc(function_count, sizeof(*on_path));
	struct sums sums = {.calls = calls, .on_path = on_path};

	*table = (struct comparison_table){0};
	table->lanes = calloc(2 * lanes, sizeof(*table->lanes));
	table->rows = calloc(function_count, sizeof(*table->rows));
	if (!on_path || !table->lanes || !table->rows) {
		free(on_path);
		comparison_table_done(table);
		return -ENOMEM;
	}
	sums.self = table->lanes;
	sums.total = table->lanes + lanes;
	call_tree_visit(calls, enter, leave, &sums);
	free(on_path);
	for (uint32_t i = 0; i < function_count; i++) {
		const int64_t *total = sums.total + (size_t)i * calls->lane_count;

		if (calls->functions->functions[i].kind == FUNCTION_ROOT ||
			!has_any(total, calls->lane_count))
			continue;
		table->rows[table->count++] = (struct comparison_row){.function = i,
			.self = sums.self + (size_t)i * calls->lane_count,
			.total = total};
	}
	return 0;
}

void comparison_table_done(struct comparison_table *table)
{
	free(table->rows);
	free(table->lanes);
	*table = (struct comparison_table){0};
}

struct order {
	const struct comparison *comparison;
	const struct call_tree *calls;
};

static double moved(const struct order *order, const struct comparison_row *row)
{
	struct share_change change =
		comparison_change(order->comparison, row->total, order->calls->lanes);

	return change.right > change.left ? change.right - change.left : change.left - change.right;
}

static int order_rows(const void *one, const void *other, void *context)
{
	const struct comparison_row *a = one, *b = other;
	const struct order *order = context;
	double a_moved = moved(order, a), b_moved = moved(order, b);

	if (a_moved != b_moved)
		return a_moved > b_moved ? -1 : 1;
	return function_table_compare(order->calls->functions, a->function, b->function);
}

void comparison_table_sort(struct comparison_table *table, const struct comparison *comparison,
	const struct call_tree *calls)
{
	struct order order = {comparison, calls};

	qsort_r(table->rows, table->count, sizeof(*table->rows), order_rows, &order);
}
