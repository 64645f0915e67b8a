/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_rows.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/random.h"

#define THREAD_COUNT 20u

static const struct segment_type types[] = {{1, 10, true}, {2, 0, false}, {1, -3, false}};

static const struct segment_bounds bounds = {.types = types,
	.type_count = 3,
	.stack_count = 5000,
	.text_count = 4,
	.set_count = 6,
	.window_count = 400};

static struct segment_row odd_row(struct random *random)
{
	return (struct segment_row){.stack = random_skewed(random, 5000),
		.window = random_below(random, 400),
		.thread = random_below(random, THREAD_COUNT),
		.cpu = random_chance(random, 20) ? SAMPLE_CPU_UNKNOWN : random_below(random, 300),
		.count = 1 + random_below(random, 5),
		.value = (int64_t)random_next(random)};
}

static uint64_t key_of(uint32_t type, const struct segment_row *row)
{
	return ((uint64_t)type << 60) ^ ((uint64_t)row->stack << 40) ^
		((uint64_t)row->window << 24) ^ ((uint64_t)row->thread << 16) ^ row->cpu;
}

/* Some thousand rows, each of its own; their sums by key. */
static void fill(struct segment_chunk *chunk, uint32_t count, uint64_t *ret_sum)
{
	struct random random = {count};
	struct thread *threads = calloc(THREAD_COUNT, sizeof(*threads));

	CHECK(threads);
	CHECK_EQ(segment_chunk_init(chunk, 9, 0), 0);
	for (uint32_t i = 0; i < THREAD_COUNT; i++) {
		threads[i] = (struct thread){.pid = random_below(&random, 5),
			.tid = i,
			.name = random_below(&random, 4),
			.labels = random_below(&random, 6)};
	}
	chunk->threads = threads;
	chunk->thread_count = THREAD_COUNT;
	for (uint32_t i = 0; i < count; i++) {
		struct segment_row row = odd_row(&random);
		uint32_t slots[] = {0, 5, 5, 7, 4000000000}, type = i % 3;

		row.window = i % 400;
		row.stack = i / 400 % 5000;
		CHECK_EQ(segment_chunk_add(chunk, type, &row, types[type].has_slots ? slots : NULL),
			0);
		*ret_sum += key_of(type, &row) * 3 + (uint64_t)row.value + row.count;
	}
}

static uint64_t sum_of(const struct segment_chunk *chunk, const struct thread *threads)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < chunk->table_count; i++) {
		for (uint32_t j = 0; j < chunk->tables[i].row_count; j++) {
			struct segment_row row = chunk->tables[i].rows[j];

			/* The test's threads are told by their tid. */
			row.thread = threads[row.thread].tid;
			sum += key_of(i, &row) * 3 + (uint64_t)row.value + row.count;
		}
	}
	return sum;
}

static int again(const struct segment_chunk *chunk, const struct segment_bounds *of,
	bool with_slots, struct segment_chunk *ret_chunk)
{
	struct bytes_writer rows, slots;
	struct bytes_reader rows_at, slots_at;
	int r;

	bytes_writer_init(&rows, 1 << 24);
	bytes_writer_init(&slots, 1 << 24);
	CHECK_EQ(segment_chunk_write(&rows, &slots, chunk, types), 0);
	bytes_reader_init(&rows_at, rows.bytes, rows.byte_count);
	bytes_reader_init(&slots_at, slots.bytes, slots.byte_count);
	CHECK_EQ(segment_chunk_init(ret_chunk, chunk->hour, of->type_count), 0);
	r = segment_chunk_read(&rows_at, with_slots ? &slots_at : NULL, of, ret_chunk);
	bytes_writer_done(&rows);
	bytes_writer_done(&slots);
	return r;
}

static void check_order(const struct segment_chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->table_count; i++) {
		for (uint32_t j = 1; j < chunk->tables[i].row_count; j++) {
			const struct segment_row *one = &chunk->tables[i].rows[j - 1];
			const struct segment_row *other = one + 1;

			CHECK(one->stack < other->stack ||
				(one->stack == other->stack && one->window <= other->window));
		}
	}
}

static void rows_come_back_sorted(uint32_t count)
{
	struct segment_chunk chunk, read;
	uint64_t sum = 0;

	fill(&chunk, count, &sum);
	CHECK_EQ(segment_chunk_sort(&chunk), 0);
	CHECK_EQ(sum_of(&chunk, chunk.threads), sum);
	check_order(&chunk);
	CHECK_EQ(again(&chunk, &bounds, true, &read), 0);
	CHECK_EQ(sum_of(&read, read.threads), sum);
	CHECK_EQ(read.row_count, count);
	CHECK_EQ(read.slot_count, chunk.slot_count);
	for (uint32_t i = 0; i < read.tables[0].row_count; i++) {
		const struct segment_row *row = &read.tables[0].rows[i];

		if (row->count == 5)
			CHECK_EQ(read.tables[0].slots[row->slot_first + 4], 4000000000);
	}
	segment_chunk_done(&read);
	/* Without slots all else is the same. */
	CHECK_EQ(again(&chunk, &bounds, false, &read), 0);
	CHECK_EQ(sum_of(&read, read.threads), sum);
	CHECK(!read.tables[0].slots);
	segment_chunk_done(&read);
	segment_chunk_done(&chunk);
}

static void few_rows_and_many_come_back_sorted(void)
{
	rows_come_back_sorted(0);
	rows_come_back_sorted(3);
	rows_come_back_sorted(200);
	rows_come_back_sorted(20000);
}

static void what_names_nothing_is_refused(void)
{
	struct segment_chunk chunk, read;
	uint64_t sum = 0;

	fill(&chunk, 2000, &sum);
	CHECK_EQ(segment_chunk_sort(&chunk), 0);
	for (int i = 0; i < 5; i++) {
		struct segment_bounds less = bounds;

		less.type_count = i == 0 ? 2 : 3;
		less.stack_count = i == 1 ? 1 : 5000;
		less.window_count = i == 2 ? 399 : 400;
		less.set_count = i == 3 ? 1 : 6;
		less.text_count = i == 4 ? 1 : 4;
		CHECK_EQ(again(&chunk, &less, true, &read), -EBADMSG);
		segment_chunk_done(&read);
	}
	segment_chunk_done(&chunk);
}

static void rows_that_stand_twice_are_refused(void)
{
	struct segment_row row = {.count = 1, .cpu = 4};
	struct segment_chunk chunk, read;
	struct thread *thread = calloc(1, sizeof(*thread));

	CHECK_EQ(segment_chunk_init(&chunk, 9, 3), 0);
	chunk.threads = thread;
	chunk.thread_count = 1;
	CHECK_EQ(segment_chunk_add(&chunk, 1, &row, NULL), 0);
	CHECK_EQ(segment_chunk_add(&chunk, 1, &row, NULL), 0);
	CHECK_EQ(again(&chunk, &bounds, true, &read), -EBADMSG);
	segment_chunk_done(&read);
	segment_chunk_done(&chunk);
}

static void equal_threads_become_one(void)
{
	struct segment_row rows[] = {
		{.thread = 0, .count = 1}, {.thread = 1, .count = 2, .stack = 1}};
	struct segment_chunk chunk;

	CHECK_EQ(segment_chunk_init(&chunk, 9, 1), 0);
	chunk.threads = calloc(2, sizeof(*chunk.threads));
	CHECK(chunk.threads);
	chunk.thread_count = 2;
	CHECK_EQ(segment_chunk_add(&chunk, 0, &rows[0], NULL), 0);
	CHECK_EQ(segment_chunk_add(&chunk, 0, &rows[1], NULL), 0);
	CHECK_EQ(segment_chunk_sort(&chunk), 0);
	CHECK_EQ(chunk.thread_count, 1);
	CHECK_EQ(chunk.tables[0].rows[1].thread, 0);
	segment_chunk_done(&chunk);
}

static void a_chunk_is_full_before_it_is_too_large(void)
{
	struct segment_chunk chunk = {.row_count = 0, .slot_count = 0};

	CHECK(!segment_chunk_is_full(&chunk, UINT32_MAX));
	chunk.row_count = SEGMENT_CHUNK_ROWS;
	CHECK(segment_chunk_is_full(&chunk, 0));
	chunk.row_count = 1;
	chunk.slot_count = SEGMENT_CHUNK_SLOTS - 5;
	CHECK(!segment_chunk_is_full(&chunk, 5));
	CHECK(segment_chunk_is_full(&chunk, 6));
}

static void parts_are_those_of_sample_range(void)
{
	uint32_t slots[] = {9, 9, 1, 2, 400};
	struct segment_row row = {.count = 3, .value = 30, .slot_first = 2};
	struct sample_range range;

	sample_range_of(&range, 0, 500, 0, 3 * PROFILE_SLOT_NS);
	CHECK_EQ(segment_row_part(&row, slots, &range).count, 2);
	CHECK_EQ(segment_row_part(&row, slots, &range).value, 20);
	sample_range_of(&range, 0, 6, 0, 2 * PROFILE_SLOT_NS);
	CHECK_EQ(segment_row_part(&row, NULL, &range).count, 1);
	CHECK_EQ(segment_row_part(&row, NULL, &range).value, 10);
}

int main(void)
{
	RUN(few_rows_and_many_come_back_sorted);
	RUN(what_names_nothing_is_refused);
	RUN(rows_that_stand_twice_are_refused);
	RUN(equal_threads_become_one);
	RUN(a_chunk_is_full_before_it_is_too_large);
	RUN(parts_are_those_of_sample_range);
	return 0;
}
