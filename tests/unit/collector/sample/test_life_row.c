/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/life_row.h"

#include "tests/support/check.h"

static const struct life_values values = {
	.execs = 1, .forks = 2, .exits = 3, .bare_exits = 4, .cpu_ns = 5, .lifetime_ns = 6};

/* The one row that comes of KEY is called COMMAND and PARENT. */
static void check_names(struct life_key key, const char *command, const char *parent)
{
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(life_row_add(profile, &key, &values), 0);
	CHECK_EQ(profile->lives.count, 1);
	CHECK_STR(life_table_command(&profile->lives, 0).text, command);
	CHECK_STR(life_table_parent(&profile->lives, 0).text, parent);
	CHECK_EQ(memcmp(&profile->lives.rows[0].sums, &values, sizeof(values)), 0);
	profile_free(profile);
}

static void names_are_those_that_people_know(void)
{
	check_names((struct life_key){"ps", "sh", 0}, "ps", "sh");
	check_names((struct life_key){"modprobe", "kworker/u4:2", LIFE_PARENT_IS_KERNEL},
		"modprobe", "[kworker]");
	check_names((struct life_key){"", "", 0}, "[other]", "[other]");
}

static void a_name_without_an_end_is_cut(void)
{
	struct life_key key = {.parent = "sh"};
	char command[COMM_BYTES + 1] = {0};

	memset(command, 'a', COMM_BYTES);
	memset(key.command, 'a', COMM_BYTES);
	check_names(key, command, "sh");
}

static void threads_of_one_kind_are_one_parent(void)
{
	struct life_key one = {"modprobe", "kworker/0:1", LIFE_PARENT_IS_KERNEL};
	struct life_key other = {"modprobe", "kworker/1:2", LIFE_PARENT_IS_KERNEL};
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(life_row_add(profile, &one, &values), 0);
	CHECK_EQ(life_row_add(profile, &other, &values), 0);
	CHECK_EQ(profile->lives.count, 1);
	CHECK_EQ(profile->lives.rows[0].sums.exits, 6);
	profile_free(profile);
}

int main(void)
{
	RUN(names_are_those_that_people_know);
	RUN(a_name_without_an_end_is_cut);
	RUN(threads_of_one_kind_are_one_parent);
	return 0;
}
