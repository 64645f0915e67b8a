/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/frame_value.h"

#include <errno.h>

#include "tests/support/check.h"

static struct bytes_reader reader;
static const uint8_t *start;

static void read_from(const uint8_t *bytes, size_t byte_count)
{
	start = bytes;
	bytes_reader_init(&reader, bytes, byte_count);
}

static int64_t sleb(const uint8_t *bytes, size_t byte_count)
{
	read_from(bytes, byte_count);
	return frame_read_sleb(&reader);
}

static void signed_numbers_have_the_sign_of_their_last_bits(void)
{
	CHECK_EQ(sleb((const uint8_t[]){0x00}, 1), 0);
	CHECK_EQ(sleb((const uint8_t[]){0x3f}, 1), 63);
	CHECK_EQ(sleb((const uint8_t[]){0x40}, 1), -64);
	CHECK_EQ(sleb((const uint8_t[]){0x7f}, 1), -1);
	CHECK_EQ(sleb((const uint8_t[]){0x80, 0x7f}, 2), -128);
	CHECK_EQ(sleb((const uint8_t[]){0xff, 0x00}, 2), 127);
	CHECK_EQ(sleb((const uint8_t[]){0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f},
			 10),
		INT64_MIN);
	CHECK_EQ(bytes_reader_fault(&reader), 0);
}

static void a_number_without_end_is_a_fault(void)
{
	sleb((const uint8_t[]){0x80, 0x80}, 2);
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
}

static uint64_t pointer(uint8_t encoding, const uint8_t *bytes, size_t byte_count)
{
	static const struct frame_bases bases = {.section = 0x1000, .text = 0x2000, .data = 0x3000};

	read_from(bytes, byte_count);
	return frame_read_pointer(&reader, encoding, &bases, start);
}

static void pointers_are_relative_to_what_their_encoding_says(void)
{
	const uint8_t minus_two[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	CHECK_EQ(pointer(0x00, minus_two, 8), (uint64_t)-2);
	CHECK_EQ(pointer(0x03, minus_two, 4), 0xfffffffe);
	CHECK_EQ(pointer(0x0b, minus_two, 4), (uint64_t)-2);
	CHECK_EQ(pointer(0x02, minus_two, 2), 0xfffe);
	CHECK_EQ(pointer(0x0a, minus_two, 2), (uint64_t)-2);
	CHECK_EQ(pointer(0x1b, minus_two, 4), 0x1000 - 2);
	CHECK_EQ(pointer(0x2b, minus_two, 4), 0x2000 - 2);
	CHECK_EQ(pointer(0x3b, minus_two, 4), 0x3000 - 2);
	CHECK_EQ(pointer(0x01, (const uint8_t[]){0x81, 0x01}, 2), 129);
	CHECK_EQ(pointer(0x09, (const uint8_t[]){0x7f}, 1), (uint64_t)-1);
}

static void a_pointer_counts_from_its_own_place(void)
{
	static const struct frame_bases bases = {.section = 0x1000};
	const uint8_t bytes[] = {0, 0, 0, 0, 8, 0, 0, 0};

	read_from(bytes, sizeof(bytes));
	(void)bytes_read_u32(&reader);
	CHECK_EQ(frame_read_pointer(&reader, 0x1b, &bases, start), 0x1000 + 4 + 8);
}

static void encodings_that_need_memory_or_do_not_exist_are_refused(void)
{
	static const uint8_t encodings[] = {0x9b, 0x5b, 0x4b, 0x07, 0x0f};
	const uint8_t bytes[8] = {0};

	for (size_t i = 0; i < sizeof(encodings); i++) {
		CHECK_EQ(pointer(encodings[i], bytes, sizeof(bytes)), 0);
		CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
	}
}

int main(void)
{
	RUN(signed_numbers_have_the_sign_of_their_last_bits);
	RUN(a_number_without_end_is_a_fault);
	RUN(pointers_are_relative_to_what_their_encoding_says);
	RUN(a_pointer_counts_from_its_own_place);
	RUN(encodings_that_need_memory_or_do_not_exist_are_refused);
	return 0;
}
