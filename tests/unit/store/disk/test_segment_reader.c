/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/disk/segment_group.h"
#include "tests/support/check.h"
#include "tests/support/segment_fixture.h"

#define BLOCK_COUNT 60u
#define SPREAD_NS (3 * SEGMENT_HOUR_NS)

struct seen_windows {
	uint32_t count;
	uint32_t life_count;
	struct segment_range range;
	const char *host;
};

static int see_window(void *context, const struct segment_window *window)
{
	struct seen_windows *seen = context;

	CHECK(window->start_ns < seen->range.until_ns);
	CHECK(segment_window_slots_end_ns(window) > seen->range.from_ns);
	CHECK(!seen->host || strcmp(window->host.text, seen->host) == 0);
	seen->count++;
	return 0;
}

static int see_lives(
	void *context, const struct segment_window *window, const struct life_table *lives)
{
	struct seen_windows *seen = context;

	see_window(seen, window);
	CHECK(lives->count > 0);
	seen->life_count += lives->count;
	return 0;
}

static struct seen_windows expected_windows(const struct segment_blocks *blocks,
	struct segment_range range, const char *host, bool lives)
{
	struct seen_windows expected = {.range = range, .host = host};

	for (uint32_t i = 0; i < blocks->count; i++) {
		const struct profile *profile = blocks->profiles[i];
		struct segment_window window = segment_window_of(profile);

		if (window.start_ns >= range.until_ns ||
			segment_window_slots_end_ns(&window) <= range.from_ns ||
			(host && strcmp(window.host.text, host) != 0) ||
			(lives && profile->lives.count == 0))
			continue;
		expected.count++;
		expected.life_count += lives ? profile->lives.count : 0;
	}
	return expected;
}

static void windows_and_lives_are_those_of_the_blocks(void)
{
	static const char *const hosts[] = {NULL, "host-1", "nobody"};
	const struct segment_range ranges[] = {{0, UINT64_MAX},
		{SEGMENT_TEST_START_NS + SEGMENT_HOUR_NS,
			SEGMENT_TEST_START_NS + SEGMENT_HOUR_NS + NS_PER_S},
		{0, SEGMENT_TEST_START_NS}};
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;

	segment_blocks_fill(&blocks, 11, BLOCK_COUNT, SEGMENT_TEST_START_NS, SPREAD_NS);
	reader = segment_of_blocks(&blocks);
	for (int i = 0; i < 9; i++) {
		struct segment_range range = ranges[i / 3];
		const char *host = hosts[i % 3];
		struct seen_windows seen = {.range = range, .host = host};
		struct seen_windows expected = expected_windows(&blocks, range, host, false);
		uint64_t damaged = 1;

		CHECK_EQ(segment_reader_windows(reader, range, host, see_window, &seen, &damaged),
			0);
		CHECK_EQ(seen.count, expected.count);
		CHECK_EQ(damaged, 0);
		seen.count = 0;
		expected = expected_windows(&blocks, range, host, true);
		CHECK_EQ(segment_reader_lives(reader, range, host, see_lives, &seen, &damaged), 0);
		CHECK_EQ(seen.count, expected.count);
		CHECK_EQ(seen.life_count, expected.life_count);
	}
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static int stop(void *context, const struct segment_window *window)
{
	(void)window;
	++*(int *)context;
	return 42;
}

static void what_a_visitor_answers_ends_the_visit(void)
{
	const struct segment_range all = {0, UINT64_MAX};
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;
	uint64_t damaged;
	int count = 0;

	segment_blocks_fill(&blocks, 12, 10, SEGMENT_TEST_START_NS, SPREAD_NS);
	reader = segment_of_blocks(&blocks);
	CHECK_EQ(segment_reader_windows(reader, all, NULL, stop, &count, &damaged), 42);
	CHECK_EQ(count, 1);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static void a_file_says_what_is_in_it(void)
{
	struct segment_blocks blocks = {0};
	const struct segment_summary *summary;
	struct segment_reader *reader;
	struct batch_seen seen;
	uint64_t samples = 0, of_groups = 0;

	segment_blocks_fill(&blocks, 13, BLOCK_COUNT, SEGMENT_TEST_START_NS, SPREAD_NS);
	reader = segment_of_blocks(&blocks);
	summary = segment_reader_summary(reader);
	for (uint32_t i = 0; i < blocks.count; i++)
		samples += profile_sample_count(blocks.profiles[i]);
	CHECK_EQ(summary->sample_count, samples);
	CHECK_EQ(summary->window_count, BLOCK_COUNT);
	CHECK_EQ(summary->group_count, 4);
	CHECK(summary->from_ns >= SEGMENT_TEST_START_NS && summary->from_ns < summary->until_ns);
	CHECK(summary->slot_bytes > 0 && summary->slots_until_ns <= summary->until_ns);
	for (uint32_t i = 0; i < summary->group_count; i++) {
		struct segment_group_summary group = segment_reader_group(reader, i);

		of_groups += group.sample_count;
		CHECK_EQ(
			segment_reader_find_group(reader, group.service.text, group.service.length),
			i);
		CHECK(group.from_ns >= summary->from_ns && group.until_ns <= summary->until_ns);
	}
	CHECK_EQ(of_groups, samples);
	CHECK_EQ(segment_reader_find_group(reader, "service-9", 9), UINT32_MAX);
	batch_seen_init(&seen);
	CHECK_EQ(segment_reader_keys(reader, &seen), 0);
	CHECK_EQ(seen.count, 1);
	CHECK_EQ(seen.instances[0].count, 1);
	CHECK_EQ(seen.instances[0].intervals[0].last, BLOCK_COUNT - 1);
	batch_seen_done(&seen);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static void windows_of_an_hour_are_read_once(void)
{
	uint64_t hour = SEGMENT_TEST_START_NS / SEGMENT_HOUR_NS;
	const struct segment_windows *first, *second, *again;
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;
	struct segment_hours *hours;

	segment_blocks_fill(&blocks, 14, BLOCK_COUNT, SEGMENT_TEST_START_NS, SPREAD_NS);
	reader = segment_of_blocks(&blocks);
	CHECK_EQ(segment_hours_new(&hours), 0);
	CHECK_EQ(segment_hours_get(hours, reader, hour, &first), 0);
	CHECK(first->count > 0);
	CHECK_EQ(segment_hours_get(hours, reader, hour + 1, &second), 0);
	CHECK_EQ(segment_hours_get(hours, reader, hour, &again), 0);
	CHECK(first == again && first != second);
	CHECK_EQ(segment_hours_get(hours, reader, hour + 2, &second), 0);
	CHECK_EQ(segment_hours_get(hours, reader, hour + 1, &again), 0);
	CHECK(again != second);
	segment_hours_free(hours);
	segment_hours_free(NULL);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

static void what_is_no_segment_is_refused(void)
{
	struct segment_reader *reader;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	CHECK_EQ(segment_reader_open(fd, &reader), -EBADMSG);
	/* The descriptor went with it. */
	CHECK_EQ(close(fd), -1);
	segment_reader_close(NULL);
}

int main(void)
{
	RUN(windows_and_lives_are_those_of_the_blocks);
	RUN(what_a_visitor_answers_ends_the_visit);
	RUN(a_file_says_what_is_in_it);
	RUN(windows_of_an_hour_are_read_once);
	RUN(what_is_no_segment_is_refused);
	return 0;
}
