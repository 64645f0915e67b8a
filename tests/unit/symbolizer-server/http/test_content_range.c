/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/content_range.h"

#include <errno.h>

#include "tests/support/check.h"

static void a_part_of_a_file_is_read(void)
{
	struct content_range range;

	CHECK_EQ(content_range_parse("bytes 0-0/1", &range), 0);
	CHECK_EQ(range.first, 0);
	CHECK_EQ(range.end, 1);
	CHECK_EQ(range.byte_count, 1);
	CHECK_EQ(content_range_parse("bytes 1000-1999/123456789012345678", &range), 0);
	CHECK_EQ(range.first, 1000);
	CHECK_EQ(range.end, 2000);
	CHECK_EQ(range.byte_count, 123456789012345678);
}

static void anything_else_is_refused_and_the_output_untouched(void)
{
	static const char *const wrong[] = {"", "bytes", "bytes ", "bytes 0-1", "bytes 0-1/",
		"bytes 0-1/*", "bytes */5", "bytes 2-1/5", "bytes 0-5/5", "bytes -1/5",
		"bytes 0-1/5 ", " bytes 0-1/5", "bits 0-1/5", "bytes 0x0-1/5",
		"bytes 0-1/1234567890123456789", "bytes 0 -1/5", "bytes +0-1/5"};
	struct content_range range = {7, 8, 9};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (content_range_parse(wrong[i], &range) != -EINVAL)
			fprintf(stderr, "%s\n", wrong[i]);
		CHECK_EQ(content_range_parse(wrong[i], &range), -EINVAL);
	}
	CHECK_EQ(range.first, 7);
	CHECK_EQ(range.end, 8);
	CHECK_EQ(range.byte_count, 9);
}

int main(void)
{
	RUN(a_part_of_a_file_is_read);
	RUN(anything_else_is_refused_and_the_output_untouched);
	return 0;
}
