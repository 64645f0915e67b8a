/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/function_match.h"

#include "tests/support/tree_fixture.h"

static struct profile *make_profile(const char *const *stacks)
{
	struct profile *profile = sample_profile_new("a", 0, NS_PER_S);

	for (; *stacks; stacks++)
		sample_profile_add(profile, &(struct sample_profile_sample){.stack = *stacks});
	sample_profile_seal(profile);
	return profile;
}

/* Flags of the innermost frame of each row. */
static uint8_t flags_of(struct function_match *match, const struct profile *profile, uint32_t row)
{
	CHECK_EQ(function_match_open(match, profile), 0);
	return match->stacks[profile->types[0].rows[row].stack];
}

static void stacks_tell_whether_they_are_in_the_function(void)
{
	struct function_wanted wanted = {.name = "f"};
	struct tree_fixture fixture;
	struct function_match match;
	struct profile *profile;

	tree_fixture_init(&fixture, "main;f;g 1\nmain;f 1\nmain;g 1\n");
	CHECK_EQ(function_match_init(
			 &match, &fixture.merge, &fixture.naming, &fixture.functions, &wanted),
		0);
	profile = make_profile((const char *const[]){"main;f", NULL});
	CHECK_EQ(flags_of(&match, profile, 0), FUNCTION_MATCH_IN | FUNCTION_MATCH_SELF);
	profile_free(profile);
	profile = make_profile((const char *const[]){"main;f;g", NULL});
	CHECK_EQ(flags_of(&match, profile, 0), FUNCTION_MATCH_IN);
	profile_free(profile);
	profile = make_profile((const char *const[]){"main;g", NULL});
	CHECK_EQ(flags_of(&match, profile, 0), 0);
	profile_free(profile);
	/* What the first visit did not see is told apart, and all below it. */
	profile = make_profile((const char *const[]){"main;later;f", NULL});
	CHECK(flags_of(&match, profile, 0) & FUNCTION_MATCH_LATER);
	profile_free(profile);
	function_match_done(&match);
	tree_fixture_done(&fixture);
}

static void patterns_and_modules_choose_too(void)
{
	char error[PATTERN_ERROR_BYTES_MAX];
	struct function_wanted wanted = {.module = "libg.so"};
	struct tree_fixture fixture;
	struct function_match match;
	struct pattern *pattern;
	struct profile *profile;

	CHECK_EQ(pattern_new("libg.*|main", 11, &pattern, error), 0);
	wanted.pattern = pattern;
	tree_fixture_init(&fixture, "main;libg.so@0x40 1\nmain;liba.so@0x40 1\n");
	CHECK_EQ(function_match_init(
			 &match, &fixture.merge, &fixture.naming, &fixture.functions, &wanted),
		0);
	profile = make_profile((const char *const[]){"main;libg.so@0x40", NULL});
	CHECK_EQ(flags_of(&match, profile, 0), FUNCTION_MATCH_IN | FUNCTION_MATCH_SELF);
	profile_free(profile);
	/* `main` is in no module. */
	profile = make_profile((const char *const[]){"main;liba.so@0x40", NULL});
	CHECK_EQ(flags_of(&match, profile, 0), 0);
	profile_free(profile);
	function_match_done(&match);
	tree_fixture_done(&fixture);
	pattern_free(pattern);
}

int main(void)
{
	RUN(stacks_tell_whether_they_are_in_the_function);
	RUN(patterns_and_modules_choose_too);
	return 0;
}
