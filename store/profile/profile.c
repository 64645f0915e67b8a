/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/grow.h"

static int init_tables(struct profile *profile)
{
	int r;

	r = string_table_init(&profile->strings);
	if (r < 0)
		return r;
	r = module_table_init(&profile->modules);
	if (r < 0)
		return r;
	r = frame_table_init(&profile->frames);
	if (r < 0)
		return r;
	r = stack_table_init(&profile->stacks);
	if (r < 0)
		return r;
	r = label_table_init(&profile->labels);
	if (r < 0)
		return r;
	r = thread_table_init(&profile->threads);
	if (r < 0)
		return r;
	return life_table_init(&profile->lives, LIFE_COUNT_MAX);
}

int profile_new(struct profile **ret_profile)
{
	struct profile *profile = calloc(1, sizeof(*profile));
	int r;

	if (!profile)
		return -ENOMEM;
	r = init_tables(profile);
	if (r < 0) {
		profile_free(profile);
		return r;
	}
	*ret_profile = profile;
	return 0;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	string_table_done(&profile->strings);
	module_table_done(&profile->modules);
	frame_table_done(&profile->frames);
	stack_table_done(&profile->stacks);
	label_table_done(&profile->labels);
	thread_table_done(&profile->threads);
	life_table_done(&profile->lives);
	for (uint32_t i = 0; i < profile->type_count; i++)
		sample_table_done(&profile->types[i]);
	free(profile->cpus);
	free(profile->counters);
	free(profile->features);
	free(profile);
}

int profile_add_text(struct profile *profile, const char *text, uint32_t *ret_index)
{
	return string_table_add(&profile->strings, text, strlen(text), ret_index);
}

int profile_add_type(struct profile *profile, const char *type, int64_t period, bool has_slots,
	struct sample_table **ret_table)
{
	struct sample_table *table;
	uint32_t name;
	int r = profile_add_text(profile, type, &name);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < profile->type_count; i++) {
		table = &profile->types[i];
		if (table->type != name)
			continue;
		if (table->period != period || table->has_slots != has_slots)
			return -EINVAL;
		*ret_table = table;
		return 0;
	}
	if (profile->type_count == PROFILE_TYPE_COUNT_MAX)
		return -E2BIG;
	table = &profile->types[profile->type_count];
	r = sample_table_init(table, name, period, has_slots);
	if (r < 0)
		return r;
	profile->type_count++;
	*ret_table = table;
	return 0;
}

int profile_add_cpu(struct profile *profile, const struct profile_cpu *cpu)
{
	int r = grow_array(
		&profile->cpus, &profile->cpu_capacity, profile->cpu_count, PROFILE_CPU_COUNT_MAX);

	if (r < 0)
		return r;
	profile->cpus[profile->cpu_count++] = *cpu;
	return 0;
}

int profile_add_counter(struct profile *profile, const char *name, uint64_t value)
{
	uint32_t index;
	int r = profile_add_text(profile, name, &index);

	if (r < 0)
		return r;
	r = grow_array(&profile->counters, &profile->counter_capacity, profile->counter_count,
		PROFILE_COUNTER_COUNT_MAX);
	if (r < 0)
		return r;
	profile->counters[profile->counter_count++] = (struct profile_counter){index, value};
	return 0;
}

int profile_add_feature(struct profile *profile, const char *name, uint32_t state,
	const char *reason, const char *remedy)
{
	struct profile_feature feature = {.state = state};
	int r = profile_add_text(profile, name, &feature.name);

	if (r == 0)
		r = profile_add_text(profile, reason, &feature.reason);
	if (r == 0)
		r = profile_add_text(profile, remedy, &feature.remedy);
	if (r == 0)
		r = grow_array(&profile->features, &profile->feature_capacity,
			profile->feature_count, PROFILE_FEATURE_COUNT_MAX);
	if (r < 0)
		return r;
	profile->features[profile->feature_count++] = feature;
	return 0;
}

int profile_seal(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->type_count; i++) {
		int r = sample_table_seal(&profile->types[i]);

		if (r < 0)
			return r;
	}
	life_table_sort(&profile->lives);
	return 0;
}

uint64_t profile_sample_count(const struct profile *profile)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		for (uint32_t j = 0; j < profile->types[i].row_count; j++)
			count += profile->types[i].rows[j].count;
	}
	return count;
}

uint64_t profile_window_epoch_ns(const struct profile *profile)
{
	const struct profile_head *head = &profile->head;
	uint64_t age_ns = head->clocks.monotonic_ns - head->window_start_ns;
	uint64_t start_ns = head->clocks.realtime_ns - age_ns;

	/* Slewing moves the offset by a few microseconds between batches; the grid takes that up.
	 */
	return (start_ns + PROFILE_SLOT_NS / 2) / PROFILE_SLOT_NS * PROFILE_SLOT_NS;
}

uint32_t profile_slot_count(const struct profile *profile)
{
	uint64_t window_ns = profile->head.window_end_ns - profile->head.window_start_ns;

	return window_ns ? (uint32_t)((window_ns - 1) / PROFILE_SLOT_NS + 1) : 1;
}

uint64_t profile_window_end_epoch_ns(const struct profile *profile)
{
	return profile_window_epoch_ns(profile) +
		(profile->head.window_end_ns - profile->head.window_start_ns);
}
