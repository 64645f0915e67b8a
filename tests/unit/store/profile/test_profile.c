/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/profile.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"

static void a_type_is_made_once_and_its_uses_must_agree(void)
{
	struct sample_table *table, *again;
	struct profile *profile;
	char type[32];

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10, true, &table), 0);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10, true, &again), 0);
	CHECK(again == table);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 11, true, &again), -EINVAL);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10, false, &again), -EINVAL);
	for (int i = 1; i < PROFILE_TYPE_COUNT_MAX; i++) {
		snprintf(type, sizeof(type), "a:b:c:d:%d", i);
		CHECK_EQ(profile_add_type(profile, type, 0, false, &again), 0);
		CHECK(again == &profile->types[i]);
	}
	CHECK_EQ(profile_add_type(profile, "one:too:many::", 0, false, &again), -E2BIG);
	CHECK_EQ(profile->type_count, PROFILE_TYPE_COUNT_MAX);
	CHECK(table == &profile->types[0]);
	profile_free(profile);
	profile_free(NULL);
}

static void samples_of_all_types_are_counted(void)
{
	struct sample_table *table;
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(profile_sample_count(profile), 0);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10, true, &table), 0);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(sample_table_add(table, 0, 0, 0, 10, 1), 0);
	CHECK_EQ(profile_add_type(profile, "a:b:c::", 0, false, &table), 0);
	CHECK_EQ(sample_table_add_row(table, &(struct sample_row){.count = UINT32_MAX}, NULL), 0);
	CHECK_EQ(profile_sample_count(profile), UINT64_C(3) + UINT32_MAX);
	CHECK_EQ(profile_seal(profile), 0);
	CHECK(profile->types[0].sealed && profile->types[1].sealed);
	profile_free(profile);
}

static void counters_and_cpus_are_kept_in_order(void)
{
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	for (uint32_t i = 0; i < 100; i++) {
		struct profile_cpu cpu = {.cpu = i, .busy_ns = i * 7};

		CHECK_EQ(profile_add_cpu(profile, &cpu), 0);
		CHECK_EQ(profile_add_counter(profile, "samples", i), 0);
	}
	CHECK_EQ(profile->cpu_count, 100);
	CHECK_EQ(profile->cpus[99].busy_ns, 693);
	CHECK_EQ(profile->counters[99].value, 99);
	CHECK_EQ(profile->counters[99].name, profile->counters[0].name);
	profile_free(profile);
}

static void features_have_a_limit(void)
{
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	for (uint32_t i = 0; i < PROFILE_FEATURE_COUNT_MAX; i++)
		CHECK_EQ(profile_add_feature(profile, "a", i, "b", ""), 0);
	CHECK_EQ(profile_add_feature(profile, "a", 0, "b", ""), -E2BIG);
	CHECK_EQ(profile->features[9].state, 9);
	CHECK_STR(string_table_text(&profile->strings, profile->features[9].reason), "b");
	profile_free(profile);
}

static void counters_have_a_limit(void)
{
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	for (uint32_t i = 0; i < PROFILE_COUNTER_COUNT_MAX; i++)
		CHECK_EQ(profile_add_counter(profile, "samples", i), 0);
	CHECK_EQ(profile_add_counter(profile, "samples", 0), -E2BIG);
	profile_free(profile);
}

static void set_window(struct profile *profile, uint64_t start_ns, uint64_t end_ns,
	uint64_t realtime_minus_monotonic_ns)
{
	profile->head.window_start_ns = start_ns;
	profile->head.window_end_ns = end_ns;
	profile->head.clocks.monotonic_ns = end_ns + 1234567;
	profile->head.clocks.realtime_ns = end_ns + 1234567 + realtime_minus_monotonic_ns;
}

static void a_window_lies_on_the_grid_of_slots_though_clocks_slew(void)
{
	uint64_t epoch_ns = UINT64_C(1700000000) * NS_PER_S + 40 * NS_PER_MS;
	uint64_t start_ns = UINT64_C(777) * NS_PER_S + 1;
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	for (int64_t slew = -9999999; slew < 10000000; slew += 1111111) {
		set_window(profile, start_ns, start_ns + 10 * NS_PER_S,
			epoch_ns - start_ns + (uint64_t)slew);
		CHECK(profile_window_epoch_ns(profile) == epoch_ns);
		CHECK(profile_window_end_epoch_ns(profile) == epoch_ns + 10 * NS_PER_S);
	}
	profile_free(profile);
}

static void a_window_has_as_many_slots_as_start_in_it(void)
{
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	set_window(profile, 5, 5, 0);
	CHECK_EQ(profile_slot_count(profile), 1);
	set_window(profile, 5, 6, 0);
	CHECK_EQ(profile_slot_count(profile), 1);
	set_window(profile, 5, 5 + PROFILE_SLOT_NS, 0);
	CHECK_EQ(profile_slot_count(profile), 1);
	set_window(profile, 5, 6 + PROFILE_SLOT_NS, 0);
	CHECK_EQ(profile_slot_count(profile), 2);
	set_window(profile, 5, 5 + PROFILE_WINDOW_NS_MAX, 0);
	CHECK_EQ(profile_slot_count(profile), 180000);
	profile_free(profile);
}

/* Fills every table a little; whatever fails, the profile is still one. */
static int fill(struct profile *profile)
{
	struct frame frame = {.address = 1};
	struct module module = {.name = 0};
	struct thread thread = {.pid = 1};
	struct sample_table *table;
	struct label label;
	uint32_t index;
	int r = profile_add_text(profile, "stone", &module.name);

	label = (struct label){module.name, module.name};
	if (r == 0)
		r = module_table_add(&profile->modules, &module, &frame.module);
	if (r == 0)
		r = frame_table_add(&profile->frames, &frame, &index);
	if (r == 0)
		r = stack_table_add(&profile->stacks, STACK_EMPTY, index, &index);
	if (r == 0)
		r = label_table_add(&profile->labels, &profile->strings, &label, 1, &thread.labels);
	if (r == 0)
		r = thread_table_add(&profile->threads, &thread, &index);
	if (r == 0)
		r = profile_add_cpu(profile, &(struct profile_cpu){0});
	if (r == 0)
		r = profile_add_counter(profile, "samples", 1);
	if (r == 0)
		r = profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10, true, &table);
	for (uint32_t i = 0; r == 0 && i < 40; i++)
		r = sample_table_add(table, 1, 0, i % 20, 10, i);
	return r == 0 ? profile_seal(profile) : r;
}

static void running_out_of_memory_is_an_error_and_leaves_a_profile(void)
{
	struct profile *profile;
	uint64_t count = 0;
	int r;

	do {
		fail_alloc_after(count++);
		r = profile_new(&profile);
		CHECK_EQ(r, fail_alloc_never() ? -ENOMEM : 0);
		if (r == 0)
			profile_free(profile);
	} while (r < 0);
	CHECK(count > 5);
	count = 0;
	do {
		CHECK_EQ(profile_new(&profile), 0);
		fail_alloc_after(count++);
		r = fill(profile);
		CHECK_EQ(r, fail_alloc_never() ? -ENOMEM : 0);
		/* Once there is memory again, what failed can be carried on. */
		if (r == -ENOMEM && profile->type_count == 1 && profile->types[0].row_count == 20)
			CHECK_EQ(profile_seal(profile), 0);
		profile_free(profile);
	} while (r < 0);
	CHECK(count > 10);
}

int main(void)
{
	RUN(a_type_is_made_once_and_its_uses_must_agree);
	RUN(samples_of_all_types_are_counted);
	RUN(counters_and_cpus_are_kept_in_order);
	RUN(counters_have_a_limit);
	RUN(features_have_a_limit);
	RUN(a_window_lies_on_the_grid_of_slots_though_clocks_slew);
	RUN(a_window_has_as_many_slots_as_start_in_it);
	RUN(running_out_of_memory_is_an_error_and_leaves_a_profile);
	return 0;
}
