/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/selector.h"

#include <errno.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

static struct selector parse(const char *text)
{
	char error[SELECTOR_ERROR_BYTES_MAX] = "";
	struct selector selector;
	int r = selector_parse(text, strlen(text), &selector, error);

	if (r < 0)
		fprintf(stderr, "%s: %s\n", text, error);
	CHECK_EQ(r, 0);
	return selector;
}

static bool accepts(const struct selector *selector, uint32_t matcher, const char *value)
{
	bool result = false;

	CHECK_EQ(selector_matcher_accepts(
			 &selector->matchers[matcher], value, strlen(value), &result),
		0);
	return result;
}

static void type_and_matchers_are_read(void)
{
	struct selector selector =
		parse(" " CPU "{ service_name = \"web\", host=~\"db-.*\",a!='x',b!~`y.`, } ");

	CHECK_STR(selector.type, CPU);
	CHECK_EQ(selector.matcher_count, 4);
	CHECK_STR(selector.matchers[0].name, "service_name");
	CHECK_STR(selector.matchers[0].value, "web");
	CHECK(accepts(&selector, 0, "web"));
	CHECK(!accepts(&selector, 0, "web-1"));
	CHECK(accepts(&selector, 1, "db-7"));
	CHECK(!accepts(&selector, 1, "my-db-7"));
	CHECK(accepts(&selector, 2, ""));
	CHECK(!accepts(&selector, 2, "x"));
	CHECK(!accepts(&selector, 3, "yz"));
	CHECK(accepts(&selector, 3, "yzz"));
	selector_done(&selector);
}

static void the_type_may_stand_anywhere(void)
{
	static const char *const texts[] = {
		CPU,
		CPU "{}",
		"{__name__=\"" CPU "\"}",
		"{__profile_type__=\"" CPU "\"}",
		"{\"" CPU "\"}",
		CPU "{__profile_type__=\"" CPU "\"}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct selector selector = parse(texts[i]);

		CHECK_STR(selector.type, CPU);
		CHECK_EQ(selector.matcher_count, 0);
		selector_done(&selector);
	}
}

static void nothing_means_everything(void)
{
	static const char *const texts[] = {"", "  ", "{}", "{ }"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct selector selector = parse(texts[i]);

		CHECK(!selector.type);
		CHECK_EQ(selector.matcher_count, 0);
		selector_done(&selector);
	}
}

static void quoted_names_may_hold_dots(void)
{
	struct selector selector = parse("{\"otel.scope.name\"=\"x\",\"a b\"!=\"\"}");

	CHECK_EQ(selector.matcher_count, 2);
	CHECK_STR(selector.matchers[0].name, "otel.scope.name");
	CHECK_STR(selector.matchers[1].name, "a b");
	selector_done(&selector);
}

static void empty_period_parts_are_a_type(void)
{
	struct selector selector = parse("off_cpu:off_cpu:nanoseconds::{}");

	CHECK_STR(selector.type, "off_cpu:off_cpu:nanoseconds::");
	selector_done(&selector);
	CHECK(selector_is_type("a:b:c::", 7));
	CHECK(!selector_is_type("a:b:c:", 6));
	CHECK(!selector_is_type("a::c::", 6));
	CHECK(!selector_is_type("a:b:c:::", 8));
	CHECK(!selector_is_type("", 0));
}

static void faults_say_where_and_what(void)
{
	static const struct {
		const char *text;
		const char *what;
	} cases[] = {
		{"cpu{}", "five parts"},
		{"{a=\"b\"", "a comma or }"},
		{"{a=b}", "in quotes"},
		{"{a=\"b}", "never closed"},
		{"{a~\"b\"}", "one of = != =~ !~"},
		{"{=\"b\"}", "a label name"},
		{"{,}", "a label name"},
		{"{\"\"=\"b\"}", "empty"},
		{"{a=~\"(\"}", "regular expression"},
		{"{} x", "nothing may stand here"},
		{"{a=\"b\" c=\"d\"}", "character 8: a comma"},
		{"a:b:c:d:e{__name__=\"f:b:c:d:e\"}", "a second profile type"},
		{"{\"x\"}", "five parts"},
		{"}", "nothing may stand here"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char error[SELECTOR_ERROR_BYTES_MAX] = "";
		struct selector selector = {.matcher_count = 77};

		CHECK_EQ(selector_parse(cases[i].text, strlen(cases[i].text), &selector, error),
			-EINVAL);
		if (!strstr(error, cases[i].what))
			fprintf(stderr, "%s: %s\n", cases[i].text, error);
		CHECK(strstr(error, cases[i].what));
		CHECK_EQ(selector.matcher_count, 77);
	}
}

static void limits_hold(void)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	SCOPED_FREE char *text = calloc(1, SELECTOR_TEXT_BYTES_MAX + 2);
	struct selector selector;
	const char *matcher = "a!=\"\",";
	size_t at = 1;

	CHECK(text);
	memset(text, ' ', SELECTOR_TEXT_BYTES_MAX + 1);
	CHECK_EQ(selector_parse(text, SELECTOR_TEXT_BYTES_MAX + 1, &selector, error), -EINVAL);
	text[0] = '{';
	for (int i = 0; i < SELECTOR_MATCHER_COUNT_MAX; i++) {
		memcpy(text + at, matcher, strlen(matcher) + 1);
		at += strlen(matcher);
	}
	text[at] = '}';
	CHECK_EQ(selector_parse(text, at + 1, &selector, error), 0);
	CHECK_EQ(selector.matcher_count, SELECTOR_MATCHER_COUNT_MAX);
	selector_done(&selector);
	memcpy(text + at, matcher, strlen(matcher) + 1);
	at += strlen(matcher);
	text[at - 1] = '}';
	CHECK_EQ(selector_parse(text, at, &selector, error), -EINVAL);
	CHECK(strstr(error, "more than 64"));
}

static void what_is_formatted_parses_to_the_same(void)
{
	static const char *const texts[] = {
		"{}",
		CPU,
		CPU "{a=\"b\\n\\\"\",\"c d\"=~\"x|y\",e!='',f.g!~`\\d`}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct selector first = parse(texts[i]), second;
		struct bytes_writer one, other;

		bytes_writer_init(&one, 1000);
		bytes_writer_init(&other, 1000);
		selector_format(&first, &one);
		bytes_write_u8(&one, 0);
		second = parse((const char *)one.bytes);
		selector_format(&second, &other);
		bytes_write_u8(&other, 0);
		CHECK_STR((const char *)other.bytes, (const char *)one.bytes);
		CHECK_EQ(first.matcher_count, second.matcher_count);
		selector_done(&first);
		selector_done(&second);
		bytes_writer_done(&one);
		bytes_writer_done(&other);
	}
}

int main(void)
{
	RUN(type_and_matchers_are_read);
	RUN(the_type_may_stand_anywhere);
	RUN(nothing_means_everything);
	RUN(quoted_names_may_hold_dots);
	RUN(empty_period_parts_are_a_type);
	RUN(faults_say_where_and_what);
	RUN(limits_hold);
	RUN(what_is_formatted_parses_to_the_same);
	return 0;
}
