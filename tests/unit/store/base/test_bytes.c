/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/bytes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "tests/support/check.h"

static void what_is_written_reads_back(void)
{
	static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
	static const int64_t signed_values[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
	struct bytes_writer writer;
	struct bytes_reader reader;

	bytes_writer_init(&writer, 1 << 20);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		bytes_write_varint(&writer, values[i]);
	for (size_t i = 0; i < sizeof(signed_values) / sizeof(signed_values[0]); i++)
		bytes_write_signed(&writer, signed_values[i]);
	bytes_write_u8(&writer, 0xab);
	bytes_write_u16(&writer, 0xabcd);
	bytes_write_u32(&writer, 0x89abcdef);
	bytes_write_u64(&writer, 0x0123456789abcdef);
	bytes_write_span(&writer, "stone", 5);
	CHECK_EQ(bytes_writer_fault(&writer), 0);

	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		CHECK(bytes_read_varint(&reader) == values[i]);
	for (size_t i = 0; i < sizeof(signed_values) / sizeof(signed_values[0]); i++)
		CHECK(bytes_read_signed(&reader) == signed_values[i]);
	CHECK_EQ(bytes_read_u8(&reader), 0xab);
	CHECK_EQ(bytes_read_u16(&reader), 0xabcd);
	CHECK_EQ(bytes_read_u32(&reader), 0x89abcdef);
	CHECK(bytes_read_u64(&reader) == 0x0123456789abcdef);
	CHECK(memcmp(bytes_read_span(&reader, 5), "stone", 5) == 0);
	CHECK_EQ(bytes_left(&reader), 0);
	CHECK_EQ(bytes_reader_fault(&reader), 0);
	bytes_writer_done(&writer);
}

static void reading_past_the_end_is_a_lasting_fault(void)
{
	static const uint8_t bytes[] = {1, 2};
	struct bytes_reader reader;

	bytes_reader_init(&reader, bytes, sizeof(bytes));
	CHECK_EQ(bytes_read_u32(&reader), 0);
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
	CHECK_EQ(bytes_read_u8(&reader), 0);
	CHECK(!bytes_read_span(&reader, 1));
}

static void a_varint_over_64_bits_is_refused(void)
{
	static const uint8_t too_wide[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
	static const uint8_t endless[] = {0x80, 0x80};
	static const uint8_t over_32[] = {0x80, 0x80, 0x80, 0x80, 0x10};
	struct bytes_reader reader;

	bytes_reader_init(&reader, too_wide, sizeof(too_wide));
	bytes_read_varint(&reader);
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
	bytes_reader_init(&reader, endless, sizeof(endless));
	bytes_read_varint(&reader);
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
	bytes_reader_init(&reader, over_32, sizeof(over_32));
	CHECK_EQ(bytes_read_varint32(&reader), 0);
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
}

static void a_writer_stops_at_its_limit(void)
{
	struct bytes_writer writer;

	bytes_writer_init(&writer, 4);
	bytes_write_u32(&writer, 1);
	CHECK_EQ(bytes_writer_fault(&writer), 0);
	bytes_write_u8(&writer, 1);
	CHECK_EQ(bytes_writer_fault(&writer), -EFBIG);
	CHECK_EQ(writer.byte_count, 4);
	bytes_writer_done(&writer);
}

static void who_knows_how_much_will_come_gets_no_more_room(void)
{
	struct bytes_writer writer;

	bytes_writer_init(&writer, 1000);
	bytes_write_u8(&writer, 1);
	bytes_writer_expect(&writer, 700);
	CHECK_EQ(writer.capacity, 701);
	for (int i = 0; i < 700; i++)
		bytes_write_u8(&writer, (uint8_t)i);
	CHECK_EQ(writer.capacity, 701);
	CHECK_EQ(writer.byte_count, 701);
	/* More than the limit is not asked for; less than there is changes nothing. */
	bytes_writer_expect(&writer, 300);
	CHECK_EQ(writer.capacity, 701);
	bytes_writer_expect(&writer, 0);
	CHECK_EQ(writer.capacity, 701);
	CHECK_EQ(bytes_writer_fault(&writer), 0);
	bytes_writer_done(&writer);
}

int main(void)
{
	RUN(what_is_written_reads_back);
	RUN(reading_past_the_end_is_a_lasting_fault);
	RUN(a_varint_over_64_bits_is_refused);
	RUN(a_writer_stops_at_its_limit);
	RUN(who_knows_how_much_will_come_gets_no_more_room);
	return 0;
}
