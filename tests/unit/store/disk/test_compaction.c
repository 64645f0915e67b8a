/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/compaction.h"

#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS (60 * MINUTE_NS)
#define DAY_NS (24 * HOUR_NS)
/* A day begins here. */
#define DAY_START_NS (UINT64_C(19700) * DAY_NS)
#define FILE_COUNT_MAX 4096

static struct compaction_file files[FILE_COUNT_MAX];
static size_t file_count;

static struct compaction_limits limits_at(uint64_t now_ns)
{
	return (struct compaction_limits){
		.now_ns = now_ns,
		.age_ns = 90 * DAY_NS,
		.grace_ns = 5 * MINUTE_NS,
		.hot_ns = 2 * DAY_NS,
		.bytes_max = 1000000,
	};
}

static void begin(void)
{
	file_count = 0;
}

static struct compaction_file *add(bool is_segment, uint64_t received_ns, uint64_t bytes)
{
	files[file_count] = (struct compaction_file){.number = file_count + 1,
		.bytes = bytes,
		.received_ns = received_ns,
		.is_segment = is_segment};
	return &files[file_count++];
}

static size_t pick(const struct compaction_limits *limits)
{
	size_t picked = compaction_pick(files, file_count, limits), counted = 0;

	for (size_t i = 0; i < file_count; i++)
		counted += files[i].picked;
	CHECK_EQ(counted, picked);
	return picked;
}

static void a_period_is_left_alone_until_it_is_over(void)
{
	struct compaction_limits limits = limits_at(DAY_START_NS + 15 * MINUTE_NS - 1);

	begin();
	add(false, DAY_START_NS + 3 * MINUTE_NS, 10);
	CHECK_EQ(pick(&limits), 0);
	limits.now_ns++;
	CHECK_EQ(pick(&limits), 1);
	/* A clock that stepped back, and one that has hardly begun. */
	limits.now_ns = DAY_START_NS;
	CHECK_EQ(pick(&limits), 0);
	limits.now_ns = 1;
	CHECK_EQ(pick(&limits), 0);
}

static void the_longest_period_that_is_over_comes_first(void)
{
	struct compaction_limits limits = limits_at(DAY_START_NS + DAY_NS + 5 * MINUTE_NS);

	begin();
	add(true, DAY_START_NS + HOUR_NS, 10);
	add(false, DAY_START_NS + HOUR_NS + 1, 10);
	add(false, DAY_START_NS + 23 * HOUR_NS, 10);
	add(false, DAY_START_NS + 24 * HOUR_NS, 10);
	CHECK_EQ(pick(&limits), 3);
	CHECK(!files[3].picked);
	limits.now_ns -= HOUR_NS;
	CHECK_EQ(pick(&limits), 2);
	CHECK(files[0].picked && files[1].picked);
}

static void one_segment_of_a_period_is_enough(void)
{
	struct compaction_limits limits = limits_at(DAY_START_NS + 3 * DAY_NS);

	begin();
	add(true, DAY_START_NS + HOUR_NS, 10);
	add(true, DAY_START_NS + DAY_NS, 10);
	CHECK_EQ(pick(&limits), 0);
	add(true, DAY_START_NS + 2 * HOUR_NS, 10);
	CHECK_EQ(pick(&limits), 2);
	CHECK(!files[1].picked);
}

static void no_file_becomes_too_large(void)
{
	struct compaction_limits limits = limits_at(DAY_START_NS + 3 * DAY_NS);

	limits.bytes_max = 100;
	begin();
	add(true, DAY_START_NS, 90);
	add(true, DAY_START_NS + 1, 40);
	add(true, DAY_START_NS + 2, 50);
	add(true, DAY_START_NS + 3, 20);
	CHECK_EQ(pick(&limits), 2);
	CHECK(files[1].picked && files[2].picked);
	/* A log alone is made a segment, however large it is. */
	begin();
	add(false, DAY_START_NS, 1000);
	add(false, DAY_START_NS + 1, 1000);
	CHECK_EQ(pick(&limits), 1);
	CHECK(files[0].picked);
}

static void what_is_unfit_is_left_out(void)
{
	struct compaction_limits limits = limits_at(DAY_START_NS + 3 * DAY_NS);

	begin();
	add(false, DAY_START_NS, 1)->unfit = true;
	CHECK_EQ(pick(&limits), 0);
	add(false, DAY_START_NS + 1, 1);
	CHECK_EQ(pick(&limits), 1);
	CHECK(files[1].picked);
	begin();
	add(true, DAY_START_NS, 1)->unfit = true;
	files[0].slots_until_ns = DAY_START_NS;
	CHECK_EQ(pick(&limits), 0);
}

static void slots_go_when_all_of_a_file_are_past_their_time(void)
{
	struct compaction_limits limits = limits_at(DAY_START_NS + 3 * DAY_NS);

	begin();
	add(true, DAY_START_NS + DAY_NS - 1, 10)->slots_until_ns = DAY_START_NS + DAY_NS;
	CHECK_EQ(pick(&limits), 1);
	limits.now_ns--;
	CHECK_EQ(pick(&limits), 0);
	limits.hot_ns = UINT64_MAX;
	limits.now_ns += 100 * DAY_NS;
	CHECK_EQ(pick(&limits), 0);
}

static void a_short_retention_has_short_periods(void)
{
	struct compaction_limits limits = limits_at(DAY_START_NS + 3 * DAY_NS);

	begin();
	add(false, DAY_START_NS, 1);
	add(false, DAY_START_NS + MINUTE_NS, 1);
	add(false, DAY_START_NS + 20 * MINUTE_NS, 1);
	add(false, DAY_START_NS + 5 * HOUR_NS, 1);
	add(false, DAY_START_NS + 6 * HOUR_NS, 1);
	CHECK_EQ(pick(&limits), 5);
	limits.age_ns = 8 * DAY_NS - 1;
	CHECK_EQ(pick(&limits), 4);
	limits.age_ns = 48 * HOUR_NS - 1;
	CHECK_EQ(pick(&limits), 3);
	limits.age_ns = 8 * HOUR_NS - 1;
	CHECK_EQ(pick(&limits), 2);
	limits.age_ns = 80 * MINUTE_NS - 1;
	CHECK_EQ(pick(&limits), 0);
	CHECK(!compaction_is_worth_it(limits.age_ns));
	CHECK(compaction_is_worth_it(limits.age_ns + 1));
}

/* Puts what is picked together, as the compactor does. */
static void merge(const struct compaction_limits *limits)
{
	struct compaction_file made = {.number = files[file_count - 1].number + 1,
		.is_segment = true,
		.slots_until_ns = limits->now_ns};
	size_t kept = 0;

	for (size_t i = 0; i < file_count; i++) {
		if (!files[i].picked) {
			files[kept++] = files[i];
			continue;
		}
		made.bytes += files[i].is_segment ? files[i].bytes : files[i].bytes / 3;
		if (files[i].received_ns > made.received_ns)
			made.received_ns = files[i].received_ns;
	}
	if (made.received_ns + limits->hot_ns < limits->now_ns)
		made.slots_until_ns = 0;
	files[kept++] = made;
	file_count = kept;
}

/* What a query of the last day reads, at any time of the day. */
static void a_day_is_few_files(void)
{
	uint64_t end_ns = DAY_START_NS + 3 * DAY_NS;

	begin();
	for (uint64_t now_ns = DAY_START_NS; now_ns < end_ns; now_ns += 10 * MINUTE_NS) {
		struct compaction_limits limits = limits_at(now_ns + 5 * MINUTE_NS);
		size_t of_today = 0;

		while (file_count > 0 && pick(&limits) > 0)
			merge(&limits);
		for (size_t i = 0; i < file_count; i++)
			of_today += files[i].received_ns / DAY_NS == now_ns / DAY_NS;
		CHECK(of_today <= 3 + 5 + 5);
		add(false, now_ns, 30);
	}
}

/* Logs come for days, compaction runs now and then: it ends each time, and files stay few. */
static void it_comes_to_an_end_and_leaves_few_files(void)
{
	uint64_t random = 7;

	begin();
	for (uint64_t minute = 0; minute < UINT64_C(12) * 24 * 60; minute += 10) {
		struct compaction_limits limits =
			limits_at(DAY_START_NS + minute * MINUTE_NS + 9 * MINUTE_NS);
		int rounds = 0;

		for (uint64_t i = fake_random(&random) % 3; i-- > 0;)
			add(false, DAY_START_NS + (minute + i) * MINUTE_NS,
				fake_random(&random) % 30000);
		if (fake_random(&random) % 5 == 0)
			continue;
		while (file_count > 0 && pick(&limits) > 0) {
			merge(&limits);
			CHECK(++rounds < 1000);
		}
		CHECK(file_count < 100);
	}
	CHECK(file_count < 12 + 24 + 20);
}

int main(void)
{
	RUN(a_period_is_left_alone_until_it_is_over);
	RUN(the_longest_period_that_is_over_comes_first);
	RUN(one_segment_of_a_period_is_enough);
	RUN(no_file_becomes_too_large);
	RUN(what_is_unfit_is_left_out);
	RUN(slots_go_when_all_of_a_file_are_past_their_time);
	RUN(a_short_retention_has_short_periods);
	RUN(a_day_is_few_files);
	RUN(it_comes_to_an_end_and_leaves_few_files);
	return 0;
}
