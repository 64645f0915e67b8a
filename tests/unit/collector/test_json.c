/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/json.h"

#include <errno.h>

#include "tests/support/check.h"

static void expect(struct json *json, const char *expected)
{
	bytes_write_u8(&json->text, '\0');
	CHECK_EQ(bytes_writer_fault(&json->text), 0);
	CHECK_STR((const char *)json->text.bytes, expected);
	json_done(json);
}

static void commas_stand_where_they_belong(void)
{
	struct json json;

	json_init(&json, 1 << 16);
	json_open(&json, NULL, '{');
	json_text(&json, "a", "b");
	json_number(&json, "n", UINT64_MAX);
	json_flag(&json, "f", false);
	json_open(&json, "list", '[');
	json_open(&json, NULL, '{');
	json_close(&json, '}');
	json_open(&json, NULL, '{');
	json_number(&json, "x", 0);
	json_close(&json, '}');
	json_close(&json, ']');
	json_open(&json, "empty", '[');
	json_close(&json, ']');
	json_close(&json, '}');
	expect(&json,
		"{\"a\":\"b\",\"n\":18446744073709551615,\"f\":false,"
		"\"list\":[{},{\"x\":0}],\"empty\":[]}");
}

static void expect_text(const char *text, const char *expected)
{
	struct json json;

	json_init(&json, 1 << 16);
	json_text(&json, NULL, text);
	expect(&json, expected);
}

static void any_bytes_make_a_valid_text(void)
{
	expect_text("", "\"\"");
	expect_text("\"\\/\n\x01\x7f", "\"\\\"\\\\/\\u000a\\u0001\\u007f\"");
	expect_text(
		"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
	expect_text("\xff", "\"\xef\xbf\xbd\"");
	expect_text("a\xc3", "\"a\xef\xbf\xbd\"");
	expect_text("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_text("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_text("\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_text("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void a_text_beyond_the_limit_is_a_fault(void)
{
	struct json json;

	json_init(&json, 4);
	json_text(&json, NULL, "longer");
	CHECK_EQ(bytes_writer_fault(&json.text), -EFBIG);
	json_done(&json);
}

int main(void)
{
	RUN(commas_stand_where_they_belong);
	RUN(any_bytes_make_a_valid_text);
	RUN(a_text_beyond_the_limit_is_a_fault);
	return 0;
}
