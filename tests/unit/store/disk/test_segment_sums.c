/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_sums.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/random.h"

static const struct segment_type types[] = {{1, 10, true}, {2, 0, false}};

static void add(struct segment_sums *sums, uint32_t type, struct segment_sum sum)
{
	CHECK_EQ(segment_sums_add(sums, type, &sum), 0);
}

static int again(const struct segment_sums *sums, uint32_t first_end, uint32_t second_end,
	struct segment_sums *ret_sums)
{
	struct bytes_writer writer;
	struct bytes_reader reader;
	int r;

	bytes_writer_init(&writer, 1 << 20);
	segment_sums_write(&writer, sums, types);
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	CHECK_EQ(segment_sums_init(ret_sums, 2), 0);
	r = segment_sums_read(&reader, types, first_end, second_end, ret_sums);
	bytes_writer_done(&writer);
	return r;
}

/* Against a plain table. */
static void sums_of_a_pair_become_one(void)
{
	static struct segment_sum expected[2][10][10];
	struct segment_sums sums, read;
	struct random random = {3};

	CHECK_EQ(segment_sums_init(&sums, 2), 0);
	for (int i = 0; i < 2000; i++) {
		struct segment_sum sum = {random_below(&random, 10), random_below(&random, 10),
			random_below(&random, 100), (int64_t)random_next(&random) >> 20};
		uint32_t type = random_below(&random, 2);

		add(&sums, type, sum);
		expected[type][sum.first][sum.second].count += sum.count;
		expected[type][sum.first][sum.second].value += sum.value;
	}
	segment_sums_seal(&sums);
	CHECK_EQ(again(&sums, 10, 10, &read), 0);
	for (uint32_t type = 0; type < 2; type++) {
		CHECK_EQ(read.types[type].count, 100);
		for (uint32_t i = 0; i < 100; i++) {
			const struct segment_sum *sum = &read.types[type].sums[i];
			const struct segment_sum *of = &expected[type][i / 10][i % 10];

			CHECK_EQ(sum->first, i / 10);
			CHECK_EQ(sum->second, i % 10);
			CHECK_EQ(sum->count, of->count);
			CHECK_EQ(sum->value, of->value);
		}
	}
	segment_sums_done(&read);
	segment_sums_done(&sums);
}

static void what_does_not_fit_one_sum_stands_in_two(void)
{
	struct segment_sums sums, read;

	CHECK_EQ(segment_sums_init(&sums, 2), 0);
	add(&sums, 0, (struct segment_sum){1, 1, 1, INT64_MAX});
	add(&sums, 0, (struct segment_sum){1, 1, 1, INT64_MAX});
	add(&sums, 0, (struct segment_sum){1, 1, UINT64_MAX, 0});
	segment_sums_seal(&sums);
	CHECK_EQ(again(&sums, 2, 2, &read), 0);
	CHECK_EQ(read.types[0].count, 3);
	CHECK_EQ(read.types[0].sums[0].value, INT64_MAX);
	CHECK_EQ(read.types[0].sums[2].count, UINT64_MAX);
	segment_sums_done(&read);
	segment_sums_done(&sums);
}

static void what_names_nothing_is_refused(void)
{
	struct segment_sums sums, read;

	CHECK_EQ(segment_sums_init(&sums, 2), 0);
	CHECK(segment_sums_is_empty(&sums));
	add(&sums, 1, (struct segment_sum){4, 7, 1, 1});
	CHECK(!segment_sums_is_empty(&sums));
	CHECK_EQ(again(&sums, 5, 8, &read), 0);
	segment_sums_done(&read);
	CHECK_EQ(again(&sums, 4, 8, &read), -EBADMSG);
	segment_sums_done(&read);
	CHECK_EQ(again(&sums, 5, 7, &read), -EBADMSG);
	segment_sums_done(&read);
	segment_sums_done(&sums);
}

static void all_of_others_are_added(void)
{
	struct segment_sums sums, other;

	CHECK_EQ(segment_sums_init(&sums, 2), 0);
	CHECK_EQ(segment_sums_init(&other, 2), 0);
	add(&other, 1, (struct segment_sum){4, 7, 1, 1});
	CHECK_EQ(segment_sums_add_all(&sums, &other), 0);
	CHECK_EQ(segment_sums_add_all(&sums, &other), 0);
	CHECK_EQ(sums.types[1].count, 1);
	CHECK_EQ(sums.types[1].sums[0].count, 2);
	segment_sums_done(&other);
	segment_sums_done(&sums);
}

int main(void)
{
	RUN(sums_of_a_pair_become_one);
	RUN(what_does_not_fit_one_sum_stands_in_two);
	RUN(what_names_nothing_is_refused);
	RUN(all_of_others_are_added);
	return 0;
}
