/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/profile_wire.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/compress.h"
#include "tests/support/busy_window.h"
#include "tests/support/check.h"
#include "tests/support/profile_text.h"
#include "tests/support/random.h"
#include "tests/support/random_profile.h"

#define BODY_COUNT_MAX 256

static const struct profile_wire_limits *const limits = &profile_wire_limits_default;

static struct profile_wire_bodies encode(
	const struct profile *profile, const struct profile_wire_limits *within)
{
	struct profile_wire_bodies bodies = {0};
	const char *what = "";

	(void)profile_check(profile, &what);
	CHECK_STR(what, "");
	CHECK_EQ(profile_wire_encode(profile, within, &bodies), 0);
	CHECK(bodies.count > 0);
	return bodies;
}

static struct profile *decode(const struct profile_wire_body *body)
{
	struct profile *profile = NULL;
	const char *what = "";
	int r = profile_wire_decode(
		body->bytes, body->byte_count, body->raw_byte_count, limits, &profile, &what);

	CHECK_STR(what, "");
	CHECK_EQ(r, 0);
	return profile;
}

static void check_same(const struct profile *one, const struct profile *other)
{
	char *one_text = profile_text(&one, 1), *other_text = profile_text(&other, 1);

	CHECK_STR(one_text, other_text);
	free(one_text);
	free(other_text);
}

static void what_is_encoded_decodes_to_the_same(void)
{
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct profile *profile = random_profile(seed), *again;
		struct profile_wire_bodies bodies = encode(profile, limits);

		CHECK_EQ(bodies.count, 1);
		CHECK_EQ(bodies.dropped_sample_count, 0);
		CHECK_EQ(bodies.bodies[0].sample_count, profile_sample_count(profile));
		again = decode(&bodies.bodies[0]);
		check_same(profile, again);
		profile_wire_bodies_done(&bodies);
		profile_free(profile);
		profile_free(again);
	}
}

/* A decoded profile has its tables in another order than the first had. */
static void the_bytes_do_not_depend_on_the_order_of_the_tables(void)
{
	for (uint64_t seed = 1000; seed < 1300; seed++) {
		struct profile *profile = random_profile(seed), *again;
		struct profile_wire_bodies bodies = encode(profile, limits), second;

		again = decode(&bodies.bodies[0]);
		second = encode(again, limits);
		CHECK_EQ(second.count, 1);
		CHECK_EQ(second.bodies[0].byte_count, bodies.bodies[0].byte_count);
		CHECK(memcmp(second.bodies[0].bytes, bodies.bodies[0].bytes,
			      bodies.bodies[0].byte_count) == 0);
		profile_wire_bodies_done(&bodies);
		profile_wire_bodies_done(&second);
		profile_free(profile);
		profile_free(again);
	}
}

static void an_empty_profile_is_a_body_too(void)
{
	struct profile *profile, *again;
	struct profile_wire_bodies bodies;

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(profile_seal(profile), 0);
	bodies = encode(profile, limits);
	CHECK_EQ(bodies.count, 1);
	again = decode(&bodies.bodies[0]);
	check_same(profile, again);
	CHECK_EQ(profile_sample_count(again), 0);
	profile_wire_bodies_done(&bodies);
	profile_free(profile);
	profile_free(again);
}

/* Decodes all bodies and holds their rows together against those of PROFILE. */
static void check_parts(const struct profile *profile, const struct profile_wire_bodies *bodies)
{
	struct profile *parts[BODY_COUNT_MAX];
	uint64_t sample_count = 0;
	char *whole, *together;

	CHECK(bodies->count <= BODY_COUNT_MAX);
	for (uint32_t i = 0; i < bodies->count; i++) {
		parts[i] = decode(&bodies->bodies[i]);
		sample_count += profile_sample_count(parts[i]);
		CHECK_EQ(parts[i]->cpu_count, i == 0 ? profile->cpu_count : 0);
		CHECK_EQ(parts[i]->counter_count, i == 0 ? profile->counter_count : 0);
		CHECK_EQ(parts[i]->feature_count, i == 0 ? profile->feature_count : 0);
		CHECK(parts[i]->head.window_start_ns == profile->head.window_start_ns);
	}
	CHECK_EQ(sample_count + bodies->dropped_sample_count, profile_sample_count(profile));
	whole = profile_rows_text(&profile, 1);
	together = profile_rows_text((const struct profile *const *)parts, bodies->count);
	if (bodies->dropped_sample_count == 0)
		CHECK_STR(together, whole);
	free(whole);
	free(together);
	for (uint32_t i = 0; i < bodies->count; i++)
		profile_free(parts[i]);
}

static void a_window_too_large_for_one_body_is_divided_without_loss(void)
{
	static const struct busy_host host = {.seed = 7,
		.cpu_count = 4,
		.samples_per_second = 97,
		.window_seconds = 10,
		.process_count = 9,
		.depth = 20};
	struct profile_wire_limits small = *limits;
	struct profile *profile = busy_window(&host);
	struct profile_wire_bodies bodies;

	small.body_bytes_max = 6000;
	bodies = encode(profile, &small);
	CHECK(bodies.count > 8);
	for (uint32_t i = 0; i < bodies.count; i++)
		CHECK(bodies.bodies[i].byte_count <= small.body_bytes_max);
	CHECK_EQ(bodies.dropped_sample_count, 0);
	check_parts(profile, &bodies);
	profile_wire_bodies_done(&bodies);

	small = *limits;
	small.node_count_max = 1000;
	bodies = encode(profile, &small);
	CHECK(bodies.count > 1);
	check_parts(profile, &bodies);
	profile_wire_bodies_done(&bodies);
	profile_free(profile);
}

static void a_row_that_fits_nowhere_is_left_out_and_counted(void)
{
	for (uint64_t seed = 2000; seed < 2200; seed++) {
		struct profile *profile = random_profile(seed);
		struct profile_wire_limits small = *limits;
		struct profile_wire_bodies bodies;

		small.depth_max = 12;
		small.slot_count_max = 5;
		bodies = encode(profile, &small);
		check_parts(profile, &bodies);
		profile_wire_bodies_done(&bodies);
		profile_free(profile);
	}
}

static void a_head_too_large_is_an_error(void)
{
	struct profile_wire_limits small = *limits;
	struct profile_wire_bodies bodies = {0};
	struct profile *profile = random_profile(3);

	small.raw_bytes_max = 4;
	CHECK_EQ(profile_wire_encode(profile, &small, &bodies), -E2BIG);
	CHECK(!bodies.bodies);
	profile_free(profile);
}

static void a_sample_costs_few_bytes(void)
{
	static const struct {
		uint32_t samples_per_second;
		double bytes_max;
	} cases[] = {{97, 28}, {19, 40}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct busy_host host = {.seed = 11,
			.cpu_count = 2,
			.samples_per_second = cases[i].samples_per_second,
			.window_seconds = 10,
			.process_count = 12,
			.depth = 14};
		struct profile *profile = busy_window(&host);
		struct profile_wire_bodies bodies = encode(profile, limits);
		const struct sample_table *table = &profile->types[0];
		uint64_t frames = 0;
		double per_sample =
			(double)bodies.bodies[0].byte_count / (double)bodies.bodies[0].sample_count;

		for (uint32_t j = 0; j < table->row_count; j++)
			frames += (uint64_t)table->rows[j].count *
				stack_table_depth(&profile->stacks, table->rows[j].stack);
		printf("%u Hz: %.1f bytes a sample (%llu samples, %u rows, %.1f frames a sample, "
		       "%u frames, %u nodes)\n",
			cases[i].samples_per_second, per_sample,
			(unsigned long long)bodies.bodies[0].sample_count, table->row_count,
			(double)frames / (double)bodies.bodies[0].sample_count,
			profile->frames.count, profile->stacks.count);
		CHECK_EQ(bodies.count, 1);
		CHECK(per_sample <= cases[i].bytes_max);
		profile_wire_bodies_done(&bodies);
		profile_free(profile);
	}
}

/* Whatever stands in the bytes: an error with a reason, or a profile that is sound. */
static void check_survives(const uint8_t *raw, size_t byte_count)
{
	struct profile *profile = NULL;
	const char *what = NULL, *unsound = "";
	uint8_t *body;
	size_t body_bytes;
	int r;

	CHECK_EQ(compress_bytes(raw, byte_count, 1, &body, &body_bytes), 0);
	r = profile_wire_decode(body, body_bytes, byte_count, limits, &profile, &what);
	CHECK(what);
	if (r == 0) {
		CHECK_EQ(profile_check(profile, &unsound), 0);
		profile_free(profile);
	} else {
		CHECK(!profile);
		CHECK(r == -ENOMEM || what[0] != '\0');
	}
	free(body);
}

static uint8_t *raw_body(uint64_t seed, size_t *ret_byte_count)
{
	struct profile *profile = random_profile(seed);
	struct profile_wire_bodies bodies = encode(profile, limits);
	uint8_t *raw;

	CHECK_EQ(decompress_bytes(bodies.bodies[0].bytes, bodies.bodies[0].byte_count, 1 << 24,
			 &raw, ret_byte_count),
		0);
	profile_wire_bodies_done(&bodies);
	profile_free(profile);
	return raw;
}

static void cut_off_bodies_are_refused_or_sound(void)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		size_t byte_count;
		uint8_t *raw = raw_body(seed, &byte_count);

		for (size_t length = 0; length < byte_count; length += 1 + length / 64)
			check_survives(raw, length);
		free(raw);
	}
}

static void damaged_bodies_are_refused_or_sound(void)
{
	struct random random = {99};

	for (uint64_t seed = 0; seed < 60; seed++) {
		size_t byte_count;
		uint8_t *raw = raw_body(seed, &byte_count);

		for (int i = 0; i < 200; i++) {
			size_t at = random_below(&random, (uint32_t)byte_count);
			uint8_t before = raw[at];

			raw[at] = (uint8_t)random_next(&random);
			check_survives(raw, byte_count);
			if (i % 4 != 0)
				raw[at] = before;
		}
		free(raw);
	}
}

static void a_bomb_is_refused_before_it_bursts(void)
{
	size_t byte_count = (size_t)64 << 20, body_bytes;
	uint8_t *zeros = calloc(1, byte_count), *body;
	struct profile *profile = NULL;
	const char *what;

	CHECK(zeros);
	CHECK_EQ(compress_bytes(zeros, byte_count, 1, &body, &body_bytes), 0);
	CHECK_EQ(
		profile_wire_decode(body, body_bytes, byte_count, limits, &profile, &what), -EFBIG);
	CHECK_STR(what, "a body too large");
	/* A lie about the size helps no better. */
	CHECK(profile_wire_decode(body, body_bytes, 1000, limits, &profile, &what) < 0);
	CHECK(!profile);
	free(body);
	free(zeros);
}

static void bytes_that_are_no_body_are_refused(void)
{
	static const uint8_t bytes[] = "this is not a zstd frame at all";
	struct profile *profile = NULL;
	const char *what;

	CHECK_EQ(profile_wire_decode(bytes, sizeof(bytes), 100, limits, &profile, &what), -EBADMSG);
	CHECK_EQ(profile_wire_decode(bytes, 0, 0, limits, &profile, &what), -EBADMSG);
	CHECK(!profile);
}

int main(void)
{
	RUN(what_is_encoded_decodes_to_the_same);
	RUN(the_bytes_do_not_depend_on_the_order_of_the_tables);
	RUN(an_empty_profile_is_a_body_too);
	RUN(a_window_too_large_for_one_body_is_divided_without_loss);
	RUN(a_row_that_fits_nowhere_is_left_out_and_counted);
	RUN(a_head_too_large_is_an_error);
	RUN(a_sample_costs_few_bytes);
	RUN(cut_off_bodies_are_refused_or_sound);
	RUN(damaged_bodies_are_refused_or_sound);
	RUN(a_bomb_is_refused_before_it_bursts);
	RUN(bytes_that_are_no_body_are_refused);
	return 0;
}
