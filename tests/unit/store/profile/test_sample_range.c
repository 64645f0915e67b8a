/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/sample_range.h"

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

#define START_NS (UINT64_C(1700000000) * NS_PER_S)
#define SLOT_NS PROFILE_SLOT_NS

/* A window of five slots with one row. */
static struct profile *profile_of(
	const struct sample_row *row, const uint32_t *slots, int64_t period)
{
	struct fake_host host = fake_small_host("a");
	struct sample_table *table;
	struct profile *profile;
	const char *what;

	host.sample_count = 0;
	profile = fake_profile(&host, START_NS, 5 * SLOT_NS, 1);
	CHECK_EQ(profile_add_type(profile, "a:b:c::", period, slots, &table), 0);
	CHECK_EQ(thread_table_add(&profile->threads, &(struct thread){0}, &(uint32_t){0}), 0);
	CHECK_EQ(sample_table_add_row(table, row, slots), 0);
	CHECK_EQ(profile_seal(profile), 0);
	CHECK_EQ(profile_check(profile, &what), 0);
	return profile;
}

static struct sample_part part_of(
	const struct profile *profile, uint64_t from_ns, uint64_t until_ns)
{
	const struct sample_table *table = &profile->types[1];
	struct sample_range range;

	sample_range_init(&range, profile, from_ns, until_ns);
	return sample_range_part(&range, table, &table->rows[0]);
}

static void check_part(const struct profile *profile, uint64_t from_ns, uint64_t until_ns,
	uint64_t count, int64_t value)
{
	struct sample_part part = part_of(profile, from_ns, until_ns);

	CHECK_EQ(part.count, count);
	CHECK_EQ(part.value, value);
}

static void a_sample_belongs_where_its_slot_starts(void)
{
	struct sample_row row = {.count = 4, .value = 40};
	struct profile *profile = profile_of(&row, (const uint32_t[]){0, 2, 2, 4}, 10);

	check_part(profile, 0, UINT64_MAX, 4, 40);
	check_part(profile, START_NS, START_NS + 5 * SLOT_NS, 4, 40);
	check_part(profile, START_NS, START_NS + 1, 1, 10);
	check_part(profile, START_NS + 1, START_NS + 2 * SLOT_NS, 0, 0);
	check_part(profile, START_NS + 1, START_NS + 2 * SLOT_NS + 1, 2, 20);
	check_part(profile, START_NS + 2 * SLOT_NS, START_NS + 4 * SLOT_NS, 2, 20);
	check_part(profile, START_NS + 4 * SLOT_NS, UINT64_MAX, 1, 10);
	check_part(profile, START_NS + 4 * SLOT_NS + 1, UINT64_MAX, 0, 0);
	check_part(profile, 0, START_NS, 0, 0);
	check_part(profile, START_NS + 5, START_NS + 5, 0, 0);
	check_part(profile, START_NS + 5 * SLOT_NS, START_NS, 0, 0);
	profile_free(profile);
}

static void a_range_over_all_of_a_window_says_so(void)
{
	struct sample_row row = {.count = 1, .value = 1};
	struct profile *profile = profile_of(&row, (const uint32_t[]){0}, 0);
	struct sample_range range;

	sample_range_init(&range, profile, START_NS, START_NS + 4 * SLOT_NS + 1);
	CHECK(range.whole);
	sample_range_init(&range, profile, START_NS, START_NS + 4 * SLOT_NS);
	CHECK(!range.whole);
	sample_range_init(&range, profile, START_NS + 1, UINT64_MAX);
	CHECK(!range.whole);
	profile_free(profile);
}

static void values_that_do_not_divide_are_shared_out_whole(void)
{
	struct sample_row row = {.count = 3, .value = 100};
	struct profile *profile = profile_of(&row, (const uint32_t[]){0, 1, 2}, 0);

	check_part(profile, START_NS, START_NS + SLOT_NS, 1, 33);
	check_part(profile, START_NS + SLOT_NS, START_NS + 2 * SLOT_NS, 1, 34);
	check_part(profile, START_NS + 2 * SLOT_NS, START_NS + 3 * SLOT_NS, 1, 33);
	profile_free(profile);
}

/* Half is rounded up, however large the numbers are. */
static void shares_are_the_nearest_whole_number(void)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t random = 5;

	for (int i = 0; i < 200000; i++) {
		uint64_t whole = (fake_random(&random) >> (fake_random(&random) % 63)) / 4 + 1;
		uint64_t part = fake_random(&random) % (whole + 1);
		uint64_t value = fake_random(&random) >> (1 + fake_random(&random) % 60);
		uint64_t share = (uint64_t)sample_range_share((int64_t)value, part, whole);
		wide twice = (wide)share * whole * 2, wanted = (wide)value * part * 2;

		CHECK(twice <= wanted + whole && wanted + whole - twice < (wide)whole * 2);
		CHECK(sample_range_share(-(int64_t)value, part, whole) == -(int64_t)share);
	}
}

static void what_has_no_slots_is_spread_over_its_window(void)
{
	struct sample_row one = {.count = 1, .value = 1000}, five = {.count = 5, .value = -7};
	struct profile *profile = profile_of(&one, NULL, 0);

	/* A single sample cannot be divided: it lies in the middle. */
	for (uint64_t slot = 0; slot < 5; slot++)
		check_part(profile, START_NS + slot * SLOT_NS, START_NS + (slot + 1) * SLOT_NS,
			slot == 2, 200);
	check_part(profile, 0, UINT64_MAX, 1, 1000);
	profile_free(profile);

	profile = profile_of(&five, NULL, 0);
	for (uint64_t slot = 0; slot < 5; slot++) {
		CHECK_EQ(
			part_of(profile, START_NS + slot * SLOT_NS, START_NS + (slot + 1) * SLOT_NS)
				.count,
			1);
	}
	check_part(profile, 0, UINT64_MAX, 5, -7);
	profile_free(profile);
}

/* Any cuts of any row sum to the row, at the ends of what values hold as well; parts have the sign
 * of the whole. */
static void parts_sum_to_the_whole(void)
{
	static const int64_t values[] = {0, 1, -1, 7, 1000003, INT64_MAX, INT64_MIN, INT64_MIN + 1};
	uint64_t random = 9;

	for (int round = 0; round < 2000; round++) {
		uint32_t slots[7];
		struct sample_row row = {.value = values[fake_random(&random) % 8]};
		struct profile *profile;
		uint64_t count = 0;
		int64_t value = 0;

		row.count = 1 + (uint32_t)(fake_random(&random) % 7);
		for (uint32_t i = 0; i < row.count; i++)
			slots[i] = (uint32_t)(fake_random(&random) % 5);
		profile = profile_of(&row, round % 2 ? slots : NULL, 0);
		for (uint64_t at = START_NS - 5; at < START_NS + 6 * SLOT_NS;) {
			uint64_t next = at + 1 + fake_random(&random) % (3 * SLOT_NS);
			struct sample_part part = part_of(profile, at, next);

			CHECK(row.value < 0 ? part.value <= 0 : part.value >= 0);
			count += part.count;
			value += part.value;
			at = next;
		}
		CHECK_EQ(count, row.count);
		CHECK_EQ(value, row.value);
		profile_free(profile);
	}
}

int main(void)
{
	RUN(a_sample_belongs_where_its_slot_starts);
	RUN(a_range_over_all_of_a_window_says_so);
	RUN(shares_are_the_nearest_whole_number);
	RUN(values_that_do_not_divide_are_shared_out_whole);
	RUN(what_has_no_slots_is_spread_over_its_window);
	RUN(parts_sum_to_the_whole);
	return 0;
}
