/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/hold.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/check.h"

static struct event_sample *make(uint64_t taken_at_ns, uint16_t frames)
{
	struct event_sample *sample = calloc(1, sizeof(*sample) + frames * sizeof(uint64_t));

	CHECK(sample);
	sample->kind = EVENT_SAMPLE;
	sample->taken_at_ns = taken_at_ns;
	sample->user_frame_count = frames;
	for (uint16_t i = 0; i < frames; i++)
		sample->ips[i] = taken_at_ns * 1000 + i;
	return sample;
}

static int add(struct hold *hold, uint64_t taken_at_ns, uint16_t frames)
{
	struct event_sample *sample = make(taken_at_ns, frames);
	int r = hold_add(hold, sample);

	free(sample);
	return r;
}

static void expect(struct hold *hold, uint64_t until_ns, uint64_t taken_at_ns)
{
	const struct event_sample *sample = hold_next(hold, until_ns);

	CHECK(sample);
	CHECK_EQ(sample->taken_at_ns, taken_at_ns);
	for (uint16_t i = 0; i < sample->user_frame_count; i++)
		CHECK_EQ(sample->ips[i], taken_at_ns * 1000 + i);
}

static void samples_of_many_cpus_come_out_in_order(void)
{
	struct hold hold;
	uint64_t last = 0;
	unsigned seed = 3;

	hold_init(&hold);
	CHECK(!hold_next(&hold, UINT64_MAX));
	for (int i = 0; i < 1000; i++)
		CHECK_EQ(add(&hold, 1 + (uint64_t)rand_r(&seed) % 500, (uint16_t)(i % 40)), 0);
	CHECK_EQ(hold_count(&hold), 1000);
	for (int i = 0; i < 1000; i++) {
		const struct event_sample *sample = hold_next(&hold, UINT64_MAX);

		CHECK(sample && sample->taken_at_ns >= last);
		last = sample->taken_at_ns;
	}
	CHECK(!hold_next(&hold, UINT64_MAX));
	hold_done(&hold);
}

static void what_is_too_young_waits_for_the_next_round(void)
{
	struct hold hold;

	hold_init(&hold);
	CHECK_EQ(add(&hold, 30, 3), 0);
	CHECK_EQ(add(&hold, 10, 1), 0);
	CHECK_EQ(add(&hold, 20, 2), 0);
	expect(&hold, 20, 10);
	CHECK(!hold_next(&hold, 20));
	hold_compact(&hold);
	CHECK_EQ(hold_count(&hold), 2);
	CHECK_EQ(add(&hold, 5, 4), 0);
	expect(&hold, 100, 5);
	expect(&hold, 100, 20);
	hold_compact(&hold);
	expect(&hold, 100, 30);
	CHECK(!hold_next(&hold, 100));
	hold_compact(&hold);
	CHECK_EQ(hold.byte_count, 0);
	hold_done(&hold);
}

static void a_full_hold_takes_no_more_until_some_are_out(void)
{
	struct hold hold;
	uint32_t count = 0;

	hold_init(&hold);
	while (add(&hold, count + 1, USER_FRAMES_MAX) == 0)
		count++;
	CHECK_EQ(add(&hold, 1, USER_FRAMES_MAX), -ENOBUFS);
	CHECK(count > 1000);
	for (uint32_t i = 0; i < count; i++)
		expect(&hold, UINT64_MAX, i + 1);
	hold_compact(&hold);
	CHECK_EQ(add(&hold, 1, USER_FRAMES_MAX), 0);
	hold_done(&hold);
}

int main(void)
{
	RUN(samples_of_many_cpus_come_out_in_order);
	RUN(what_is_too_young_waits_for_the_next_round);
	RUN(a_full_hold_takes_no_more_until_some_are_out);
	return 0;
}
