/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/base64.h"

#include <errno.h>

#include "tests/support/check.h"

static void check_bytes(const char *text, const char *expected)
{
	struct bytes_writer writer;

	bytes_writer_init(&writer, 100);
	CHECK_EQ(base64_read(&writer, text, strlen(text)), 0);
	bytes_write_u8(&writer, 0);
	CHECK_STR((const char *)writer.bytes, expected);
	bytes_writer_done(&writer);
}

static void refuse(const char *text)
{
	struct bytes_writer writer;

	bytes_writer_init(&writer, 100);
	CHECK_EQ(base64_read(&writer, text, strlen(text)), -EBADMSG);
	bytes_writer_done(&writer);
}

static void both_alphabets_with_padding_and_without(void)
{
	check_bytes("", "");
	check_bytes("YQ==", "a");
	check_bytes("YWI", "ab");
	check_bytes("YWJj", "abc");
	check_bytes("Pz8/Pj4+", "?\?\?>>>");
	check_bytes("Pz8_Pj4-", "?\?\?>>>");
}

static void other_characters_are_refused(void)
{
	refuse("Y");
	refuse("YW.j");
	refuse("YQ==YQ==");
}

int main(void)
{
	RUN(both_alphabets_with_padding_and_without);
	RUN(other_characters_are_refused);
	return 0;
}
