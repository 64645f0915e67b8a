/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/relabel.h"

#include "tests/support/check.h"
#include "tests/support/labelled_profile.h"
#include "tests/support/random_profile.h"

static int64_t value_sum(const struct profile *profile)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		for (uint32_t j = 0; j < profile->types[i].row_count; j++)
			sum += profile->types[i].rows[j].value;
	}
	return sum;
}

static uint64_t slot_count(const struct profile *profile)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < profile->type_count; i++)
		sum += profile->types[i].slot_count;
	return sum;
}

/* Every set becomes the one label `all=one`. */
static void join_all(struct profile *profile)
{
	uint32_t *sets = calloc(profile->labels.count, sizeof(*sets));
	struct label_table labels;
	struct label label;
	uint32_t set;

	CHECK(sets);
	CHECK_EQ(label_table_init(&labels), 0);
	CHECK_EQ(profile_add_text(profile, "all", &label.key), 0);
	CHECK_EQ(profile_add_text(profile, "one", &label.value), 0);
	CHECK_EQ(label_table_add(&labels, &profile->strings, &label, 1, &set), 0);
	for (uint32_t i = 0; i < profile->labels.count; i++)
		sets[i] = set;
	CHECK_EQ(profile_relabel(profile, &labels, sets), 0);
	label_table_done(&labels);
	free(sets);
}

static void threads_that_become_equal_are_joined_with_their_rows(void)
{
	struct profile *profile = labelled_profile_new("h", 0);
	const char *what;

	for (int i = 0; i < 3; i++) {
		labelled_profile_add(profile, NULL, i == 0 ? "a=1" : "a=2");
		profile->threads.threads[i].pid = 0;
		profile->threads.threads[i].tid = 0;
	}
	labelled_profile_seal(profile);
	CHECK_EQ(profile->types[0].row_count, 3);
	join_all(profile);
	CHECK_EQ(profile_check(profile, &what), 0);
	CHECK_EQ(profile->threads.count, 1);
	CHECK_EQ(profile->types[0].row_count, 1);
	CHECK_EQ(profile->types[0].rows[0].count, 3);
	CHECK_EQ(profile->types[0].slot_count, 3);
	CHECK_STR(label_table_value(&profile->labels, &profile->strings,
			  profile->threads.threads[0].labels, "all"),
		"one");
	profile_free(profile);
}

static void sums_stay_whatever_the_profile(void)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct profile *profile = random_profile(seed);
		uint64_t samples = profile_sample_count(profile), slots = slot_count(profile);
		int64_t value = value_sum(profile);
		const char *what = "";

		join_all(profile);
		CHECK_EQ(profile_check(profile, &what), 0);
		CHECK_EQ(profile_sample_count(profile), samples);
		CHECK_EQ(slot_count(profile), slots);
		CHECK_EQ(value_sum(profile), value);
		profile_free(profile);
	}
}

int main(void)
{
	RUN(threads_that_become_equal_are_joined_with_their_rows);
	RUN(sums_stay_whatever_the_profile);
	return 0;
}
