/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_piece.h"

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/segment_fixture.h"

static void steps_end_where_the_next_begins(void)
{
	struct segment_request request = {.step_ns = 10, .step_origin_ns = 103};

	CHECK_EQ(segment_step_end(&request, 103), 113);
	CHECK_EQ(segment_step_end(&request, 112), 113);
	CHECK_EQ(segment_step_end(&request, 113), 123);
	CHECK_EQ(segment_step_end(&request, 102), 103);
	CHECK_EQ(segment_step_end(&request, 93), 103);
	CHECK_EQ(segment_step_end(&request, 92), 93);
	CHECK_EQ(segment_step_end(&request, UINT64_MAX - 1), UINT64_MAX);
	request.step_ns = 0;
	CHECK_EQ(segment_step_end(&request, 5), UINT64_MAX);
}

static void slots_are_at_multiples(void)
{
	CHECK_EQ(segment_slot_at(0), 0);
	CHECK_EQ(segment_slot_at(1), PROFILE_SLOT_NS);
	CHECK_EQ(segment_slot_at(PROFILE_SLOT_NS), PROFILE_SLOT_NS);
	CHECK_EQ(segment_slot_at(UINT64_MAX), UINT64_MAX);
}

static void a_window_is_what_was_set(void)
{
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	segment_set_window(profile, SEGMENT_TEST_START_NS, SEGMENT_TEST_START_NS + 5);
	CHECK_EQ(profile_window_epoch_ns(profile), SEGMENT_TEST_START_NS);
	CHECK_EQ(profile_window_end_epoch_ns(profile), SEGMENT_TEST_START_NS + 5);
	profile_free(profile);
}

struct handed_on {
	uint64_t samples;
	int64_t value;
	uint32_t piece_count;
};

static int take(void *context, const struct profile *profile)
{
	struct handed_on *handed_on = context;
	const char *what = "";

	CHECK_EQ(profile_check(profile, &what), 0);
	handed_on->piece_count++;
	handed_on->samples += profile_sample_count(profile);
	for (uint32_t i = 0; i < profile->types[0].row_count; i++)
		handed_on->value += profile->types[0].rows[i].value;
	return 0;
}

static void a_count_beyond_32_bits_fills_several_rows(void)
{
	struct fake_host host = fake_small_host("one");
	struct segment_request request = {.host = "one", .type = PROFILE_TYPE_ON_CPU};
	struct handed_on handed_on = {0};
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;
	struct segment_group *group;
	struct segment_visit visit;
	struct segment_piece piece;
	struct sample_row row = {.value = 77};

	segment_blocks_add(
		&blocks, fake_profile(&host, 0, 10 * NS_PER_S, 1), SEGMENT_TEST_START_NS);
	reader = segment_of_blocks(&blocks);
	CHECK_EQ(segment_group_open(reader, 0, SEGMENT_STACKS, &group), 0);
	CHECK_EQ(segment_visit_init(&visit, group, &request, take, &handed_on), 0);
	CHECK(visit.types[0]);
	/* The empty set has no host. */
	CHECK(!visit.sets[0] && visit.sets[1]);
	CHECK_EQ(segment_piece_init(&piece, &visit), 0);
	CHECK_EQ(segment_piece_add(&piece, 0, &row, UINT64_C(5) << 32), 0);
	row.value = 0;
	CHECK_EQ(segment_piece_add(&piece, 0, &row, 0), 0);
	segment_piece_emit(
		&piece, visit.series, 2, SEGMENT_TEST_START_NS, SEGMENT_TEST_START_NS + NS_PER_S);
	CHECK_EQ(handed_on.samples, UINT64_C(5) << 32);
	CHECK_EQ(handed_on.value, 77);
	/* Nothing is left for a second one. */
	segment_piece_emit(
		&piece, visit.series, 2, SEGMENT_TEST_START_NS, SEGMENT_TEST_START_NS + NS_PER_S);
	CHECK_EQ(handed_on.piece_count, 1);
	CHECK_EQ(visit.visited.piece_count, 1);
	segment_piece_done(&piece);
	segment_visit_done(&visit);
	segment_group_close(group);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(steps_end_where_the_next_begins);
	RUN(slots_are_at_multiples);
	RUN(a_window_is_what_was_set);
	RUN(a_count_beyond_32_bits_fills_several_rows);
	return 0;
}
