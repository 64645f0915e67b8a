/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/block_lives.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/random_profile.h"

static struct life_table table;

static int read(const void *bytes, size_t byte_count)
{
	struct bytes_reader reader;
	int r;

	life_table_done(&table);
	CHECK_EQ(life_table_init(&table, LIFE_COUNT_MAX), 0);
	bytes_reader_init(&reader, bytes, byte_count);
	r = block_lives_read(&reader, &table);
	return r == 0 && bytes_left(&reader) > 0 ? -EMSGSIZE : r;
}

static void what_is_written_is_read_and_written_again(void)
{
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct profile *profile = random_profile(seed);
		struct bytes_writer first, again;

		bytes_writer_init(&first, 1 << 20);
		bytes_writer_init(&again, 1 << 20);
		block_lives_write(&first, &profile->lives);
		CHECK_EQ(bytes_writer_fault(&first), 0);
		/* A block without lives has no such section. */
		CHECK_EQ(read(first.bytes, first.byte_count),
			profile->lives.count > 0 ? 0 : -EBADMSG);
		CHECK_EQ(table.count, profile->lives.count);
		block_lives_write(&again, &table);
		CHECK_EQ(again.byte_count, first.byte_count);
		CHECK_EQ(memcmp(again.bytes, first.bytes, first.byte_count), 0);
		for (size_t cut = 0; cut < first.byte_count; cut++)
			CHECK(read(first.bytes, cut) < 0);
		bytes_writer_done(&first);
		bytes_writer_done(&again);
		profile_free(profile);
	}
}

static void rows_that_do_not_rise_are_refused(void)
{
	static const uint8_t rising[] = {
		2, 1, 'a', 1, 'b', 1, 2, 3, 0, 5, 6, 1, 'a', 1, 'c', 1, 2, 3, 0, 5, 6};
	uint8_t equal[sizeof(rising)], falling[sizeof(rising)];

	memcpy(equal, rising, sizeof(rising));
	memcpy(falling, rising, sizeof(rising));
	equal[14] = 'b';
	falling[12] = 'A';
	CHECK_EQ(read(rising, sizeof(rising)), 0);
	CHECK_EQ(table.count, 2);
	CHECK_EQ(table.rows[1].sums.lifetime_ns, 6);
	CHECK_EQ(read(equal, sizeof(equal)), -EBADMSG);
	CHECK_EQ(read(falling, sizeof(falling)), -EBADMSG);
}

static void counts_beyond_all_measure_are_refused(void)
{
	static const uint8_t many[] = {0x81, 0x20};
	uint8_t long_name[3 + LIFE_NAME_BYTES_MAX + 8] = {1, LIFE_NAME_BYTES_MAX + 1};
	static const uint8_t large[] = {
		1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0};

	CHECK_EQ(read(many, sizeof(many)), -E2BIG);
	CHECK_EQ(read(long_name, sizeof(long_name)), -E2BIG);
	CHECK_EQ(read(large, sizeof(large)), -EBADMSG);
	CHECK_EQ(read("", 0), -EBADMSG);
}

int main(void)
{
	RUN(what_is_written_is_read_and_written_again);
	RUN(rows_that_do_not_rise_are_refused);
	RUN(counts_beyond_all_measure_are_refused);
	life_table_done(&table);
	return 0;
}
