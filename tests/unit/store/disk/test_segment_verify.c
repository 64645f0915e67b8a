/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>
#include <unistd.h>

#include "store/disk/segment_group.h"
#include "store/disk/segment_writer.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/segment_fixture.h"

static void ignore(void *context, const char *what)
{
	CHECK(strlen(what) > 0);
	++*(uint64_t *)context;
}

static uint64_t problems_of(const struct segment_reader *reader)
{
	uint64_t told = 0, count = 0;

	CHECK_EQ(segment_reader_verify(reader, ignore, &told, &count), 0);
	CHECK_EQ(told, count);
	return count;
}

static void what_was_written_is_sound(void)
{
	struct segment_blocks blocks = {0};
	struct segment_reader *parts[2], *whole;
	struct segment_input input = {
		.segments = (const struct segment_reader *const *)parts, .segment_count = 2};
	struct segment_options options = {
		.slots_from_ns = SEGMENT_TEST_START_NS + 12 * SEGMENT_HOUR_NS};
	struct segment_written written;

	segment_blocks_fill(&blocks, 31, 60, SEGMENT_TEST_START_NS, 30 * SEGMENT_HOUR_NS);
	parts[0] = segment_of_blocks(&blocks);
	CHECK_EQ(problems_of(parts[0]), 0);
	parts[1] = segment_of_blocks(&blocks);
	whole = segment_of(&input, &options, &written);
	CHECK_EQ(problems_of(whole), 0);
	segment_reader_close(parts[0]);
	segment_reader_close(parts[1]);
	segment_reader_close(whole);
	segment_blocks_done(&blocks);
}

/* A small file: two windows of two services. */
static int small_file(struct segment_blocks *blocks, off_t *ret_size)
{
	struct fake_host host = fake_small_host("one");
	struct segment_input input = {.blocks = segment_blocks_visit, .context = blocks};
	struct segment_options options = {.number = 3};
	struct segment_written written;
	int fd = memfd_create("segment", MFD_CLOEXEC);

	CHECK(fd >= 0);
	host.process_count = 2;
	host.sample_count = 12;
	for (uint32_t i = 0; i < 2; i++) {
		segment_blocks_add(blocks, fake_profile(&host, 0, 10 * NS_PER_S, i),
			SEGMENT_TEST_START_NS + SEGMENT_HOUR_NS - 15 * NS_PER_S +
				i * 10 * NS_PER_S);
	}
	CHECK_EQ(segment_write(fd, &input, &options, &written), 0);
	*ret_size = (off_t)written.byte_count;
	return fd;
}

/* What damaged sections left: all of it; or less, and that is told. */
static void check_answer(const struct segment_reader *reader, struct segment_blocks *blocks,
	enum segment_detail detail)
{
	struct segment_request request = {.detail = detail,
		.from_ns = SEGMENT_TEST_START_NS,
		.until_ns = SEGMENT_TEST_START_NS + 2 * SEGMENT_HOUR_NS};
	struct segment_answer expected, got;
	uint64_t damaged = segment_answer_of_segment(&got, reader, &request, NULL);

	segment_answer_of_blocks(&expected, blocks, &request, NULL, 0);
	CHECK(segment_answer_equal(&expected, &got) || damaged > 0);
	CHECK(segment_answer_within(&got, &expected));
	segment_answer_done(&expected);
	segment_answer_done(&got);
}

static void each_changed_byte_is_seen_and_no_sum_is_wrong(void)
{
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;
	uint32_t opened = 0;
	off_t size;
	int fd = small_file(&blocks, &size);

	for (off_t i = 0; i < size; i++) {
		uint8_t byte, changed;
		int copy = dup(fd);

		CHECK_EQ(pread(fd, &byte, 1, i), 1);
		changed = byte ^ 1;
		CHECK_EQ(pwrite(fd, &changed, 1, i), 1);
		if (segment_reader_open(copy, &reader) == 0) {
			opened++;
			CHECK(problems_of(reader) > 0);
			for (int detail = 0; detail <= SEGMENT_DETAIL_SERIES; detail++)
				check_answer(reader, &blocks, (enum segment_detail)detail);
			segment_reader_close(reader);
		}
		CHECK_EQ(pwrite(fd, &byte, 1, i), 1);
	}
	/* Header, index and trailer are the smaller part. */
	CHECK(opened > (uint32_t)size / 2);
	CHECK_EQ(segment_reader_open(fd, &reader), 0);
	CHECK_EQ(problems_of(reader), 0);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

/* Sums that lie, under checksums that are right. */
static void sums_that_are_not_those_of_the_rows_are_told(void)
{
	struct segment_blocks blocks = {0};
	off_t size;
	int fd = small_file(&blocks, &size);
	struct segment_reader *reader;

	CHECK_EQ(segment_reader_open(fd, &reader), 0);
	reader->index.sample_count++;
	reader->summary.sample_count++;
	reader->index.groups[1].sample_count++;
	CHECK_EQ(problems_of(reader), 2);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(what_was_written_is_sound);
	RUN(each_changed_byte_is_seen_and_no_sum_is_wrong);
	RUN(sums_that_are_not_those_of_the_rows_are_told);
	return 0;
}
