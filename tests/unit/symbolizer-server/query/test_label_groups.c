/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/label_groups.h"

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

static struct profile *make_profile(const char *host)
{
	struct profile *profile = sample_profile_new(host, 0, NS_PER_S);

	for (uint32_t i = 0; i < 8; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){.stack = "f",
				.process = i < 4 ? "web" : "db",
				.thread = i % 2 ? "even" : "odd",
				.pid = 10 + i / 4,
				.tid = 20 + i,
				.cpu = i % 3});
	}
	sample_profile_seal(profile);
	return profile;
}

/* The group of each row, told by its texts. */
static void check_rows(struct label_groups *groups, const struct profile *profile)
{
	CHECK_EQ(label_groups_open(groups, profile), 0);
	for (uint32_t i = 0; i < profile->types[0].row_count; i++) {
		const struct sample_row *row = &profile->types[0].rows[i];
		const struct thread *thread = &profile->threads.threads[row->thread];
		uint32_t group;
		size_t length;

		CHECK_EQ(label_groups_find(groups, row, &group), 0);
		CHECK(group < groups->count);
		CHECK_STR(label_groups_text(groups, group, 0, &length), "h");
		CHECK_EQ(length, 1);
		CHECK_STR(label_groups_text(groups, group, 1, &length),
			string_table_text(&profile->strings, thread->name));
		CHECK_EQ(strtoul(label_groups_text(groups, group, 2, &length), NULL, 10), row->cpu);
		CHECK_STR(label_groups_text(groups, group, 3, &length), "");
	}
}

static void rows_of_equal_labels_are_one_group_in_every_profile(void)
{
	struct label_names names = {{"host", "thread", "cpu", "pod"}, 4};
	struct profile *profile = make_profile("h");
	struct label_groups groups;

	CHECK_EQ(label_groups_init(&groups, &names, 100), 0);
	check_rows(&groups, profile);
	/* Two names on three CPUs. */
	CHECK_EQ(groups.count, 6);
	check_rows(&groups, profile);
	CHECK_EQ(groups.count, 6);
	label_groups_done(&groups);
	profile_free(profile);
}

static uint32_t count_rest(struct label_groups *groups, const struct profile *profile)
{
	uint32_t rest = 0;

	CHECK_EQ(label_groups_open(groups, profile), 0);
	for (uint32_t i = 0; i < profile->types[0].row_count; i++) {
		uint32_t group;

		CHECK_EQ(label_groups_find(groups, &profile->types[0].rows[i], &group), 0);
		rest += group == LABEL_GROUPS_REST;
	}
	return rest;
}

static void groups_beyond_the_limit_are_the_rest(void)
{
	struct label_names names = {{"tid"}, 1};
	struct profile *profile = make_profile("h");
	struct label_groups groups;

	CHECK_EQ(label_groups_init(&groups, &names, 3), 0);
	CHECK_EQ(count_rest(&groups, profile), 5);
	CHECK_EQ(groups.count, 3);
	CHECK_EQ(count_rest(&groups, profile), 5);
	label_groups_done(&groups);
	profile_free(profile);
}

static void without_names_all_is_one_group(void)
{
	struct label_names names = {.count = 0};
	struct profile *profile = make_profile("h");
	struct label_groups groups;

	CHECK_EQ(label_groups_init(&groups, &names, 3), 0);
	CHECK_EQ(count_rest(&groups, profile), 0);
	CHECK_EQ(groups.count, 1);
	label_groups_done(&groups);
	profile_free(profile);
}

int main(void)
{
	RUN(rows_of_equal_labels_are_one_group_in_every_profile);
	RUN(groups_beyond_the_limit_are_the_rest);
	RUN(without_names_all_is_one_group);
	return 0;
}
