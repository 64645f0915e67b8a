/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/code_index.h"

#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/torture.h"

static void add(struct code_index *index, uint64_t start, uint32_t size, uint32_t seen_at)
{
	struct code_entry entry = {
		.start = start, .size = size, .seen_at = seen_at, .line_at = index->count * 10};

	CHECK_EQ(code_index_add(index, &entry), 0);
}

/* The number of the line that tells, or -1. */
static int line_of(const struct code_index *index, uint64_t address, uint32_t time)
{
	const struct code_entry *entry = code_index_find(index, address, time);

	return entry ? (int)(entry->line_at / 10) : -1;
}

static void an_address_is_found_in_its_stretch_and_nowhere_else(void)
{
	struct code_index index;

	code_index_init(&index, 100);
	CHECK_EQ(line_of(&index, 5, 0), -1);
	add(&index, 0x2000, 0x10, 0);
	add(&index, 0x1000, 0x10, 0);
	add(&index, 0xfffffffffffffff0, 0xf, 0);
	CHECK_EQ(code_index_settle(&index), 0);
	CHECK_EQ(line_of(&index, 0xfff, 9), -1);
	CHECK_EQ(line_of(&index, 0x1000, 9), 1);
	CHECK_EQ(line_of(&index, 0x100f, 9), 1);
	CHECK_EQ(line_of(&index, 0x1010, 9), -1);
	CHECK_EQ(line_of(&index, 0x2000, 9), 0);
	CHECK_EQ(line_of(&index, 0xfffffffffffffff8, 9), 2);
	CHECK_EQ(line_of(&index, UINT64_MAX, 9), -1);
	code_index_done(&index);
}

static void of_stretches_that_overlap_the_last_line_counts(void)
{
	struct code_index index;

	code_index_init(&index, 100);
	add(&index, 0x1000, 0x100, 0);
	add(&index, 0x1040, 0x20, 0);
	add(&index, 0x1050, 0x40, 0);
	CHECK_EQ(code_index_settle(&index), 0);
	CHECK_EQ(line_of(&index, 0x103f, 0), 0);
	CHECK_EQ(line_of(&index, 0x1040, 0), 1);
	CHECK_EQ(line_of(&index, 0x1055, 0), 2);
	CHECK_EQ(line_of(&index, 0x108f, 0), 2);
	CHECK_EQ(line_of(&index, 0x1090, 0), 0);
	/* The whole stretch is used again later. */
	add(&index, 0x0f00, 0x1000, 0);
	CHECK_EQ(code_index_settle(&index), 0);
	CHECK_EQ(line_of(&index, 0x1055, 0), 3);
	CHECK_EQ(line_of(&index, 0x0f01, 0), 3);
	code_index_done(&index);
}

static void an_address_that_was_used_again_keeps_its_name_for_what_was_before(void)
{
	struct code_index index;

	code_index_init(&index, 100);
	add(&index, 0x1000, 0x10, 50);
	CHECK_EQ(code_index_settle(&index), 0);
	add(&index, 0x1000, 0x10, 70);
	add(&index, 0x1008, 0x10, 90);
	CHECK_EQ(code_index_settle(&index), 0);
	/* Nothing had been seen yet: what was seen first. */
	CHECK_EQ(line_of(&index, 0x1009, 10), 0);
	CHECK_EQ(line_of(&index, 0x1009, 69), 0);
	CHECK_EQ(line_of(&index, 0x1009, 70), 1);
	CHECK_EQ(line_of(&index, 0x1009, 95), 2);
	CHECK_EQ(line_of(&index, 0x1001, 95), 1);
	CHECK_EQ(line_of(&index, 0x1012, 10), 2);
	code_index_done(&index);
}

/* What an index must say, by looking at all lines. */
static int line_by_looking(
	const struct code_entry *lines, int count, uint64_t address, uint32_t time)
{
	int before = -1, after = -1;

	for (int i = 0; i < count; i++) {
		if (address < lines[i].start || address - lines[i].start >= lines[i].size)
			continue;
		if (lines[i].seen_at <= time)
			before = i;
		else if (after < 0 || lines[i].seen_at == lines[after].seen_at)
			after = i;
	}
	return before >= 0 ? before : after;
}

static void it_says_what_looking_at_all_lines_says(void)
{
	struct random random = {7};
	struct code_entry lines[200];
	struct code_index index;

	code_index_init(&index, 1000);
	for (int i = 0; i < 200; i++) {
		lines[i] = (struct code_entry){
			.start = random_below(&random, 1000),
			.size = 1 + (uint32_t)random_below(&random, i % 17 == 0 ? 900 : 30),
			.seen_at = (uint32_t)i / 10,
			.line_at = (uint32_t)i * 10,
		};
		CHECK_EQ(code_index_add(&index, &lines[i]), 0);
		if (i % 7 != 0)
			continue;
		CHECK_EQ(code_index_settle(&index), 0);
		for (uint64_t address = 0; address < 2000; address += 3) {
			uint32_t time = (uint32_t)random_below(&random, 25);

			CHECK_EQ(line_of(&index, address, time),
				line_by_looking(lines, i + 1, address, time));
		}
	}
	code_index_done(&index);
}

static void beyond_the_limit_what_was_never_asked_for_goes_oldest_first(void)
{
	struct code_index index;

	code_index_init(&index, 16);
	for (uint32_t i = 0; i < 16; i++) {
		struct code_entry entry = {.start = i * 0x100, .size = 0x100, .line_at = i * 10};

		CHECK_EQ(code_index_add(&index, &entry), 0);
	}
	CHECK_EQ(code_index_settle(&index), 0);
	code_index_find(&index, 0x250, 0)->name = 5;
	add(&index, 0x9000, 0x10, 0);
	CHECK_EQ(code_index_settle(&index), 0);
	CHECK(index.dropped_count >= 4 && index.dropped_count < 16);
	CHECK_EQ(line_of(&index, 0x50, 0), -1);
	CHECK_EQ(code_index_find(&index, 0x250, 0)->name, 5);
	CHECK_EQ(line_of(&index, 0xf50, 0), 15);
	CHECK(code_index_find(&index, 0x9000, 0));
	code_index_done(&index);
}

static void a_stretch_that_is_used_again_and_again_costs_nobody_his_place(void)
{
	struct code_index index;

	code_index_init(&index, 64);
	add(&index, 0x100, 0x10, 0);
	for (uint32_t i = 1; i < 1000; i++) {
		struct code_entry entry = {
			.start = 0x5000, .size = 0x20, .line_at = i * 10, .seen_at = i};

		CHECK_EQ(code_index_add(&index, &entry), 0);
	}
	CHECK_EQ(code_index_settle(&index), 0);
	CHECK_EQ(index.dropped_count, 0);
	CHECK_EQ(line_of(&index, 0x100, 0), 0);
	CHECK_EQ(line_of(&index, 0x5000, 2000), 999);
	code_index_done(&index);
}

/* Where all were asked for, room is made all the same. */
static void an_index_that_is_full_of_what_is_used_still_takes_more(void)
{
	struct code_index index;

	code_index_init(&index, 16);
	for (uint32_t i = 0; i < 100; i++) {
		struct code_entry entry = {
			.start = i * 0x100, .size = 0x100, .line_at = i * 10, .name = 1};

		CHECK_EQ(code_index_add(&index, &entry), 0);
	}
	CHECK_EQ(code_index_settle(&index), 0);
	CHECK(index.count <= 16);
	CHECK_EQ(line_of(&index, 99 * 0x100, 0), 99);
	code_index_done(&index);
}

static int fill(void *context)
{
	struct code_index index;
	int r = 0;

	(void)context;
	code_index_init(&index, 100);
	for (uint32_t i = 0; r == 0 && i < 200; i++) {
		struct code_entry entry = {.start = i * 16, .size = 16, .line_at = i};

		r = code_index_add(&index, &entry);
		if (r == 0 && i % 50 == 49)
			r = code_index_settle(&index);
	}
	code_index_done(&index);
	return r;
}

static void running_out_of_memory_is_told(void)
{
	torture(fill, NULL, 3);
}

int main(void)
{
	RUN(an_address_is_found_in_its_stretch_and_nowhere_else);
	RUN(of_stretches_that_overlap_the_last_line_counts);
	RUN(an_address_that_was_used_again_keeps_its_name_for_what_was_before);
	RUN(it_says_what_looking_at_all_lines_says);
	RUN(beyond_the_limit_what_was_never_asked_for_goes_oldest_first);
	RUN(a_stretch_that_is_used_again_and_again_costs_nobody_his_place);
	RUN(an_index_that_is_full_of_what_is_used_still_takes_more);
	RUN(running_out_of_memory_is_told);
	return 0;
}
