/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/log_reader.h"

#include <errno.h>
#include <unistd.h>

#include "store/disk/log_file.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/work_dir.h"

#define RECORD_COUNT 8

static struct bytes_writer file;
static uint64_t offsets[RECORD_COUNT + 1];

static void write_record(uint64_t sequence, uint32_t kind, size_t payload_bytes)
{
	static const char payload[200000];
	struct log_record record = {.kind = kind,
		.key = {{1}, sequence},
		.start_ns = 1,
		.until_ns = 2,
		.host = {"a", 1}};

	CHECK_EQ(log_record_write(&record, payload, payload_bytes, &file), 0);
}

/* RECORD_COUNT records; the fourth is longer than what a search reads at once. */
static void begin(void)
{
	bytes_writer_init(&file, 10 << 20);
	log_file_write_header(&file, 1);
	for (uint64_t i = 0; i < RECORD_COUNT; i++) {
		offsets[i] = file.byte_count;
		write_record(i, LOG_RECORD_PROFILE, i == 3 ? 200000 : 50);
	}
	offsets[RECORD_COUNT] = file.byte_count;
}

static int note(void *context, const struct log_found *found)
{
	*(uint64_t *)context |= UINT64_C(1) << found->record->key.sequence;
	return 0;
}

/* Bits of the sequences found in the file as it is now. */
static uint64_t scan(struct log_scan *ret_scan)
{
	uint64_t found = 0;
	int fd;

	work_write("file", file.bytes, file.byte_count);
	fd = work_open("file");
	CHECK_EQ(log_reader_scan(fd, note, &found, ret_scan), 0);
	CHECK_EQ(ret_scan->record_count, __builtin_popcountll(found));
	close(fd);
	return found;
}

static void damage_costs_what_is_damaged(void)
{
	for (int damaged = 0; damaged < RECORD_COUNT - 1; damaged++) {
		struct log_scan result;

		begin();
		file.bytes[offsets[damaged] + 30] ^= 1; /* its header */
		CHECK_EQ(scan(&result), 0xff & ~(1u << damaged));
		CHECK_EQ(result.damaged_count, 1);
		CHECK_EQ(result.damaged_bytes, offsets[damaged + 1] - offsets[damaged]);
		CHECK_EQ(result.torn_bytes, 0);
		file.bytes[offsets[damaged] + 30] ^= 1;
		file.bytes[offsets[damaged + 1] - 20] ^= 1; /* its payload */
		CHECK_EQ(scan(&result), 0xff & ~(1u << damaged));
		CHECK_EQ(result.damaged_count, 1);
		CHECK_EQ(result.damaged_bytes, offsets[damaged + 1] - offsets[damaged]);
		bytes_writer_done(&file);
	}
}

static void damaged_neighbours_are_one_stretch(void)
{
	struct log_scan result;

	begin();
	file.bytes[offsets[2] + 30] ^= 1;
	file.bytes[offsets[4] - 20] ^= 1;
	file.bytes[offsets[4] + 1] ^= 1;
	CHECK_EQ(scan(&result), 0xe3);
	CHECK_EQ(result.damaged_count, 1);
	CHECK_EQ(result.damaged_bytes, offsets[5] - offsets[2]);
	bytes_writer_done(&file);
}

static void a_length_beyond_the_file_is_a_torn_end(void)
{
	struct log_scan result;

	begin();
	file.byte_count = offsets[4] - 8;
	CHECK_EQ(scan(&result), 7);
	CHECK_EQ(result.torn_bytes, offsets[4] - 8 - offsets[3]);
	CHECK_EQ(result.intact_bytes, offsets[3]);
	CHECK_EQ(result.damaged_count, 0);
	bytes_writer_done(&file);
}

static void a_file_without_a_sound_header_still_gives_its_records(void)
{
	struct log_scan result;

	begin();
	file.bytes[9] ^= 1;
	CHECK_EQ(scan(&result), 0xff);
	bytes_writer_done(&file);
}

static void records_of_a_kind_from_later_are_passed_over(void)
{
	struct log_scan result;

	begin();
	write_record(20, 77, 50);
	write_record(21, LOG_RECORD_PROFILE, 50);
	CHECK_EQ(scan(&result), 0xff | 1 << 21);
	CHECK_EQ(result.damaged_count, 0);
	CHECK_EQ(result.intact_bytes, file.byte_count);
	bytes_writer_done(&file);
}

/* Damage in front of an index is damage, not an end: it stays where it is. */
static void an_index_ends_what_was_finished(void)
{
	struct log_scan result;
	uint64_t end;

	begin();
	end = file.byte_count;
	write_record(0, LOG_RECORD_INDEX, 50);
	CHECK_EQ(scan(&result), 0xff);
	CHECK_EQ(result.intact_bytes, end);
	CHECK_EQ(result.torn_bytes, 0);
	file.bytes[offsets[7] + 30] ^= 1;
	CHECK_EQ(scan(&result), 0x7f);
	CHECK_EQ(result.damaged_count, 1);
	CHECK_EQ(result.damaged_bytes, end - offsets[7]);
	CHECK_EQ(result.intact_bytes, end);
	CHECK_EQ(result.torn_bytes, 0);
	bytes_writer_done(&file);
}

static int refuse(void *context, const struct log_found *found)
{
	(void)found;
	return ++*(int *)context == 3 ? -ECANCELED : 0;
}

static void a_callback_may_end_the_scan(void)
{
	struct log_scan result;
	int count = 0, fd;

	begin();
	scan(&result);
	fd = work_open("file");
	CHECK_EQ(log_reader_scan(fd, refuse, &count, &result), -ECANCELED);
	CHECK_EQ(count, 3);
	close(fd);
	bytes_writer_done(&file);
}

static void a_record_is_read_only_if_it_is_whole(void)
{
	struct log_record record;
	struct log_scan result;
	uint8_t *bytes = NULL;
	int fd;

	begin();
	scan(&result);
	fd = work_open("file");
	CHECK_EQ(log_reader_read(fd, offsets[3], offsets[4] - offsets[3], &bytes, &record), 0);
	CHECK_EQ(record.key.sequence, 3);
	free(bytes);
	bytes = NULL;
	CHECK_EQ(log_reader_read(fd, offsets[3], offsets[4] - offsets[3] + 8, &bytes, &record),
		-EBADMSG);
	CHECK_EQ(log_reader_read(fd, offsets[3] + 8, offsets[4] - offsets[3], &bytes, &record),
		-EBADMSG);
	CHECK_EQ(log_reader_read(fd, UINT32_MAX, 100, &bytes, &record), -EBADMSG);
	CHECK_EQ(log_reader_read(fd, 0, SIZE_MAX, &bytes, &record), -EBADMSG);
	CHECK_EQ(log_reader_read(fd, 0, 0, &bytes, &record), -EBADMSG);
	CHECK(!bytes);
	close(fd);
	bytes_writer_done(&file);
}

/* Bytes that look like headers everywhere, and noise. */
static void noise_is_searched_to_its_end(void)
{
	struct log_scan result;
	uint64_t random = 6;

	begin();
	for (int i = 0; i < 40000; i++)
		bytes_write_u64(&file, i % 3 ? UINT64_C(0x00000001524e5243) : fake_random(&random));
	write_record(30, LOG_RECORD_PROFILE, 50);
	for (int i = 0; i < 20000; i++)
		bytes_write_u64(&file, UINT64_C(0x00000001524e5243));
	bytes_write_u8(&file, 1);
	CHECK_EQ(scan(&result), 0xff | 1u << 30);
	CHECK_EQ(result.damaged_count, 1);
	CHECK_EQ(result.damaged_bytes, 320000);
	CHECK_EQ(result.torn_bytes, 160001);
	bytes_writer_done(&file);
}

int main(void)
{
	RUN(damage_costs_what_is_damaged);
	RUN(damaged_neighbours_are_one_stretch);
	RUN(a_length_beyond_the_file_is_a_torn_end);
	RUN(a_file_without_a_sound_header_still_gives_its_records);
	RUN(records_of_a_kind_from_later_are_passed_over);
	RUN(an_index_ends_what_was_finished);
	RUN(a_callback_may_end_the_scan);
	RUN(a_record_is_read_only_if_it_is_whole);
	RUN(noise_is_searched_to_its_end);
	return 0;
}
