/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/step_cut.h"

#include <string.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

#define START (UINT64_C(1700000000) * NS_PER_S)
#define STEP_COUNT_MAX 2000

struct parts {
	struct sample_part steps[STEP_COUNT_MAX];
};

static void add(void *context, uint32_t step, struct sample_part part)
{
	struct parts *parts = context;

	parts->steps[step].count += part.count;
	parts->steps[step].value += part.value;
}

/* What each step would take by itself. */
static void check_row(const struct step_cut *cut, const struct profile *profile,
	const struct sample_table *table, const struct sample_row *row)
{
	static struct parts parts;

	memset(&parts, 0, sizeof(parts));
	step_cut_row(cut, table, row, add, &parts);
	for (uint32_t i = 0; i < cut->steps.count; i++) {
		uint64_t from_ns = cut->steps.start_ns + i * cut->steps.step_ns;
		uint64_t until_ns = from_ns + cut->steps.step_ns;
		struct sample_range range;
		struct sample_part part;

		if (from_ns < cut->range.from_ns)
			from_ns = cut->range.from_ns;
		if (until_ns > cut->range.until_ns)
			until_ns = cut->range.until_ns;
		sample_range_init(&range, profile, from_ns, until_ns);
		part = sample_range_part(&range, table, row);
		CHECK_EQ(parts.steps[i].count, part.count);
		CHECK_EQ(parts.steps[i].value, part.value);
	}
}

static void check_steps(struct profile *profile, struct time_range range, uint64_t step_ns)
{
	struct time_steps steps;
	struct step_cut cut;

	CHECK_EQ(time_steps_init(range, step_ns, STEP_COUNT_MAX, &steps), 0);
	step_cut_init(&cut, &steps, range);
	CHECK_EQ(step_cut_open(&cut, profile), 0);
	for (uint32_t i = 0; i < profile->types[0].row_count; i++)
		check_row(&cut, profile, &profile->types[0], &profile->types[0].rows[i]);
	step_cut_done(&cut);
}

static void rows_are_cut_as_each_step_would_cut_them(void)
{
	static const uint64_t steps_ms[] = {20, 33, 100, 1000, 7000, 10000, 60000};
	struct fake_host host = fake_small_host("a");
	struct profile *profile;

	host.sample_count = 60;
	profile = fake_profile(&host, START + 3 * NS_PER_S, 10 * NS_PER_S, 1);
	for (int with_slots = 1; with_slots >= 0; with_slots--) {
		profile->types[0].has_slots = with_slots == 1;
		for (size_t i = 0; i < sizeof(steps_ms) / sizeof(steps_ms[0]); i++) {
			uint64_t step_ns = steps_ms[i] * NS_PER_MS;

			check_steps(profile, (struct time_range){START, START + 20 * NS_PER_S},
				step_ns);
			check_steps(profile,
				(struct time_range){
					START + 4 * NS_PER_S + 7, START + 9 * NS_PER_S + 13},
				step_ns);
			check_steps(
				profile, (struct time_range){START, START + 2 * NS_PER_S}, step_ns);
		}
	}
	profile_free(profile);
}

static void what_has_no_place_is_spread_over_the_part_in_the_range(void)
{
	struct time_range range = {START + NS_PER_S, START + 3 * NS_PER_S};
	struct fake_host host = fake_small_host("a");
	struct profile *profile = fake_profile(&host, START, 10 * NS_PER_S, 1);
	static struct parts parts;
	struct time_steps steps;
	struct step_cut cut;

	CHECK_EQ(time_steps_init(range, NS_PER_S / 2, STEP_COUNT_MAX, &steps), 0);
	step_cut_init(&cut, &steps, range);
	CHECK_EQ(step_cut_open(&cut, profile), 0);
	step_cut_spread(&cut, (struct sample_part){40, 401}, add, &parts);
	for (uint32_t i = 0; i < 4; i++)
		CHECK_EQ(parts.steps[i].count, 10);
	CHECK_EQ(parts.steps[0].value + parts.steps[1].value + parts.steps[2].value +
			parts.steps[3].value,
		401);
	step_cut_done(&cut);
	profile_free(profile);
}

int main(void)
{
	RUN(rows_are_cut_as_each_step_would_cut_them);
	RUN(what_has_no_place_is_spread_over_the_part_in_the_range);
	return 0;
}
