/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/quoted_text.h"

#include <errno.h>

#include "tests/support/check.h"

static void reads_as(const char *literal, const char *expected, size_t expected_length)
{
	char out[64];
	size_t length, taken;
	const char *what;

	CHECK_EQ(quoted_text_read(literal, strlen(literal), out, &length, &taken, &what), 0);
	CHECK_EQ(taken, strlen(literal));
	CHECK_EQ(length, expected_length);
	CHECK(memcmp(out, expected, length) == 0);
}

static void escapes_are_read(void)
{
	reads_as("\"\"", "", 0);
	reads_as("\"a\\\"b\"", "a\"b", 3);
	reads_as("'it\\'s'", "it's", 4);
	reads_as("'a\"b'", "a\"b", 3);
	reads_as("`a\\d`", "a\\d", 3);
	reads_as("\"\\n\\t\\\\\"", "\n\t\\", 3);
	reads_as("\"\\x41\\102\\u0043\"", "ABC", 3);
	reads_as("\"\\u20ac\\U0001F600\\u00e4\"", "\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa4", 9);
	reads_as("\"a\\x00b\"", "a\0b", 3);
}

static void faults_are_placed(void)
{
	static const struct {
		const char *literal;
		size_t at;
	} cases[] = {
		{"\"abc", 0},
		{"\"a\\", 2},
		{"\"ab\\q\"", 3},
		{"\"\\x4\"", 1},
		{"\"\\400\"", 1},
		{"\"\\ud800\"", 1},
		{"\"\\U00110000\"", 1},
		{"'abc\"", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char out[64];
		size_t length = 77, taken = 77;
		const char *what = NULL;

		CHECK_EQ(quoted_text_read(cases[i].literal, strlen(cases[i].literal), out, &length,
				 &taken, &what),
			-EINVAL);
		CHECK_EQ(taken, cases[i].at);
		CHECK_EQ(length, 77);
		CHECK(what);
	}
}

static void what_is_written_reads_back(void)
{
	struct bytes_writer writer;
	char bytes[256], out[1100];
	size_t length, taken;
	const char *what;

	for (int i = 0; i < 256; i++)
		bytes[i] = (char)i;
	bytes_writer_init(&writer, sizeof(out));
	quoted_text_write(&writer, bytes, sizeof(bytes));
	CHECK_EQ(quoted_text_read((const char *)writer.bytes, writer.byte_count, out, &length,
			 &taken, &what),
		0);
	CHECK_EQ(length, sizeof(bytes));
	CHECK_EQ(taken, writer.byte_count);
	CHECK(memcmp(out, bytes, length) == 0);
	bytes_writer_done(&writer);
}

int main(void)
{
	RUN(escapes_are_read);
	RUN(faults_are_placed);
	RUN(what_is_written_reads_back);
	return 0;
}
