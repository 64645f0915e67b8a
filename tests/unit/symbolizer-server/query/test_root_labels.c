/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/root_labels.h"

#include "symbolizer-server/query/folded.h"
#include "symbolizer-server/query/top.h"
#include "tests/support/tree_fixture.h"

static struct profile *make_profile(const char *host)
{
	struct profile *profile = sample_profile_new(host, 0, NS_PER_S);

	for (uint32_t i = 0; i < 12; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){.stack = i % 3 ? "main;f" : "main;f;g",
				.thread = i < 8 ? "worker" : "main",
				.cpu = i % 2,
				.value = 10});
	}
	sample_profile_seal(profile);
	return profile;
}

static char *folded_of(const struct label_names *names, const char *const *hosts)
{
	struct tree_fixture fixture;
	struct bytes_writer text;
	struct root_labels root;
	struct level_tree levels;
	size_t length;
	char *folded;

	tree_fixture_begin(&fixture);
	CHECK_EQ(root_labels_init(&root, names), 0);
	merge_keep_root(&fixture.merge, &root);
	for (; *hosts; hosts++) {
		struct profile *profile = make_profile(*hosts);

		CHECK_EQ(merge_add(&fixture.merge, profile), 0);
		profile_free(profile);
	}
	tree_fixture_end(&fixture);
	CHECK_EQ(level_tree_init(&levels, &fixture.calls, LEVEL_TREE_BY_NAME, UINT32_MAX), 0);
	bytes_writer_init(&text, 1 << 16);
	CHECK_EQ(folded_write(&levels, &text), 0);
	bytes_write_u8(&text, 0);
	folded = (char *)bytes_writer_take(&text, &length);
	level_tree_done(&levels);
	root_labels_done(&root);
	tree_fixture_done(&fixture);
	return folded;
}

static void values_of_labels_stand_above_the_functions(void)
{
	char *folded = folded_of(&(struct label_names){{"host", "thread"}, 2},
		(const char *const[]){"a", "b", "a", NULL});

	CHECK_STR(folded,
		"host=a;thread=main;main;f 60\n"
		"host=a;thread=main;main;f;g 20\n"
		"host=a;thread=worker;main;f 100\n"
		"host=a;thread=worker;main;f;g 60\n"
		"host=b;thread=main;main;f 30\n"
		"host=b;thread=main;main;f;g 10\n"
		"host=b;thread=worker;main;f 50\n"
		"host=b;thread=worker;main;f;g 30\n");
	free(folded);
}

static void rows_tell_their_cpu_and_what_is_not_there_is_none(void)
{
	char *folded = folded_of(
		&(struct label_names){{"cpu", "pod"}, 2}, (const char *const[]){"a", NULL});

	CHECK_STR(folded,
		"cpu=0;pod=(none);main;f 40\n"
		"cpu=0;pod=(none);main;f;g 20\n"
		"cpu=1;pod=(none);main;f 40\n"
		"cpu=1;pod=(none);main;f;g 20\n");
	free(folded);
}

static void too_many_groups_are_one(void)
{
	struct label_names names = {{"cpu"}, 1};
	struct profile *profile = make_profile("a");
	struct tree_fixture fixture;
	struct root_labels root;
	struct top top;

	tree_fixture_begin(&fixture);
	CHECK_EQ(root_labels_init(&root, &names), 0);
	root.groups.count_max = 1;
	merge_keep_root(&fixture.merge, &root);
	CHECK_EQ(merge_add(&fixture.merge, profile), 0);
	CHECK_EQ(merge_add(&fixture.merge, profile), 0);
	tree_fixture_end(&fixture);
	CHECK_EQ(fixture.calls.totals[0], 240);
	CHECK_EQ(fixture.calls.tree.nodes[0].child_count, 2);
	/* Labels are no functions. */
	CHECK_EQ(top_init(&top, &fixture.calls), 0);
	CHECK_EQ(top.count, 3);
	top_done(&top);
	root_labels_done(&root);
	tree_fixture_done(&fixture);
	profile_free(profile);
}

int main(void)
{
	RUN(values_of_labels_stand_above_the_functions);
	RUN(rows_tell_their_cpu_and_what_is_not_there_is_none);
	RUN(too_many_groups_are_one);
	return 0;
}
