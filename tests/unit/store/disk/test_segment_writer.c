/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_writer.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/segment_fixture.h"

#define START_NS (UINT64_C(480000) * SEGMENT_HOUR_NS)

static struct segment_request random_request(struct random *random, uint64_t spread_ns)
{
	static const uint64_t steps[] = {0, 0, 0, NS_PER_S, 10 * NS_PER_S, 60 * NS_PER_S,
		7 * NS_PER_S + 20 * NS_PER_MS, 3600 * NS_PER_S, 6 * 3600 * NS_PER_S, 123456789012};
	struct segment_request request = {.detail = random_below(random, 4)};
	uint64_t grids[] = {1, 20 * NS_PER_MS, NS_PER_S, 10 * NS_PER_S, 3600 * NS_PER_S};
	uint64_t grid = grids[random_below(random, 5)];
	uint64_t early_ns = START_NS - 2 * SEGMENT_HOUR_NS;

	request.from_ns = early_ns + random_next(random) % (spread_ns + 4 * SEGMENT_HOUR_NS);
	request.until_ns = request.from_ns + random_next(random) % spread_ns;
	if (random_chance(random, 20)) {
		request.from_ns = early_ns;
		request.until_ns = early_ns + spread_ns + 8 * SEGMENT_HOUR_NS;
	}
	request.from_ns = request.from_ns / grid * grid;
	request.until_ns = request.until_ns / grid * grid;
	if (request.detail != SEGMENT_DETAIL_SLOTS)
		request.step_ns = steps[random_below(random, 10)];
	/* Few enough steps for a brute force. */
	if (request.step_ns > 0 && request.until_ns > request.from_ns &&
		(request.until_ns - request.from_ns) / request.step_ns > 2000)
		request.until_ns = request.from_ns + 2000 * request.step_ns;
	request.step_origin_ns = random_chance(random, 50) ? 0 : request.from_ns;
	if (random_chance(random, 30))
		request.type = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
	if (random_chance(random, 30))
		request.host = random_chance(random, 50) ? "host-1" : "own-1";
	return request;
}

static void check_questions(const struct segment_blocks *blocks,
	const struct segment_reader *reader, uint64_t slots_from_ns, uint64_t spread_ns,
	uint32_t count)
{
	struct random random = {count};

	for (uint32_t i = 0; i < count; i++) {
		struct segment_request request = random_request(&random, spread_ns);
		const char *service = random_chance(&random, 30) ? "service-1" : NULL;
		struct segment_answer expected, got;

		segment_answer_of_blocks(&expected, blocks, &request, service, slots_from_ns);
		CHECK_EQ(segment_answer_of_segment(&got, reader, &request, service), 0);
		if (!segment_answer_equal(&expected, &got)) {
			fprintf(stderr,
				"question %u: detail %d, from %lld for %lld, step %lld: %u lines, "
				"expected %u\n",
				i, request.detail, (long long)(request.from_ns - START_NS),
				(long long)(request.until_ns - request.from_ns),
				(long long)request.step_ns, got.count, expected.count);
			CHECK(false);
		}
		segment_answer_done(&expected);
		segment_answer_done(&got);
	}
}

static void an_hour_of_blocks_answers_as_the_blocks(void)
{
	struct segment_blocks blocks = {0};
	struct segment_reader *reader;

	segment_blocks_fill(&blocks, 1, 40, START_NS, SEGMENT_HOUR_NS);
	reader = segment_of_blocks(&blocks);
	check_questions(&blocks, reader, 0, SEGMENT_HOUR_NS, 150);
	segment_reader_close(reader);
	segment_blocks_done(&blocks);
}

int main(void)
{
	RUN(an_hour_of_blocks_answers_as_the_blocks);
	return 0;
}
