/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/random_profile.h"

#include <stdio.h>

#include "tests/support/check.h"
#include "tests/support/random.h"

static uint32_t text(struct profile *profile, const char *words)
{
	uint32_t index;

	CHECK_EQ(profile_add_text(profile, words, &index), 0);
	return index;
}

/* Any bytes, NUL included, sometimes none. */
static uint32_t odd_text(struct profile *profile, struct random *random)
{
	char bytes[24];
	size_t length = random_below(random, sizeof(bytes));
	uint32_t index;

	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)random_next(random);
	CHECK_EQ(string_table_add(&profile->strings, bytes, length, &index), 0);
	return index;
}

static void fill_head(struct profile *profile, struct random *random)
{
	struct profile_head *head = &profile->head;

#define FILL_TEXT(name) head->name = odd_text(profile, random);
	PROFILE_HEAD_TEXTS(FILL_TEXT)
#undef FILL_TEXT
	head->window_start_ns = random_next(random) >> 20;
	head->window_end_ns = head->window_start_ns + random_below(random, 20) * NS_PER_S;
	head->clocks.monotonic_ns = head->window_end_ns + random_below(random, 1000000);
	head->clocks.boottime_ns = head->clocks.monotonic_ns + random_below(random, 1000);
	head->clocks.realtime_ns = (random_next(random) >> 2) | UINT64_C(1) << 60;
	head->online_cpu_count = random_below(random, 300);
}

static void fill_host(struct profile *profile, struct random *random)
{
	uint32_t cpu_count = random_below(random, 5), counter_count = random_below(random, 5);

	fill_head(profile, random);
	for (uint32_t i = 0; i < cpu_count; i++) {
		struct profile_cpu cpu = {.cpu = random_below(random, 1000),
			.busy_ns = random_next(random),
			.idle_ns = random_next(random) >> 30,
			.steal_ns = random_below(random, 2),
			.sampled_ns = random_next(random) >> 20};

		CHECK_EQ(profile_add_cpu(profile, &cpu), 0);
	}
	for (uint32_t i = 0; i < counter_count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "counter_%u", random_below(random, 100));
		CHECK_EQ(profile_add_counter(profile, name, random_next(random) >> 8), 0);
	}
}

static void fill_features(struct profile *profile, struct random *random)
{
	for (uint32_t i = random_below(random, 4); i > 0; i--) {
		char name[32];
		bool is_off = random_chance(random, 50);

		snprintf(name, sizeof(name), "feature_%u", random_below(random, 100));
		CHECK_EQ(profile_add_feature(profile, name, is_off, is_off ? "not here" : "",
				 is_off ? "go there" : ""),
			0);
	}
}

static void fill_lives(struct profile *profile, struct random *random)
{
	for (uint32_t i = random_below(random, 12); i > 0; i--) {
		char command[8], parent[8];
		struct life_sums sums = {.execs = random_below(random, 100),
			.forks = random_next(random) >> 50,
			.exits = random_next(random) >> 30,
			.bare_exits = random_below(random, 2),
			.cpu_ns = random_next(random) >> 8,
			.lifetime_ns = random_next(random) >> 8};

		/* Any bytes, sometimes none. */
		for (size_t j = 0; j < sizeof(command); j++) {
			command[j] = (char)random_next(random);
			parent[j] = (char)random_below(random, 3);
		}
		CHECK_EQ(life_table_add(&profile->lives,
				 (struct life_name){command, random_below(random, 3)},
				 (struct life_name){parent, random_below(random, 3)}, &sums),
			0);
	}
}

static void fill_modules(struct profile *profile, struct random *random)
{
	uint32_t count = random_below(random, 6), index;

	for (uint32_t i = 0; i < count; i++) {
		struct module module = {.name = odd_text(profile, random)};
		uint8_t id[BUILD_ID_BYTES_MAX];

		for (size_t j = 0; j < sizeof(id); j++)
			id[j] = (uint8_t)random_below(random, 4);
		if (random_chance(random, 80)) {
			CHECK_EQ(build_id_make((enum build_id_kind)(1 + random_below(random, 3)),
					 id, 1 + random_below(random, 64), &module.build_id),
				0);
		}
		CHECK_EQ(module_table_add(&profile->modules, &module, &index), 0);
	}
}

static void fill_frames(struct profile *profile, struct random *random)
{
	uint32_t count = random_below(random, 40), index;

	for (uint32_t i = 0; i < count; i++) {
		struct frame frame = {
			.address = random_next(random) >> random_below(random, 64),
			.module = random_below(random, profile->modules.count),
			.kind = (uint8_t)random_below(random, FRAME_KIND_COUNT),
			.flags = (uint8_t)random_below(random, FRAME_FLAGS_ALL + 1),
		};

		if (frame.flags & FRAME_NAMED)
			frame.address = odd_text(profile, random);
		CHECK_EQ(frame_table_add(&profile->frames, &frame, &index), 0);
	}
	count = profile->frames.count > 0 ? random_below(random, 120) : 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = random_chance(random, 70)
			? profile->stacks.count - 1
			: random_below(random, profile->stacks.count);

		CHECK_EQ(stack_table_add(&profile->stacks, parent,
				 random_below(random, profile->frames.count), &index),
			0);
	}
}

static void fill_threads(struct profile *profile, struct random *random)
{
	uint32_t count = 1 + random_below(random, 12), index;

	for (uint32_t i = 0; i < count; i++) {
		struct label labels[5];
		uint32_t label_count = random_below(random, 5);
		struct thread thread = {.pid = (uint32_t)random_next(random),
			.tid = (uint32_t)random_next(random),
			.name = odd_text(profile, random)};

		for (uint32_t j = 0; j < label_count; j++) {
			char key[8];

			snprintf(key, sizeof(key), "key%u", random_below(random, 6));
			labels[j] = (struct label){text(profile, key), odd_text(profile, random)};
		}
		CHECK_EQ(label_table_add(&profile->labels, &profile->strings, labels, label_count,
				 &thread.labels),
			0);
		CHECK_EQ(thread_table_add(&profile->threads, &thread, &index), 0);
	}
}

static void fill_rows(struct profile *profile, struct random *random, struct sample_table *table)
{
	uint32_t slot_count = profile_slot_count(profile);
	uint32_t row_count = random_below(random, 60);
	bool regular = random_chance(random, 50);

	for (uint32_t i = 0; i < row_count; i++) {
		uint32_t slots[8];
		struct sample_row row = {
			.stack = random_below(random, profile->stacks.count),
			.thread = random_below(random, profile->threads.count),
			.cpu = random_chance(random, 20) ? SAMPLE_CPU_UNKNOWN
							 : random_below(random, 64),
			.count = random_below(random, 8) + (table->has_slots ? 1 : 0),
		};

		if (!table->has_slots)
			row.count *= 1u << random_below(random, 20);
		for (uint32_t j = 0; table->has_slots && j < row.count; j++)
			slots[j] = random_below(random, slot_count);
		row.value = regular ? (int64_t)row.count * table->period
				    : (int64_t)random_next(random) >> 8;
		CHECK_EQ(sample_table_add_row(table, &row, slots), 0);
	}
}

struct profile *random_profile(uint64_t seed)
{
	static const char *const types[] = {
		PROFILE_TYPE_ON_CPU, "off_cpu:off_cpu:nanoseconds::", "memory:page_faults:bytes::"};
	struct random random = {seed}, of_features = {~seed}, of_lives = {seed ^ 0x6c69766573};
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	fill_host(profile, &random);
	fill_features(profile, &of_features);
	fill_lives(profile, &of_lives);
	fill_modules(profile, &random);
	fill_frames(profile, &random);
	fill_threads(profile, &random);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct sample_table *table;

		if (random_chance(&random, 30))
			continue;
		CHECK_EQ(profile_add_type(profile, types[i],
				 (int64_t)(random_next(&random) >> 40) - 1000,
				 random_chance(&random, 60), &table),
			0);
		fill_rows(profile, &random, table);
	}
	CHECK_EQ(profile_seal(profile), 0);
	return profile;
}
