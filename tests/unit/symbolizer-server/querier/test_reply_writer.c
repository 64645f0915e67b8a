/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/querier/reply_writer.h"

#include "tests/support/check.h"

/* One answer with everything in it. */
static void write_all(enum reply_codec codec, struct bytes_writer *out)
{
	const struct reply_field texts = {1, "texts"}, nested = {2, "nested"}, deep = {3, "deep"};
	struct reply_writer writer;

	bytes_writer_init(out, 10000);
	reply_init(&writer, codec, out);
	reply_begin_list(&writer, texts);
	reply_string(&writer, texts, "a\"b");
	reply_string(&writer, texts, "");
	reply_end_list(&writer);
	reply_begin_list(&writer, nested);
	for (int i = 0; i < 2; i++) {
		reply_begin(&writer, nested);
		reply_begin(&writer, deep);
		reply_number(&writer, (struct reply_field){1, "number"}, i == 0 ? -1 : 300);
		reply_number(&writer, (struct reply_field){2, "zero"}, 0);
		reply_end(&writer);
		reply_numbers(
			&writer, (struct reply_field){4, "numbers"}, (const int64_t[]){1, 200}, 2);
		reply_end(&writer);
	}
	reply_end_list(&writer);
	reply_double(&writer, (struct reply_field){5, "double"}, 1.5);
	reply_double(&writer, (struct reply_field){6, "nothing"}, 0);
	reply_boolean(&writer, (struct reply_field){7, "boolean"}, true);
	reply_boolean(&writer, (struct reply_field){8, "no"}, false);
	reply_string(&writer, (struct reply_field){9, "empty"}, "");
	reply_numbers(&writer, (struct reply_field){10, "none"}, NULL, 0);
	reply_finish(&writer);
	CHECK_EQ(bytes_writer_fault(out), 0);
}

static void json_is_that_of_protobuf(void)
{
	const char *expected =
		"{\"texts\":[\"a\\\"b\",\"\"],\"nested\":[{\"deep\":{\"number\":\"-1\"},"
		"\"numbers\":["
		"\"1\",\"200\"]},{\"deep\":{\"number\":\"300\"},\"numbers\":[\"1\",\"200\"]}],"
		"\"double\":1.500000,\"boolean\":true}";
	struct bytes_writer out;

	write_all(REPLY_JSON, &out);
	bytes_write_u8(&out, 0);
	CHECK_STR((const char *)out.bytes, expected);
	bytes_writer_done(&out);
}

static void bytes_are_those_of_protobuf(void)
{
	static const uint8_t expected[] = {0x0a, 3, 'a', '"', 'b', 0x0a, 0,
		/* nested: deep with -1 in ten bytes, then packed numbers */
		0x12, 18, 0x1a, 11, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
		0x22, 3, 1, 0xc8, 1,
		/* nested: deep with 300 */
		0x12, 10, 0x1a, 3, 0x08, 0xac, 2, 0x22, 3, 1, 0xc8, 1,
		/* 1.5, true */
		0x29, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0x38, 1};
	struct bytes_writer out;

	write_all(REPLY_PROTO, &out);
	CHECK_EQ(out.byte_count, sizeof(expected));
	CHECK(memcmp(out.bytes, expected, sizeof(expected)) == 0);
	bytes_writer_done(&out);
}

static void lengths_of_more_than_a_byte_are_put_before_what_they_measure(void)
{
	const struct reply_field message = {1, "message"}, text = {2, "text"};
	struct reply_writer writer;
	struct bytes_writer out;
	char long_text[300];

	memset(long_text, 'x', sizeof(long_text));
	bytes_writer_init(&out, 10000);
	reply_init(&writer, REPLY_PROTO, &out);
	reply_begin(&writer, message);
	reply_text(&writer, text, long_text, sizeof(long_text));
	reply_end(&writer);
	reply_finish(&writer);
	CHECK_EQ(out.byte_count, 306);
	CHECK(memcmp(out.bytes, "\x0a\xaf\x02\x12\xac\x02xx", 8) == 0);
	bytes_writer_done(&out);
}

static void what_does_not_fit_is_a_fault(void)
{
	const struct reply_field message = {1, "message"}, text = {2, "text"};
	struct reply_writer writer;
	struct bytes_writer out;

	bytes_writer_init(&out, 8);
	reply_init(&writer, REPLY_PROTO, &out);
	reply_begin(&writer, message);
	reply_string(&writer, text, "123456789");
	reply_end(&writer);
	reply_finish(&writer);
	CHECK(bytes_writer_fault(&out) < 0);
	bytes_writer_done(&out);
}

int main(void)
{
	RUN(json_is_that_of_protobuf);
	RUN(bytes_are_those_of_protobuf);
	RUN(lengths_of_more_than_a_byte_are_put_before_what_they_measure);
	RUN(what_does_not_fit_is_a_fault);
	return 0;
}
