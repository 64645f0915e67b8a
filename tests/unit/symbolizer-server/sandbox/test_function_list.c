/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/function_list.h"

#include "tests/support/check.h"

/* The list as text: `start-end:name` for each piece, all in decimal. */
static const char *text_of(const struct function_list *list)
{
	static char text[1024];
	size_t length = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < list->count; i++) {
		length += (size_t)sprintf(text + length, "%s%d-%d:%u", i ? " " : "",
			(int)list->functions[i].start, (int)list->functions[i].end,
			list->functions[i].name);
	}
	return text;
}

static void add(
	struct function_list *list, uint64_t start, uint64_t end, uint32_t name, uint32_t order)
{
	CHECK_EQ(function_list_add(list, start, end, name, order), 0);
}

static void check_resolved(struct function_list *list, const char *expected)
{
	CHECK_EQ(function_list_resolve(list), 0);
	CHECK_STR(text_of(list), expected);
	function_list_done(list);
}

static void pieces_stand_in_order_and_gaps_stay(void)
{
	struct function_list list = {0};

	add(&list, 30, 40, 3, 0);
	add(&list, 10, 20, 1, 0);
	check_resolved(&list, "10-20:1 30-40:3");
	check_resolved(&list, "");
}

static void empty_and_reversed_intervals_are_ignored(void)
{
	struct function_list list = {0};

	add(&list, 10, 10, 1, 0);
	add(&list, 20, 10, 2, 0);
	check_resolved(&list, "");
}

static void an_inner_function_interrupts_the_outer_one(void)
{
	struct function_list list = {0};

	add(&list, 10, 50, 1, 0);
	add(&list, 20, 30, 2, 0);
	check_resolved(&list, "10-20:1 20-30:2 30-50:1");
}

static void of_two_that_overlap_the_later_start_holds_the_address(void)
{
	struct function_list list = {0};

	add(&list, 10, 30, 1, 0);
	add(&list, 20, 40, 2, 0);
	check_resolved(&list, "10-20:1 20-40:2");
}

static void of_equal_starts_the_lower_order_wins_and_the_longer_goes_on(void)
{
	struct function_list list = {0};

	add(&list, 10, 40, 1, 1);
	add(&list, 10, 20, 2, 0);
	check_resolved(&list, "10-20:2 20-40:1");
	add(&list, 10, 40, 1, 0);
	add(&list, 10, 20, 2, 1);
	check_resolved(&list, "10-40:1");
}

static void neighbours_of_one_name_are_joined(void)
{
	struct function_list list = {0};

	add(&list, 10, 20, 1, 0);
	add(&list, 20, 30, 1, 0);
	add(&list, 31, 40, 1, 0);
	check_resolved(&list, "10-30:1 31-40:1");
}

static void the_end_of_the_address_space_is_no_trap(void)
{
	struct function_list list = {0};

	add(&list, UINT64_MAX - 1, UINT64_MAX, 1, 0);
	add(&list, 0, UINT64_MAX, 2, 0);
	CHECK_EQ(function_list_resolve(&list), 0);
	CHECK_EQ(list.count, 2);
	CHECK_EQ(function_list_find(&list, 5)->name, 2);
	CHECK_EQ(function_list_find(&list, UINT64_MAX - 1)->name, 1);
	CHECK(!function_list_find(&list, UINT64_MAX));
	function_list_done(&list);
}

static void the_upper_list_keeps_its_own_and_the_lower_fills_gaps(void)
{
	struct function_list upper = {0}, lower = {0};

	add(&upper, 20, 30, 1, 0);
	add(&upper, 40, 50, 2, 0);
	add(&lower, 0, 5, 7, 0);
	add(&lower, 10, 45, 8, 0);
	add(&lower, 50, 60, 2, 0);
	CHECK_EQ(function_list_resolve(&upper), 0);
	CHECK_EQ(function_list_resolve(&lower), 0);
	CHECK_EQ(function_list_overlay(&upper, &lower), 0);
	CHECK_STR(text_of(&upper), "0-5:7 10-20:8 20-30:1 30-40:8 40-60:2");
	function_list_done(&upper);
	function_list_done(&lower);
}

static void an_empty_list_on_either_side_changes_nothing(void)
{
	struct function_list upper = {0}, lower = {0}, empty = {0};

	add(&lower, 10, 20, 1, 0);
	CHECK_EQ(function_list_resolve(&lower), 0);
	CHECK_EQ(function_list_overlay(&upper, &lower), 0);
	CHECK_STR(text_of(&upper), "10-20:1");
	CHECK_EQ(function_list_overlay(&upper, &empty), 0);
	CHECK_STR(text_of(&upper), "10-20:1");
	function_list_done(&upper);
	function_list_done(&lower);
}

static void look_ups_answer_for_pieces_only(void)
{
	struct function_list list = {0};

	add(&list, 10, 20, 1, 0);
	add(&list, 30, 40, 2, 0);
	CHECK_EQ(function_list_resolve(&list), 0);
	CHECK(!function_list_find(&list, 9));
	CHECK_EQ(function_list_find(&list, 10)->name, 1);
	CHECK_EQ(function_list_find(&list, 19)->name, 1);
	CHECK(!function_list_find(&list, 20));
	CHECK_EQ(function_list_from(&list, 20), 1);
	CHECK_EQ(function_list_from(&list, 41), 2);
	function_list_done(&list);
}

/* For each address, the function that names it: the one that starts last, and of these the first. */
struct painting {
	uint64_t start[64];
	uint32_t order[64], name[64];
};

static void paint(struct painting *painting, uint64_t start, uint64_t end, uint32_t order)
{
	for (uint64_t at = start; at < end; at++) {
		if (painting->name[at] && painting->start[at] > start)
			continue;
		if (painting->name[at] && painting->start[at] == start &&
			painting->order[at] < order)
			continue;
		painting->start[at] = start;
		painting->order[at] = order;
		painting->name[at] = order + 1;
	}
}

/* Against a painted array: the rule said in the simplest way. */
static void random_lists_agree_with_painting_every_address(void)
{
	uint32_t state = 1;

	for (int round = 0; round < 300; round++) {
		struct function_list list = {0};
		struct painting painting = {0};

		for (uint32_t i = 0; i < 12; i++) {
			uint64_t start, end;

			state = state * 1664525 + 1013904223;
			start = state >> 26;
			state = state * 1664525 + 1013904223;
			end = start + (state >> 27);
			end = end < 64 ? end : 64;
			add(&list, start, end, i + 1, i);
			paint(&painting, start, end, i);
		}
		CHECK_EQ(function_list_resolve(&list), 0);
		for (uint64_t at = 0; at < 64; at++) {
			const struct function *found = function_list_find(&list, at);

			CHECK_EQ(found ? found->name : 0, painting.name[at]);
		}
		function_list_done(&list);
	}
}

int main(void)
{
	RUN(pieces_stand_in_order_and_gaps_stay);
	RUN(empty_and_reversed_intervals_are_ignored);
	RUN(an_inner_function_interrupts_the_outer_one);
	RUN(of_two_that_overlap_the_later_start_holds_the_address);
	RUN(of_equal_starts_the_lower_order_wins_and_the_longer_goes_on);
	RUN(neighbours_of_one_name_are_joined);
	RUN(the_end_of_the_address_space_is_no_trap);
	RUN(the_upper_list_keeps_its_own_and_the_lower_fills_gaps);
	RUN(an_empty_list_on_either_side_changes_nothing);
	RUN(look_ups_answer_for_pieces_only);
	RUN(random_lists_agree_with_painting_every_address);
	return 0;
}
