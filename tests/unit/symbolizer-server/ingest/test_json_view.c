/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/json_view.h"

#include <errno.h>

#include "tests/support/check.h"

static struct ingest_fault fault;

static struct ingest_text text_of(const char *text)
{
	return (struct ingest_text){text, strlen(text)};
}

static struct json_view good(const char *text)
{
	struct json_view value = {NULL, 0};

	CHECK_EQ(json_view_check(text_of(text), &value, &fault), 0);
	return value;
}

static void bad(const char *text)
{
	struct json_view value;

	CHECK_EQ(json_view_check(text_of(text), &value, &fault), -EBADMSG);
	CHECK(strstr(fault.text, "no JSON"));
}

static void values_are_told_apart(void)
{
	CHECK_EQ(json_view_kind(good(" {} ")), JSON_OBJECT);
	CHECK_EQ(json_view_kind(good("[ ]")), JSON_ARRAY);
	CHECK_EQ(json_view_kind(good("\"a\"")), JSON_STRING);
	CHECK_EQ(json_view_kind(good("-1.5e+3")), JSON_NUMBER);
	CHECK_EQ(json_view_kind(good("null")), JSON_WORD);
	CHECK_EQ(json_view_kind(good("\xef\xbb\xbf{}")), JSON_OBJECT);
	CHECK_EQ(json_view_kind(json_view_member(good("{\"a\":1}"), "b")), JSON_NONE);
	CHECK_EQ(json_view_kind(json_view_member(good("[1]"), "b")), JSON_NONE);
}

static void what_is_no_json_is_refused(void)
{
	static const char *const texts[] = {"", "{", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}",
		"{a:1}", "[1]]", "[}", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "1.", "1e", "-",
		"tru", "[1,2", "{\"a\":1,}", "[] []"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		bad(texts[i]);
}

static void depth_and_numbers_have_limits(void)
{
	char deep[2 * JSON_DEPTH_MAX + 3] = "", digits[JSON_NUMBER_BYTES_MAX + 2];

	memset(deep, '[', JSON_DEPTH_MAX);
	memset(deep + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	good(deep);
	memset(deep, '[', JSON_DEPTH_MAX + 1);
	memset(deep + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	deep[2 * JSON_DEPTH_MAX + 2] = '\0';
	bad(deep);
	memset(digits, '1', sizeof(digits));
	digits[JSON_NUMBER_BYTES_MAX] = '\0';
	good(digits);
	digits[JSON_NUMBER_BYTES_MAX] = '1';
	digits[JSON_NUMBER_BYTES_MAX + 1] = '\0';
	bad(digits);
}

static void members_and_elements_are_walked(void)
{
	struct json_view json = good("{ \"a\" : [ 1 , {\"x]\":\"}\\\"\"} , [] ] , \"b\":true}");
	struct json_walk walk;
	struct json_view key, value;
	uint64_t index;

	CHECK_EQ(json_view_count(json), 2);
	CHECK_EQ(json_view_count(json_view_member(json, "a")), 3);
	CHECK_EQ(json_view_count(json_view_member(json, "b")), 0);
	json_view_walk(&walk, json);
	CHECK(json_view_next(&walk, &key, &value) && json_view_is(key, "a"));
	CHECK(json_view_next(&walk, &key, &value) && json_view_is(key, "b"));
	CHECK(!json_view_next(&walk, &key, &value));
	json_view_walk(&walk, json_view_member(json, "a"));
	CHECK(json_view_next(&walk, NULL, &value) && json_view_index(value, &index) && index == 1);
	CHECK(json_view_next(&walk, NULL, &value) &&
		json_view_is(json_view_member(value, "x]"), "}\\\""));
}

static void strings_lose_their_escapes(void)
{
	struct bytes_writer scratch;
	struct ingest_text text;

	bytes_writer_init(&scratch, 100);
	text = json_view_text(
		good("\"a\\n\\\"\\/\\u00e4\\u20ac\\ud83d\\ude00\\ud83d!\\u0000\""), &scratch);
	CHECK_EQ(text.length,
		strlen("a\n\"/\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd!\xef\xbf\xbd"));
	CHECK(memcmp(text.text,
		      "a\n\"/\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd!\xef\xbf\xbd",
		      text.length) == 0);
	CHECK_EQ(json_view_text(good("\"plain\""), &scratch).length, 5);
	CHECK_EQ(json_view_text(good("1"), &scratch).length, 0);
	bytes_writer_done(&scratch);
}

static void numbers_are_read(void)
{
	double number;
	uint64_t index;

	CHECK(json_view_number(good("-2.5e2"), &number) && number == -250);
	CHECK(!json_view_number(good("\"1\""), &number));
	CHECK(json_view_index(good("18446744073709551615"), &index) && index == UINT64_MAX);
	CHECK(!json_view_index(good("18446744073709551616"), &index));
	CHECK(!json_view_index(good("-1"), &index) && !json_view_index(good("1.5"), &index));
}

int main(void)
{
	RUN(values_are_told_apart);
	RUN(what_is_no_json_is_refused);
	RUN(depth_and_numbers_have_limits);
	RUN(members_and_elements_are_walked);
	RUN(strings_lose_their_escapes);
	RUN(numbers_are_read);
	return 0;
}
