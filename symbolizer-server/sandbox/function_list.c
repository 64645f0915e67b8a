/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/function_list.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/symbol_index.h"

void function_list_done(struct function_list *list)
{
	free(list->functions);
	*list = (struct function_list){0};
}

int function_list_add(
	struct function_list *list, uint64_t start, uint64_t end, uint32_t name, uint32_t order)
{
	int r;

	if (end <= start)
		return 0;
	r = grow_array(&list->functions, &list->capacity, list->count, SYMBOL_FUNCTION_COUNT_MAX);
	if (r < 0)
		return r;
	list->functions[list->count++] =
		(struct function){.start = start, .end = end, .name = name, .order = order};
	list->resolved = false;
	return 0;
}

/* Adds a resolved piece, joined with its neighbour if that has the same name. */
static int emit(struct function_list *list, uint64_t start, uint64_t end, uint32_t name)
{
	struct function *last = list->count ? &list->functions[list->count - 1] : NULL;

	if (last && last->end == start && last->name == name) {
		last->end = end;
		return 0;
	}
	return function_list_add(list, start, end, name, 0);
}

/* By start; of equal starts the winner stands last, so that it lies on top of the others. */
static int compare(const void *one_pointer, const void *other_pointer)
{
	const struct function *one = one_pointer, *other = other_pointer;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	if (one->order != other->order)
		return one->order > other->order ? -1 : 1;
	if (one->end != other->end)
		return one->end > other->end ? -1 : 1;
	return one->name < other->name ? -1 : one->name > other->name;
}

/* A sweep over the sorted intervals: OPEN holds those that have begun, the latest on top; what has
 * ended is dropped once it comes to lie on top. */
struct sweep {
	const struct function_list *from;
	struct function_list *to;
	uint32_t next;
	uint32_t *open;
	uint32_t open_count;
	uint64_t at;
};

static void drop_ended(struct sweep *sweep)
{
	while (sweep->open_count > 0 &&
		sweep->from->functions[sweep->open[sweep->open_count - 1]].end <= sweep->at)
		sweep->open_count--;
}

static void begin_all_here(struct sweep *sweep)
{
	while (sweep->next < sweep->from->count &&
		sweep->from->functions[sweep->next].start <= sweep->at)
		sweep->open[sweep->open_count++] = sweep->next++;
}

static int run_sweep(struct sweep *sweep)
{
	const struct function *functions = sweep->from->functions;
	int r = 0;

	while (r == 0 && (sweep->open_count > 0 || sweep->next < sweep->from->count)) {
		const struct function *top;
		uint64_t until;

		if (sweep->open_count == 0)
			sweep->at = functions[sweep->next].start;
		begin_all_here(sweep);
		top = &functions[sweep->open[sweep->open_count - 1]];
		until = top->end;
		if (sweep->next < sweep->from->count && functions[sweep->next].start < until)
			until = functions[sweep->next].start;
		r = emit(sweep->to, sweep->at, until, top->name);
		sweep->at = until;
		/* Whoever starts here begins before the ended are dropped or not: the top decides.
		 */
		begin_all_here(sweep);
		drop_ended(sweep);
	}
	return r;
}

int function_list_resolve(struct function_list *list)
{
	struct function_list resolved = {0};
	SCOPED_FREE uint32_t *open = NULL;
	struct sweep sweep = {.from = list, .to = &resolved};
	int r;

	if (list->count > 0) {
		qsort(list->functions, list->count, sizeof(*list->functions), compare);
		open = calloc(list->count, sizeof(*open));
		if (!open)
			return -ENOMEM;
		sweep.open = open;
	}
	r = run_sweep(&sweep);
	if (r < 0) {
		function_list_done(&resolved);
		return r;
	}
	function_list_done(list);
	*list = resolved;
	list->resolved = true;
	return 0;
}

uint32_t function_list_from(const struct function_list *list, uint64_t address)
{
	uint32_t low = 0, high = list->count;

	must(list->resolved || list->count == 0);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (list->functions[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct function *function_list_find(const struct function_list *list, uint64_t address)
{
	uint32_t index = function_list_from(list, address);

	if (index < list->count && list->functions[index].start == address)
		return &list->functions[index];
	if (index == 0 || list->functions[index - 1].end <= address)
		return NULL;
	return &list->functions[index - 1];
}

/* Emits what LOWER knows of [start, end), continuing at *NEXT. */
static int fill(struct function_list *to, const struct function_list *lower, uint32_t *next,
	uint64_t start, uint64_t end)
{
	int r = 0;

	while (*next < lower->count && lower->functions[*next].end <= start)
		(*next)++;
	for (uint32_t i = *next; r == 0 && i < lower->count && lower->functions[i].start < end;
		i++) {
		const struct function *piece = &lower->functions[i];

		r = emit(to, piece->start > start ? piece->start : start,
			piece->end < end ? piece->end : end, piece->name);
	}
	return r;
}

int function_list_overlay(struct function_list *upper, const struct function_list *lower)
{
	struct function_list merged = {0};
	uint64_t at = 0;
	uint32_t next = 0;
	int r = 0;

	must(upper->resolved || upper->count == 0);
	must(lower->resolved || lower->count == 0);
	for (uint32_t i = 0; r == 0 && i < upper->count; i++) {
		const struct function *piece = &upper->functions[i];

		r = fill(&merged, lower, &next, at, piece->start);
		if (r == 0)
			r = emit(&merged, piece->start, piece->end, piece->name);
		at = piece->end;
	}
	if (r == 0)
		r = fill(&merged, lower, &next, at, UINT64_MAX);
	if (r < 0) {
		function_list_done(&merged);
		return r;
	}
	function_list_done(upper);
	*upper = merged;
	upper->resolved = true;
	return 0;
}
