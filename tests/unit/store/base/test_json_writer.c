/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/json_writer.h"

#include <math.h>

#include "tests/support/check.h"

static void values_and_commas_stand_where_they_belong(void)
{
	struct bytes_writer out;
	struct json_writer json;

	bytes_writer_init(&out, 10000);
	json_writer_init(&json, &out);
	json_begin_object(&json);
	json_key(&json, "list");
	json_begin_array(&json);
	json_unsigned(&json, 0);
	json_unsigned(&json, UINT64_MAX);
	json_signed(&json, INT64_MIN);
	json_begin_array(&json);
	json_end_array(&json);
	json_begin_object(&json);
	json_end_object(&json);
	json_end_array(&json);
	json_key(&json, "more");
	json_boolean(&json, false);
	json_key(&json, "half");
	json_decimal(&json, 0.5);
	json_key(&json, "none");
	json_decimal(&json, NAN);
	json_end_object(&json);
	bytes_write_u8(&out, 0);
	CHECK_STR((const char *)out.bytes,
		"{\"list\":[0,18446744073709551615,-9223372036854775808,[],{}],\"more\":false,"
		"\"half\":0.500000,\"none\":null}");
	bytes_writer_done(&out);
}

static void texts_are_always_text(void)
{
	struct bytes_writer out;
	struct json_writer json;

	bytes_writer_init(&out, 10000);
	json_writer_init(&json, &out);
	json_text(&json, "a\"b\\c\n\x01\0<\xc3\xa4\xff", 12);
	bytes_write_u8(&out, 0);
	CHECK_STR((const char *)out.bytes,
		"\"a\\\"b\\\\c\\u000a\\u0001\\u0000<\xc3\xa4\xef\xbf\xbd\"");
	bytes_writer_done(&out);
}

int main(void)
{
	RUN(values_and_commas_stand_where_they_belong);
	RUN(texts_are_always_text);
	return 0;
}
