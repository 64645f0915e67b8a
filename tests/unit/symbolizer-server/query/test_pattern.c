/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/pattern.h"

#include <errno.h>

#include "tests/support/check.h"

static bool matches(const char *regex, const char *text)
{
	char error[PATTERN_ERROR_BYTES_MAX];
	struct pattern *pattern;
	bool result = false;

	CHECK_EQ(pattern_new(regex, strlen(regex), &pattern, error), 0);
	CHECK_EQ(pattern_matches(pattern, text, strlen(text), &result), 0);
	pattern_free(pattern);
	return result;
}

static void only_whole_texts_match(void)
{
	CHECK(matches("web-.*", "web-1"));
	CHECK(!matches("web", "web-1"));
	CHECK(!matches("eb-1", "web-1"));
	CHECK(matches("a|ab", "ab"));
	CHECK(matches("", ""));
	CHECK(!matches("", "a"));
	CHECK(!matches("a", "a\n"));
}

static void a_dot_is_any_character(void)
{
	CHECK(matches(".*", "two\nlines"));
	CHECK(matches("h.st", "h\xc3\xb6st"));
}

static void nonsense_is_refused_with_a_reason(void)
{
	char error[PATTERN_ERROR_BYTES_MAX] = "";
	struct pattern *pattern = NULL;

	CHECK_EQ(pattern_new("a(b", 3, &pattern, error), -EINVAL);
	CHECK(!pattern);
	CHECK(strstr(error, "at its character 4"));
	CHECK_EQ(pattern_new("\xff", 1, &pattern, error), -EINVAL);
	CHECK_EQ(pattern_new("((((a{1000}){1000}){1000}){1000})", 33, &pattern, error), -EINVAL);
}

static void back_tracking_has_a_limit(void)
{
	char error[PATTERN_ERROR_BYTES_MAX];
	const char *regex = "(a+)+(a+)+(a+)+[bd]",
		   *text = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	struct pattern *pattern;
	bool result = true;

	CHECK_EQ(pattern_new(regex, strlen(regex), &pattern, error), 0);
	CHECK_EQ(pattern_matches(pattern, text, strlen(text), &result), -E2BIG);
	CHECK(result);
	pattern_free(pattern);
	pattern_free(NULL);
}

int main(void)
{
	RUN(only_whole_texts_match);
	RUN(a_dot_is_any_character);
	RUN(nonsense_is_refused_with_a_reason);
	RUN(back_tracking_has_a_limit);
	return 0;
}
