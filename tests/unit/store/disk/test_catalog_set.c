/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_set.h"

#include <errno.h>
#include <string.h>

#include "tests/support/check.h"

static struct catalog_text text(const char *bytes)
{
	return (struct catalog_text){bytes, strlen(bytes)};
}

static void write_set(struct catalog_set *set, struct bytes_writer *writer)
{
	bytes_writer_init(writer, 4096);
	catalog_set_write(set, writer);
	CHECK_EQ(bytes_writer_fault(writer), 0);
}

static void equal_sets_have_equal_bytes_in_any_order(void)
{
	struct catalog_set one = {
		.pairs = {{text("b"), text("2")}, {text("a"), text("1")}}, .count = 2};
	struct catalog_set other = {
		.pairs = {{text("a"), text("1")}, {text("b"), text("2")}}, .count = 2};
	struct bytes_writer bytes, other_bytes;
	struct catalog_set read;

	write_set(&one, &bytes);
	write_set(&other, &other_bytes);
	CHECK_EQ(bytes.byte_count, other_bytes.byte_count);
	CHECK(memcmp(bytes.bytes, other_bytes.bytes, bytes.byte_count) == 0);
	CHECK_EQ(catalog_set_read(bytes.bytes, bytes.byte_count, &read), 0);
	CHECK_EQ(read.count, 2);
	CHECK_EQ(catalog_text_compare(read.pairs[0].name, text("a")), 0);
	CHECK_EQ(catalog_text_compare(read.pairs[1].value, text("2")), 0);
	bytes_writer_done(&bytes);
	bytes_writer_done(&other_bytes);
}

static void bytes_that_are_no_set_are_refused(void)
{
	struct catalog_set set = {.pairs = {{text("name"), text("value")}}, .count = 1};
	struct bytes_writer bytes;
	struct catalog_set read;

	write_set(&set, &bytes);
	for (size_t length = 0; length < bytes.byte_count; length++)
		CHECK_EQ(catalog_set_read(bytes.bytes, length, &read), -EUCLEAN);
	bytes_write_u8(&bytes, 0);
	CHECK_EQ(catalog_set_read(bytes.bytes, bytes.byte_count, &read), -EUCLEAN);
	CHECK_EQ(catalog_set_read("\xff\xff\x03", 3, &read), -EUCLEAN);
	bytes_writer_done(&bytes);
}

static void texts_are_ordered_by_bytes_and_then_by_length(void)
{
	CHECK(catalog_text_compare(text("a"), text("b")) < 0);
	CHECK(catalog_text_compare(text("a"), text("aa")) < 0);
	CHECK(catalog_text_compare(text("b"), text("aa")) > 0);
	CHECK(catalog_text_compare(text("\xc3"), text("z")) > 0);
	CHECK_EQ(catalog_text_compare(text(""), text("")), 0);
}

int main(void)
{
	RUN(equal_sets_have_equal_bytes_in_any_order);
	RUN(bytes_that_are_no_set_are_refused);
	RUN(texts_are_ordered_by_bytes_and_then_by_length);
	return 0;
}
