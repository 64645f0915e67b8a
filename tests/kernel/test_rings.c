/* SPDX-License-Identifier: Apache-2.0 */
/* Ring buffers that run full: everything that does not fit is counted, and goes on afterwards. */
#include "collector/kernel/sampler.h"

#include <errno.h>
#include <poll.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "tests/kernel/known.h"
#include "tests/kernel/privilege.h"
#include "tests/support/check.h"

#define HZ 4999
#define SMALLEST_RING 65536

DEFINE_SCOPED(struct sampler *, sampler_free)

static int tally(void *context, const struct event_sample *sample)
{
	uint64_t *count = context;

	CHECK(sample->kernel_frame_count + sample->user_frame_count > 0);
	(*count)++;
	return 0;
}

static void counters_of(struct sampler *sampler, uint64_t ret_values[COUNTER_MAX])
{
	CHECK_EQ(sampler_counters(sampler, ret_values), 0);
}

/* Computes until the ring has run full. */
static void fill(struct sampler *sampler)
{
	uint64_t until_ns = clock_monotonic_ns() + 10 * NS_PER_S, values[COUNTER_MAX];

	do {
		known_compute_for(NS_PER_S / 10);
		counters_of(sampler, values);
		CHECK(clock_monotonic_ns() < until_ns);
	} while (values[COUNTER_ring_full] == 0);
}

static void a_full_ring_is_counted_and_wakes(void)
{
	struct sampler_config config = {
		.hz = HZ, .cpus_per_ring = 1024, .ring_bytes = SMALLEST_RING};
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	uint64_t values[COUNTER_MAX], count = 0;
	struct sampler_reason reason;
	struct pollfd poller;

	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	fill(sampler);
	poller = (struct pollfd){.fd = sampler_poll_fd(sampler), .events = POLLIN};
	CHECK_EQ(poll(&poller, 1, 0), 1);
	CHECK(sampler_drain(sampler, tally, &count) > 0);
	counters_of(sampler, values);
	printf("%llu samples passed, %llu found the ring full\n",
		(unsigned long long)values[COUNTER_passed],
		(unsigned long long)values[COUNTER_ring_full]);
	CHECK(count * sizeof(struct event_sample) < SMALLEST_RING);

	/* Drained, it has room again, and nothing is lost between passed and drained. */
	known_compute_for(NS_PER_S / 20);
	CHECK(sampler_drain(sampler, tally, &count) > 0);
	counters_of(sampler, values);
	CHECK(count <= values[COUNTER_passed]);
	CHECK(values[COUNTER_passed] - count < 100);
	CHECK_EQ(values[COUNTER_malformed], 0);
}

static int refuse(void *context, const struct event_sample *sample)
{
	(void)context;
	CHECK(sample != NULL);
	return -ECANCELED;
}

static void a_drain_that_is_refused_stops_there_and_loses_nothing(void)
{
	struct sampler_config config = {.way = SAMPLER_BPF, .hz = HZ};
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	uint64_t values[COUNTER_MAX], count = 0;
	struct sampler_reason reason;

	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	known_compute_for(NS_PER_S / 20);
	CHECK_EQ(sampler_drain(sampler, refuse, NULL), -ECANCELED);
	CHECK_EQ(sampler_drain(sampler, refuse, NULL), -ECANCELED);
	sampler_halt(sampler);
	CHECK(sampler_drain(sampler, tally, &count) > 0);
	counters_of(sampler, values);
	CHECK_EQ(values[COUNTER_passed], count);
	CHECK(count > 0);
}

static void a_halted_sampler_has_passed_all_that_it_took(void)
{
	struct sampler_config config = {.way = SAMPLER_BPF, .hz = HZ};
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	uint64_t values[COUNTER_MAX], again[COUNTER_MAX], count = 0;
	struct sampler_reason reason;

	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	known_compute_for(NS_PER_S / 20);
	sampler_halt(sampler);
	counters_of(sampler, values);
	CHECK_EQ(values[COUNTER_received],
		values[COUNTER_passed] + values[COUNTER_idle] + values[COUNTER_ring_full] +
			values[COUNTER_no_record] + values[COUNTER_no_ring]);
	known_compute_for(NS_PER_S / 20);
	counters_of(sampler, again);
	CHECK_EQ(again[COUNTER_received], values[COUNTER_received]);
	CHECK(sampler_drain(sampler, tally, &count) > 0);
	CHECK_EQ(count, values[COUNTER_passed]);
}

int main(void)
{
	privilege_need_sampling();
	RUN(a_full_ring_is_counted_and_wakes);
	RUN(a_drain_that_is_refused_stops_there_and_loses_nothing);
	RUN(a_halted_sampler_has_passed_all_that_it_took);
	return 0;
}
