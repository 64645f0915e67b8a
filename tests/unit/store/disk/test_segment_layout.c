/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_layout.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/segment_fixture.h"

#define HOUR (SEGMENT_TEST_START_NS / SEGMENT_HOUR_NS)

static void each_window_is_found_where_it_went(void)
{
	static const char *const hosts[] = {"b", "a", "b", "a"};
	static const uint64_t starts_s[] = {20, 3600, 10, 30};
	static const uint32_t places[] = {2, 0, 1, 0};
	struct segment_blocks blocks = {0};
	struct segment_gathering gathering = {0};
	struct segment_input input = {0};
	struct segment_options options = {.slots_from_ns = SEGMENT_TEST_START_NS + 30 * NS_PER_S};
	struct segment_written written = {0};
	struct segment_output output;
	struct segment_index index;
	int fd = memfd_create("segment", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(segment_output_begin(&output, fd, 1), 0);
	CHECK_EQ(segment_index_init(&index), 0);
	for (uint32_t i = 0; i < 4; i++) {
		struct fake_host host = fake_small_host(hosts[i]);

		segment_blocks_add(&blocks, fake_profile(&host, 0, 10 * NS_PER_S, i),
			SEGMENT_TEST_START_NS + starts_s[i] * NS_PER_S);
		CHECK_EQ(segment_gathering_add(&gathering, blocks.profiles[i]), 0);
	}
	CHECK_EQ(segment_gathering_write(&gathering, &input, &options, &output, &index, &written),
		0);
	CHECK_EQ(gathering.layout.hour_count, 2);
	CHECK_EQ(written.window_count, 4);
	CHECK_EQ(index.sample_count, 4 * 60);
	for (uint32_t i = 0; i < 4; i++) {
		const struct segment_block_place *place = &gathering.blocks[i];
		const struct segment_gathered_hour *hour = &gathering.hours[place->hour];
		const struct segment_hour_spans *spans =
			segment_layout_find(&gathering.layout, hour->hour);

		CHECK_EQ(hour->hour, HOUR + starts_s[i] / 3600);
		CHECK_EQ(hour->places[place->window], places[i]);
		CHECK_EQ(spans->spans[places[i]].start_ns,
			SEGMENT_TEST_START_NS + starts_s[i] * NS_PER_S);
		/* Windows that end at 30 s or before keep no slots. */
		CHECK_EQ(spans->spans[places[i]].keeps_slots, starts_s[i] >= 30);
	}
	CHECK(!segment_layout_find(&gathering.layout, HOUR + 2));
	CHECK_EQ(index.hour_count, 2);
	CHECK_EQ(index.hours[0].window_count, 3);
	CHECK_EQ(index.hours[0].from_ns, SEGMENT_TEST_START_NS + 10 * NS_PER_S);
	CHECK_EQ(index.hours[0].until_ns, SEGMENT_TEST_START_NS + 40 * NS_PER_S);
	segment_gathering_done(&gathering);
	segment_index_done(&index);
	segment_blocks_done(&blocks);
	CHECK_EQ(close(fd), 0);
}

int main(void)
{
	RUN(each_window_is_found_where_it_went);
	return 0;
}
