/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/disk/log_reader.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static int folder_fd(void)
{
	int fd = open(work_dir(), O_RDONLY | O_DIRECTORY);

	CHECK(fd >= 0);
	return fd;
}

/* Appends a record whose sequence is NUMBER. */
static int append(struct log_file *file, uint64_t number)
{
	struct log_record record = {.kind = LOG_RECORD_PROFILE,
		.key = {{1}, number},
		.start_ns = number,
		.until_ns = number + 1,
		.host = {"a", 1}};
	struct bytes_writer writer;
	int r;

	bytes_writer_init(&writer, LOG_RECORD_BYTES_MAX);
	CHECK_EQ(log_record_write(&record, "stones", (size_t)number % 7, &writer), 0);
	r = log_file_append(file, writer.bytes, writer.byte_count);
	bytes_writer_done(&writer);
	return r;
}

struct sequence {
	uint64_t next;
	uint64_t offset;
};

static int expect_next(void *context, const struct log_found *found)
{
	struct sequence *sequence = context;

	CHECK_EQ(found->record->key.sequence, sequence->next++);
	CHECK(found->offset > sequence->offset);
	sequence->offset = found->offset;
	return 0;
}

static struct log_scan scan_for(const char *name, uint64_t expected)
{
	struct sequence sequence = {0};
	struct log_scan scan;
	int fd = work_open(name);

	CHECK_EQ(log_reader_scan(fd, expect_next, &sequence, &scan), 0);
	CHECK_EQ(sequence.next, expected);
	CHECK_EQ(scan.record_count, expected);
	CHECK_EQ(scan.damaged_count, 0);
	CHECK_EQ(scan.torn_bytes, 0);
	close(fd);
	return scan;
}

static void records_are_there_before_and_after_the_seal(void)
{
	struct log_file file;
	int dir_fd = folder_fd();

	CHECK_EQ(log_file_create(&file, dir_fd, "one", 1), 0);
	CHECK(!scan_for("one", 0).sealed);
	for (uint64_t i = 0; i < 100; i++)
		CHECK_EQ(append(&file, i), 0);
	CHECK_EQ(log_file_commit(&file), 0);
	CHECK(!scan_for("one", 100).sealed);
	CHECK_EQ(log_file_seal(&file), 0);
	CHECK(scan_for("one", 100).sealed);
	CHECK(scan_for("one", 100).file_bytes == file.byte_count);
	log_file_done(&file);
	log_file_done(&file);
	close(dir_fd);
}

static void a_file_that_exists_is_not_touched(void)
{
	struct log_file file = {.fd = -1};
	int dir_fd = folder_fd();

	work_write_text("there", "mine");
	CHECK_EQ(log_file_create(&file, dir_fd, "there", 1), -EEXIST);
	CHECK_EQ(work_try("test \"$(cat there)\" = mine"), 0);
	close(dir_fd);
}

static void what_was_not_committed_is_taken_back(void)
{
	struct log_file file;
	int dir_fd = folder_fd();

	CHECK_EQ(log_file_create(&file, dir_fd, "back", 1), 0);
	for (uint64_t i = 0; i < 5; i++)
		CHECK_EQ(append(&file, i), 0);
	CHECK_EQ(log_file_commit(&file), 0);
	for (uint64_t i = 77; i < 80; i++)
		CHECK_EQ(append(&file, i), 0);
	CHECK_EQ(log_file_rollback(&file), 0);
	CHECK_EQ(file.record_count, 5);
	for (uint64_t i = 5; i < 9; i++)
		CHECK_EQ(append(&file, i), 0);
	CHECK_EQ(log_file_commit(&file), 0);
	scan_for("back", 9);
	CHECK_EQ(log_file_seal(&file), 0);
	CHECK(scan_for("back", 9).sealed);
	log_file_done(&file);
	close(dir_fd);
}

static int collect(void *context, const struct log_found *found)
{
	return log_file_add_header(
		context, found->offset, found->header, found->record->header_bytes);
}

static void a_file_left_open_can_be_sealed_later(void)
{
	struct log_file file, again;
	struct log_scan scan;
	int dir_fd = folder_fd(), fd;

	CHECK_EQ(log_file_create(&file, dir_fd, "left", 1), 0);
	for (uint64_t i = 0; i < 20; i++)
		CHECK_EQ(append(&file, i), 0);
	log_file_done(&file);
	fd = openat(dir_fd, "left", O_RDWR);
	scan = scan_for("left", 20);
	log_file_resume(&again, fd, 1, scan.intact_bytes);
	CHECK_EQ(log_reader_scan(fd, collect, &again, &scan), 0);
	CHECK_EQ(log_file_seal(&again), 0);
	log_file_done(&again);
	CHECK(scan_for("left", 20).sealed);
	close(dir_fd);
}

static void header_and_trailer_are_checked(void)
{
	struct bytes_writer writer;
	uint64_t number = 7;

	bytes_writer_init(&writer, 100);
	log_file_write_header(&writer, 12);
	CHECK_EQ(writer.byte_count, LOG_FILE_HEADER_BYTES);
	CHECK_EQ(log_file_parse_header(writer.bytes, &number), 0);
	CHECK_EQ(number, 12);
	for (size_t bit = 0; bit < LOG_FILE_HEADER_BYTES * 8; bit++) {
		writer.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK_EQ(log_file_parse_header(writer.bytes, &number), -EBADMSG);
		CHECK_EQ(log_file_parse_trailer(writer.bytes, &number), -EBADMSG);
		writer.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	CHECK_EQ(number, 12);
	bytes_writer_done(&writer);
}

int main(void)
{
	RUN(records_are_there_before_and_after_the_seal);
	RUN(a_file_that_exists_is_not_touched);
	RUN(what_was_not_committed_is_taken_back);
	RUN(a_file_left_open_can_be_sealed_later);
	RUN(header_and_trailer_are_checked);
	return 0;
}
