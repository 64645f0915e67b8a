/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/log_record.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

#define START_NS (UINT64_C(1700000000) * NS_PER_S)

static const char payload[] = "stone upon stone";

static struct bytes_writer write_one(struct log_record *record, const char *host)
{
	struct bytes_writer writer;

	*record = (struct log_record){.kind = LOG_RECORD_PROFILE,
		.key = {{1, 2, 3}, UINT64_MAX},
		.received_at_ns = 7,
		.start_ns = 100,
		.until_ns = 200,
		.host = {host, (uint32_t)strlen(host)},
		.types = {{"cpu", 3}, {"", 0}},
		.type_count = 2};
	bytes_writer_init(&writer, LOG_RECORD_BYTES_MAX);
	CHECK_EQ(log_record_write(record, payload, sizeof(payload), &writer), 0);
	return writer;
}

static void what_is_written_is_read(void)
{
	char host[100] = "";

	/* Every length of the padding. */
	for (size_t i = 0; i < sizeof(host); i++) {
		struct log_record record, read;
		struct bytes_writer writer = write_one(&record, host);

		CHECK_EQ(writer.byte_count % LOG_RECORD_ALIGN_BYTES, 0);
		CHECK_EQ(writer.byte_count, log_record_bytes(&record));
		CHECK_EQ(log_record_parse(writer.bytes, writer.byte_count, &read), 0);
		CHECK_EQ(read.header_bytes, record.header_bytes);
		CHECK_EQ(read.payload_bytes, sizeof(payload));
		CHECK(memcmp(&read.key, &record.key, sizeof(read.key)) == 0);
		CHECK_EQ(read.received_at_ns, 7);
		CHECK_EQ(read.start_ns, 100);
		CHECK_EQ(read.until_ns, 200);
		CHECK_EQ(read.host.length, i);
		CHECK(memcmp(read.host.text, host, i) == 0);
		CHECK_EQ(read.type_count, 2);
		CHECK(memcmp(read.types[0].text, "cpu", 3) == 0);
		CHECK(log_record_payload_intact(&read, writer.bytes + read.header_bytes));
		bytes_writer_done(&writer);
		memset(host, 'h', i + 1 < sizeof(host) ? i + 1 : i);
	}
}

static void a_header_needs_no_payload_behind_it(void)
{
	struct log_record record, read;
	struct bytes_writer writer = write_one(&record, "a");

	CHECK_EQ(log_record_parse(writer.bytes, record.header_bytes, &read), 0);
	for (size_t length = 0; length < record.header_bytes; length++) {
		uint8_t *copy = malloc(length ? length : 1);

		CHECK(copy);
		memcpy(copy, writer.bytes, length);
		CHECK_EQ(log_record_parse(copy, length, &read), -EBADMSG);
		free(copy);
	}
	bytes_writer_done(&writer);
}

static void every_flipped_bit_is_noticed(void)
{
	struct log_record record, read;
	struct bytes_writer writer = write_one(&record, "a");
	size_t payload_end = record.header_bytes + sizeof(payload);

	for (size_t bit = 0; bit < payload_end * 8; bit++) {
		bool intact;

		writer.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		intact = log_record_parse(writer.bytes, writer.byte_count, &read) == 0 &&
			log_record_payload_intact(&read, writer.bytes + read.header_bytes);
		writer.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK(!intact);
	}
	bytes_writer_done(&writer);
}

static void a_summary_too_long_for_a_header_is_refused(void)
{
	static char host[LOG_RECORD_HEADER_BYTES_MAX];
	struct log_record record = {.kind = LOG_RECORD_PROFILE, .host = {host, sizeof(host) - 100}};
	struct bytes_writer writer;

	bytes_writer_init(&writer, LOG_RECORD_BYTES_MAX);
	CHECK_EQ(log_record_write(&record, payload, sizeof(payload), &writer), 0);
	record.host.length = sizeof(host);
	CHECK_EQ(log_record_write(&record, payload, sizeof(payload), &writer), -EFBIG);
	bytes_writer_done(&writer);
}

/* Such times would put a record where no search looks. */
static void a_window_that_no_profile_has_is_refused(void)
{
	static const uint64_t untils[] = {0, 99, 100, 101 + PROFILE_WINDOW_NS_MAX, UINT64_MAX};

	for (size_t i = 0; i < sizeof(untils) / sizeof(untils[0]); i++) {
		struct log_record record = {.kind = LOG_RECORD_PROFILE, .start_ns = 100}, read;
		struct bytes_writer writer;

		record.until_ns = untils[i];
		bytes_writer_init(&writer, LOG_RECORD_BYTES_MAX);
		CHECK_EQ(log_record_write(&record, NULL, 0, &writer), 0);
		CHECK_EQ(log_record_parse(writer.bytes, writer.byte_count, &read), -EBADMSG);
		bytes_writer_done(&writer);
	}
}

static void a_profile_is_described_by_its_window_host_and_types(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct profile *profile = fake_profile(&host, START_NS, 10 * NS_PER_S, 1);
	struct log_record record;

	log_record_describe(&record, profile);
	CHECK(record.start_ns == START_NS);
	CHECK(record.until_ns == START_NS + 10 * NS_PER_S);
	CHECK_STR(record.host.text, "db-1");
	CHECK_EQ(record.type_count, 1);
	CHECK_STR(record.types[0].text, PROFILE_TYPE_ON_CPU);
	profile->head.window_end_ns = profile->head.window_start_ns;
	log_record_describe(&record, profile);
	CHECK_EQ(record.until_ns, record.start_ns + 1);
	profile_free(profile);
}

int main(void)
{
	RUN(what_is_written_is_read);
	RUN(a_header_needs_no_payload_behind_it);
	RUN(every_flipped_bit_is_noticed);
	RUN(a_summary_too_long_for_a_header_is_refused);
	RUN(a_window_that_no_profile_has_is_refused);
	RUN(a_profile_is_described_by_its_window_host_and_types);
	return 0;
}
