/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_mapping.h"

#include "tests/support/check.h"
#include "tests/support/random_profile.h"

static uint32_t text(struct profile *profile, const char *words)
{
	uint32_t place;

	CHECK_EQ(profile_add_text(profile, words, &place), 0);
	return place;
}

static uint32_t set_of(struct profile *profile, const char *key, const char *value)
{
	struct label label = {text(profile, key), text(profile, value)};
	uint32_t set;

	CHECK_EQ(label_table_add(&profile->labels, &profile->strings, &label, 1, &set), 0);
	return set;
}

static void check_equal_text(const struct profile *one, uint32_t text_of_one,
	const struct profile *other, uint32_t text_of_other)
{
	CHECK_EQ(string_table_length(&one->strings, text_of_one),
		string_table_length(&other->strings, text_of_other));
	CHECK(memcmp(string_table_text(&one->strings, text_of_one),
		      string_table_text(&other->strings, text_of_other),
		      string_table_length(&one->strings, text_of_one)) == 0);
}

static void check_same_stack(
	const struct profile *one, uint32_t node, const struct profile *other, uint32_t mapped)
{
	while (node != STACK_EMPTY) {
		const struct frame *left = &one->frames.frames[one->stacks.nodes[node].frame];
		const struct frame *right =
			&other->frames.frames[other->stacks.nodes[mapped].frame];

		CHECK_EQ(left->kind, right->kind);
		CHECK_EQ(left->flags, right->flags);
		CHECK(build_id_equal(&one->modules.modules[left->module].build_id,
			&other->modules.modules[right->module].build_id));
		if (left->flags & FRAME_NAMED) {
			check_equal_text(
				one, (uint32_t)left->address, other, (uint32_t)right->address);
		} else {
			CHECK_EQ(left->address, right->address);
		}
		node = one->stacks.nodes[node].parent;
		mapped = other->stacks.nodes[mapped].parent;
	}
	CHECK_EQ(mapped, STACK_EMPTY);
}

static void stacks_are_the_same_elsewhere(void)
{
	struct segment_mapping mapping = {0};
	struct profile *labels, *stacks;

	CHECK_EQ(profile_new(&labels), 0);
	CHECK_EQ(profile_new(&stacks), 0);
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct profile *from = random_profile(seed);

		CHECK_EQ(segment_mapping_begin(&mapping, from, labels, stacks), 0);
		for (uint32_t i = from->stacks.count; i > 0; i--) {
			uint32_t first = 0, second = 0;

			CHECK_EQ(segment_mapping_stack(&mapping, i - 1, &first), 0);
			CHECK_EQ(segment_mapping_stack(&mapping, i - 1, &second), 0);
			CHECK_EQ(first, second);
			check_same_stack(from, i - 1, stacks, first);
		}
		profile_free(from);
	}
	segment_mapping_done(&mapping);
	profile_free(labels);
	profile_free(stacks);
}

static void the_profiles_host_is_a_label_of_each_set(void)
{
	struct segment_mapping mapping = {0};
	struct profile *from, *to;
	uint32_t named, plain, set = 0;

	CHECK_EQ(profile_new(&from), 0);
	CHECK_EQ(profile_new(&to), 0);
	named = set_of(from, "host", "its own");
	plain = set_of(from, "process", "p");
	CHECK_EQ(segment_mapping_begin(&mapping, from, to, to), 0);
	CHECK_EQ(segment_mapping_set(&mapping, named, &set), 0);
	CHECK_STR(label_table_value(&to->labels, &to->strings, set, "host"), "its own");
	from->head.host = text(from, "real");
	CHECK_EQ(segment_mapping_begin(&mapping, from, to, to), 0);
	CHECK_EQ(segment_mapping_set(&mapping, named, &set), 0);
	CHECK_STR(label_table_value(&to->labels, &to->strings, set, "host"), "real");
	CHECK_EQ(segment_mapping_set(&mapping, plain, &set), 0);
	CHECK_STR(label_table_value(&to->labels, &to->strings, set, "host"), "real");
	CHECK_STR(label_table_value(&to->labels, &to->strings, set, "process"), "p");
	CHECK_EQ(segment_mapping_set(&mapping, 0, &set), 0);
	CHECK_EQ(to->labels.sets[set].count, 1);
	segment_mapping_done(&mapping);
	profile_free(from);
	profile_free(to);
}

static void a_full_set_gives_its_last_label_for_the_host(void)
{
	struct segment_mapping mapping = {0};
	struct label labels[LABEL_COUNT_MAX];
	struct profile *from, *to;
	uint32_t full, set = 0;

	CHECK_EQ(profile_new(&from), 0);
	CHECK_EQ(profile_new(&to), 0);
	for (uint32_t i = 0; i < LABEL_COUNT_MAX; i++) {
		char key[16];

		snprintf(key, sizeof(key), "key%02u", i);
		labels[i] = (struct label){text(from, key), text(from, "value")};
	}
	CHECK_EQ(label_table_add(&from->labels, &from->strings, labels, LABEL_COUNT_MAX, &full), 0);
	from->head.host = text(from, "real");
	CHECK_EQ(segment_mapping_begin(&mapping, from, to, to), 0);
	CHECK_EQ(segment_mapping_set(&mapping, full, &set), 0);
	CHECK_EQ(to->labels.sets[set].count, LABEL_COUNT_MAX);
	CHECK_STR(label_table_value(&to->labels, &to->strings, set, "host"), "real");
	CHECK(!label_table_value(&to->labels, &to->strings, set, "key63"));
	CHECK_STR(label_table_value(&to->labels, &to->strings, set, "key62"), "value");
	segment_mapping_done(&mapping);
	profile_free(from);
	profile_free(to);
}

static void what_was_known_is_forgotten_when_stamps_begin_anew(void)
{
	struct segment_mapping mapping = {.stamp = UINT32_MAX - 1};
	struct profile *from = random_profile(4), *labels, *stacks;
	uint32_t node = 1;

	CHECK_EQ(profile_new(&labels), 0);
	CHECK_EQ(profile_new(&stacks), 0);
	CHECK_EQ(segment_mapping_begin(&mapping, from, labels, stacks), 0);
	CHECK_EQ(mapping.stamp, UINT32_MAX);
	segment_map_set(&mapping.threads, mapping.stamp, 0, 5);
	CHECK(segment_map_get(&mapping.threads, mapping.stamp, 0, &node));
	CHECK_EQ(segment_mapping_begin(&mapping, from, labels, stacks), 0);
	CHECK_EQ(mapping.stamp, 1);
	CHECK(!segment_map_get(&mapping.threads, mapping.stamp, 0, &node));
	segment_mapping_done(&mapping);
	profile_free(from);
	profile_free(labels);
	profile_free(stacks);
}

static void a_set_without_service_is_of_the_empty_one(void)
{
	struct profile *profile;
	uint32_t set;

	CHECK_EQ(profile_new(&profile), 0);
	set = set_of(profile, "service_name", "web");
	CHECK_STR(segment_service_of(profile, set).text, "web");
	CHECK_EQ(segment_service_of(profile, set).length, 3);
	CHECK_EQ(segment_service_of(profile, 0).length, 0);
	profile_free(profile);
}

int main(void)
{
	RUN(stacks_are_the_same_elsewhere);
	RUN(the_profiles_host_is_a_label_of_each_set);
	RUN(a_full_set_gives_its_last_label_for_the_host);
	RUN(what_was_known_is_forgotten_when_stamps_begin_anew);
	RUN(a_set_without_service_is_of_the_empty_one);
	return 0;
}
