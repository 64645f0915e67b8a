/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_tally.h"

#include "tests/support/check.h"

#define HOUR UINT64_C(1000)

/* One type; two label sets, the threads 0 and 1. */
static void make(struct segment_head *head, struct segment_chunk *chunk)
{
	struct segment_type type = {.period = 10, .has_slots = true};
	struct label label;
	uint32_t place;

	CHECK_EQ(segment_head_init(head), 0);
	CHECK_EQ(profile_add_text(head->labels, "host", &label.key), 0);
	CHECK_EQ(profile_add_text(head->labels, "a", &label.value), 0);
	CHECK_EQ(label_table_add(&head->labels->labels, &head->labels->strings, &label, 1, &place),
		0);
	CHECK_EQ(segment_head_type(head, &type, &place), 0);
	CHECK_EQ(segment_chunk_init(chunk, HOUR, 1), 0);
	chunk->threads = calloc(2, sizeof(*chunk->threads));
	CHECK(chunk->threads);
	chunk->threads[1].labels = 1;
	chunk->thread_count = 2;
}

static void add(struct segment_chunk *chunk, struct segment_row row, const uint32_t *slots)
{
	row.value = row.count * 10;
	CHECK_EQ(segment_chunk_add(chunk, 0, &row, slots), 0);
}

static void check_sum(
	const struct segment_sum_list *list, uint32_t place, const struct segment_sum *expected)
{
	CHECK(place < list->count);
	CHECK_EQ(list->sums[place].first, expected->first);
	CHECK_EQ(list->sums[place].second, expected->second);
	CHECK_EQ(list->sums[place].count, expected->count);
	CHECK_EQ(list->sums[place].value, expected->value);
}

static void windows_that_reach_over_are_divided(void)
{
	/* 15 s to 25 s; and from 5 s before the end of the hour to 5 s behind it. */
	struct segment_span windows[] = {
		{.start_ns = HOUR * SEGMENT_HOUR_NS + 15 * NS_PER_S, .slot_count = 500},
		{.start_ns = (HOUR + 1) * SEGMENT_HOUR_NS - 5 * NS_PER_S, .slot_count = 500}};
	struct segment_hour_spans spans = {.hour = HOUR, .spans = windows, .count = 2};
	const uint32_t slots[] = {0, 249, 250};
	struct segment_tally now, next;
	struct segment_chunk chunk;
	struct segment_head head;

	make(&head, &chunk);
	add(&chunk, (struct segment_row){.stack = 3, .window = 0, .thread = 1, .count = 3}, slots);
	add(&chunk, (struct segment_row){.stack = 3, .window = 0, .thread = 0, .count = 1}, slots);
	add(&chunk, (struct segment_row){.stack = 3, .window = 1, .thread = 1, .count = 3}, slots);
	add(&chunk, (struct segment_row){.stack = 4, .window = 1, .thread = 0, .count = 1},
		slots + 2);
	CHECK_EQ(segment_chunk_sort(&chunk), 0);
	CHECK_EQ(segment_tally_init(&now, HOUR, 1), 0);
	CHECK_EQ(segment_tally_init(&next, HOUR + 1, 1), 0);
	CHECK_EQ(segment_tally_chunk(&head, &chunk, &spans, &now, &next), 0);
	CHECK_EQ(now.sums.types[0].count, 2);
	check_sum(&now.sums.types[0], 0, &(struct segment_sum){3, 0, 1, 10});
	check_sum(&now.sums.types[0], 1, &(struct segment_sum){3, 1, 5, 50});
	CHECK_EQ(next.sums.types[0].count, 2);
	check_sum(&next.sums.types[0], 0, &(struct segment_sum){3, 1, 1, 10});
	check_sum(&next.sums.types[0], 1, &(struct segment_sum){4, 0, 1, 10});
	CHECK_EQ(now.series.types[0].count, 4);
	check_sum(&now.series.types[0], 0, &(struct segment_sum){0, 1, 1, 10});
	check_sum(&now.series.types[0], 1, &(struct segment_sum){1, 1, 2, 20});
	check_sum(&now.series.types[0], 2, &(struct segment_sum){1, 2, 1, 10});
	check_sum(&now.series.types[0], 3, &(struct segment_sum){1, 359, 2, 20});
	CHECK_EQ(next.series.types[0].count, 2);
	check_sum(&next.series.types[0], 0, &(struct segment_sum){0, 0, 1, 10});
	check_sum(&next.series.types[0], 1, &(struct segment_sum){1, 0, 1, 10});
	segment_tally_done(&now);
	segment_tally_done(&next);
	segment_chunk_done(&chunk);
	segment_head_done(&head);
}

int main(void)
{
	RUN(windows_that_reach_over_are_divided);
	return 0;
}
