/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/random.h"
#include "tests/support/segment_fixture.h"
#include "tests/support/torture.h"

#define START_NS SEGMENT_TEST_START_NS

static void an_hour_of_blocks_answers_as_the_blocks(void)
{
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;

	segment_blocks_fill(&blocks, 1, 40, START_NS, SEGMENT_HOUR_NS);
	reader = segment_of_blocks(&blocks);
	segment_check_questions((struct segment_questions){.blocks = &blocks,
		.reader = reader,
		.slots_from_ns = 0,
		.spread_ns = SEGMENT_HOUR_NS,
		.count = 50,
		.detail = -1});
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static void days_of_blocks_in_shares_answer_as_the_blocks(void)
{
	uint64_t spread_ns = 30 * SEGMENT_HOUR_NS;
	struct segment_blocks blocks = {0};
	struct segment_input input = {.blocks = segment_blocks_visit, .context = &blocks};
	struct segment_options options = {.number = 7, .memory_bytes = 1};
	struct segment_written written;
	struct segment_reader *reader;

	segment_blocks_fill(&blocks, 2, 120, START_NS, spread_ns);
	reader = segment_of(&input, &options, &written);
	/* One share for each of the services, and that without. */
	CHECK_EQ(written.pass_count, 5);
	CHECK_EQ(written.block_count, blocks.count);
	segment_check_questions((struct segment_questions){.blocks = &blocks,
		.reader = reader,
		.slots_from_ns = 0,
		.spread_ns = spread_ns,
		.count = 66,
		.detail = -1});
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static void without_slots_windows_answer_as_without_slots(void)
{
	uint64_t slots_from_ns = START_NS + SEGMENT_HOUR_NS / 2;
	struct segment_blocks blocks = {0};
	struct segment_input input = {.blocks = segment_blocks_visit, .context = &blocks};
	struct segment_options options = {.slots_from_ns = slots_from_ns};
	struct segment_written written;
	struct segment_reader *reader;

	segment_blocks_fill(&blocks, 3, 40, START_NS, SEGMENT_HOUR_NS);
	reader = segment_of(&input, &options, &written);
	segment_check_questions((struct segment_questions){.blocks = &blocks,
		.reader = reader,
		.slots_from_ns = slots_from_ns,
		.spread_ns = SEGMENT_HOUR_NS,
		.count = 50,
		.detail = -1});
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

/* Segments of one input each, of times that overlap. */
static uint32_t segments_of(
	const struct segment_blocks *blocks, uint32_t count, struct segment_reader **ret_readers)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = blocks->count * i / count;
		struct segment_blocks part = {.profiles = blocks->profiles + first,
			.keys = blocks->keys + first,
			.count = blocks->count * (i + 1) / count - first};

		ret_readers[i] = segment_of_blocks(&part);
	}
	return count;
}

static void segments_become_one_that_answers_the_same(void)
{
	uint64_t spread_ns = 25 * SEGMENT_HOUR_NS, slots_from_ns = START_NS + 5 * SEGMENT_HOUR_NS;
	struct segment_reader *parts[5], *whole, *again;
	struct segment_blocks blocks = {0};
	struct segment_input input = {.segments = (const struct segment_reader *const *)parts};
	struct segment_options options = {.number = 9};
	struct segment_written written;

	segment_blocks_fill(&blocks, 4, 100, START_NS, spread_ns);
	input.segment_count = segments_of(&blocks, 5, parts);
	whole = segment_of(&input, &options, &written);
	CHECK_EQ(written.window_count, blocks.count);
	CHECK_EQ(written.pass_count, 0);
	segment_check_questions((struct segment_questions){.blocks = &blocks,
		.reader = whole,
		.slots_from_ns = 0,
		.spread_ns = spread_ns,
		.count = 66,
		.detail = -1});
	input.segments = (const struct segment_reader *const *)&whole;
	input.segment_count = 1;
	options.slots_from_ns = slots_from_ns;
	again = segment_of(&input, &options, &written);
	segment_check_questions((struct segment_questions){.blocks = &blocks,
		.reader = again,
		.slots_from_ns = slots_from_ns,
		.spread_ns = spread_ns,
		.count = 66,
		.detail = -1});
	segment_reader_close(again);
	segment_reader_close(whole);
	for (uint32_t i = 0; i < 5; i++)
		segment_reader_close(parts[i]);
	segment_blocks_done(&blocks);
}

static void blocks_and_segments_become_one(void)
{
	struct segment_blocks early = {0}, late = {0}, all = {0};
	struct segment_input input = {.blocks = segment_blocks_visit, .context = &late};
	struct segment_options options = {.number = 9};
	struct segment_reader *part, *reader;
	const struct segment_reader *parts[1];
	struct segment_written written;

	segment_blocks_fill(&early, 5, 20, START_NS, 2 * SEGMENT_HOUR_NS);
	segment_blocks_fill(&late, 6, 20, START_NS, 2 * SEGMENT_HOUR_NS);
	for (uint32_t i = 0; i < 20; i++) {
		segment_blocks_add(
			&all, early.profiles[i], profile_window_epoch_ns(early.profiles[i]));
		segment_blocks_add(
			&all, late.profiles[i], profile_window_epoch_ns(late.profiles[i]));
	}
	part = segment_of_blocks(&early);
	parts[0] = part;
	input.segments = parts;
	input.segment_count = 1;
	reader = segment_of(&input, &options, &written);
	segment_check_questions((struct segment_questions){.blocks = &all,
		.reader = reader,
		.slots_from_ns = 0,
		.spread_ns = 2 * SEGMENT_HOUR_NS,
		.count = 33,
		.detail = -1});
	segment_reader_close(reader);
	segment_reader_close(part);
	early.count = late.count = 0;
	segment_blocks_done(&early);
	segment_blocks_done(&late);
	segment_blocks_done(&all);
}

static void nothing_becomes_a_segment_of_nothing(void)
{
	struct segment_input input = {.blocks = NULL};
	uint64_t replaced[] = {5, 3, 5};
	struct segment_options options = {.number = 4, .replaced = replaced, .replaced_count = 3};
	struct segment_written written;
	struct segment_reader *reader = segment_of(&input, &options, &written);
	const struct segment_summary *summary = segment_reader_summary(reader);

	CHECK_EQ(summary->number, 4);
	CHECK_EQ(summary->group_count, 0);
	CHECK_EQ(summary->window_count, 0);
	CHECK_EQ(summary->replaced_count, 2);
	CHECK_EQ(summary->replaced[0], 3);
	CHECK_EQ(summary->replaced[1], 5);
	segment_reader_close(reader);
}

/* Gives one block less each time. */
static int fewer_blocks(void *context, segment_block_fn visit, void *visit_context)
{
	struct segment_blocks *blocks = context;
	int r = segment_blocks_visit(blocks, visit, visit_context);

	blocks->count--;
	return r;
}

static void an_input_that_changes_meanwhile_is_an_error(void)
{
	struct segment_blocks blocks = {0};
	struct segment_input input = {.blocks = fewer_blocks, .context = &blocks};
	struct segment_options options = {.number = 1};
	struct segment_written written;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	segment_blocks_fill(&blocks, 8, 10, START_NS, SEGMENT_HOUR_NS);
	CHECK_EQ(segment_write(fd, &input, &options, &written), -ESTALE);
	blocks.count = 10;
	segment_blocks_done(&blocks);
	CHECK_EQ(close(fd), 0);
}

static void a_full_disk_is_an_error(void)
{
	struct segment_blocks blocks = {0};
	struct segment_input input = {.blocks = segment_blocks_visit, .context = &blocks};
	struct segment_options options = {.number = 1};
	struct segment_written written;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	segment_blocks_fill(&blocks, 8, 10, START_NS, SEGMENT_HOUR_NS);
	CHECK_EQ(segment_write(fd, &input, &options, &written), -ENOSPC);
	segment_blocks_done(&blocks);
	CHECK_EQ(close(fd), 0);
}

static int ignore_piece(void *context, const struct profile *profile)
{
	(void)context;
	(void)profile;
	return 0;
}

static int ask_group(const struct segment_reader *reader, enum segment_detail detail)
{
	struct segment_request request = {
		.detail = detail, .until_ns = UINT64_MAX, .step_ns = 1800 * NS_PER_S};
	struct segment_visited visited = {0};
	struct segment_group *group = NULL;
	int r = segment_group_open(reader, 0, SEGMENT_STACKS, &group);

	if (r == 0)
		r = segment_group_visit(group, &request, ignore_piece, NULL, &visited);
	CHECK_EQ(visited.damaged, 0);
	segment_group_close(group);
	return r;
}

static void no_problem(void *context, const char *what)
{
	(void)context;
	CHECK_STR(what, "");
}

/* One segment of blocks, one of that, and all that can be asked. */
static int write_and_read(void *context)
{
	struct segment_input input = {.blocks = segment_blocks_visit, .context = context};
	struct segment_options options = {.number = 1};
	struct segment_reader *first = NULL, *second = NULL;
	const struct segment_reader *inputs[1];
	struct segment_written written;
	int fd = memfd_create("segment", MFD_CLOEXEC), r;
	uint64_t problem_count = 0;

	CHECK(fd >= 0);
	r = segment_write(fd, &input, &options, &written);
	if (r < 0)
		CHECK_EQ(close(fd), 0);
	if (r == 0)
		r = segment_reader_open(fd, &first);
	inputs[0] = first;
	input = (struct segment_input){.segments = inputs, .segment_count = 1};
	fd = memfd_create("segment", MFD_CLOEXEC);
	CHECK(fd >= 0);
	if (r == 0)
		r = segment_write(fd, &input, &options, &written);
	if (r < 0)
		CHECK_EQ(close(fd), 0);
	if (r == 0)
		r = segment_reader_open(fd, &second);
	for (int i = 0; r == 0 && i <= SEGMENT_DETAIL_SERIES; i++)
		r = ask_group(second, (enum segment_detail)i);
	if (r == 0)
		r = segment_reader_verify(second, no_problem, NULL, &problem_count);
	segment_reader_close(first);
	segment_reader_close(second);
	return r;
}

static void without_memory_it_says_so(void)
{
	struct fake_host host = fake_small_host("one");
	struct segment_blocks blocks = {0};

	host.process_count = 1;
	host.sample_count = 5;
	segment_blocks_add(
		&blocks, fake_profile(&host, 0, 10 * NS_PER_S, 1), START_NS - 5 * NS_PER_S);
	/* Giving back what compression left over may fail: that is no fault. */
	torture_tolerant(write_and_read, &blocks, 300);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(an_hour_of_blocks_answers_as_the_blocks);
	RUN(days_of_blocks_in_shares_answer_as_the_blocks);
	RUN(without_slots_windows_answer_as_without_slots);
	RUN(segments_become_one_that_answers_the_same);
	RUN(blocks_and_segments_become_one);
	RUN(nothing_becomes_a_segment_of_nothing);
	RUN(an_input_that_changes_meanwhile_is_an_error);
	RUN(a_full_disk_is_an_error);
	RUN(without_memory_it_says_so);
	return 0;
}
