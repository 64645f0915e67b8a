/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/check.h"

static const char words[] = "what stands in a section, what stands in a section";

static int new_file(void)
{
	int fd = memfd_create("segment", MFD_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}

/* A file of one section and an index, which is a second one. */
static int make_file(struct segment_ref *ret_section)
{
	struct segment_output output;
	struct bytes_writer writer;
	struct segment_ref index;
	int fd = new_file();

	bytes_writer_init(&writer, 1000);
	bytes_write_span(&writer, words, sizeof(words));
	CHECK_EQ(segment_output_begin(&output, fd, 77), 0);
	CHECK_EQ(segment_output_section(&output, &writer, ret_section), 0);
	bytes_write_u8(&writer, 1);
	CHECK_EQ(segment_output_section(&output, &writer, &index), 0);
	CHECK_EQ(segment_output_end(&output, &index), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), output.offset);
	bytes_writer_done(&writer);
	return fd;
}

/* 0 if all of the file is as it was written. */
static int read_file(int fd, const struct segment_ref *section)
{
	struct segment_file file;
	uint8_t *bytes = NULL;
	size_t count = 0;
	int r = segment_file_open(fd, &file);

	if (r < 0)
		return r;
	CHECK_EQ(file.number, 77);
	r = segment_file_read(&file, section, &bytes, &count);
	if (r < 0)
		return r;
	CHECK_EQ(count, sizeof(words));
	CHECK(memcmp(bytes, words, count) == 0);
	free(bytes);
	r = segment_file_read(&file, &file.index, &bytes, &count);
	if (r < 0)
		return r;
	CHECK_EQ(count, sizeof(words) + 1);
	free(bytes);
	return 0;
}

static void sections_come_back_as_they_were(void)
{
	struct segment_ref section;
	int fd = make_file(&section);

	CHECK_EQ(read_file(fd, &section), 0);
	CHECK_EQ(close(fd), 0);
}

static void each_changed_byte_is_seen(void)
{
	struct segment_ref section;
	int fd = make_file(&section);
	off_t size = lseek(fd, 0, SEEK_END);

	for (off_t i = 0; i < size; i++) {
		uint8_t byte, changed;
		int r;

		CHECK_EQ(pread(fd, &byte, 1, i), 1);
		changed = byte ^ 0x10;
		CHECK_EQ(pwrite(fd, &changed, 1, i), 1);
		r = read_file(fd, &section);
		CHECK(r == -EBADMSG || r == -ENOTSUP);
		CHECK_EQ(pwrite(fd, &byte, 1, i), 1);
	}
	CHECK_EQ(read_file(fd, &section), 0);
	CHECK_EQ(close(fd), 0);
}

static void a_file_that_was_cut_is_refused_and_kills_nobody(void)
{
	struct segment_ref section;
	struct segment_file file;
	int fd = make_file(&section);
	off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *bytes;
	size_t count;

	CHECK_EQ(segment_file_open(fd, &file), 0);
	while (size-- > 0) {
		CHECK_EQ(ftruncate(fd, size), 0);
		CHECK_EQ(read_file(fd, &section), -EBADMSG);
	}
	/* Also under a reader that opened it before. */
	CHECK_EQ(segment_file_read(&file, &section, &bytes, &count), -EBADMSG);
	CHECK_EQ(close(fd), 0);
}

static void a_reference_out_of_the_file_is_refused(void)
{
	struct segment_ref section, odd;
	struct segment_file file;
	int fd = make_file(&section);
	uint8_t *bytes;
	size_t count;

	CHECK_EQ(segment_file_open(fd, &file), 0);
	odd = (struct segment_ref){.offset = UINT64_MAX, .byte_count = 10};
	CHECK_EQ(segment_file_read(&file, &odd, &bytes, &count), -EBADMSG);
	odd = (struct segment_ref){.offset = 10, .byte_count = UINT64_MAX};
	CHECK_EQ(segment_file_read(&file, &odd, &bytes, &count), -EBADMSG);
	odd = (struct segment_ref){.offset = 10};
	CHECK_EQ(segment_file_read(&file, &odd, &bytes, &count), -EBADMSG);
	CHECK_EQ(close(fd), 0);
}

static void references_come_back(void)
{
	struct segment_ref refs[] = {{0, 0, 0}, {1, 2, 3}, {UINT64_MAX, UINT64_MAX, UINT64_MAX}};
	struct bytes_writer writer;
	struct bytes_reader reader;

	bytes_writer_init(&writer, 1000);
	for (size_t i = 0; i < 3; i++)
		segment_ref_write(&writer, &refs[i]);
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	for (size_t i = 0; i < 3; i++) {
		struct segment_ref ref = segment_ref_read(&reader);

		CHECK_EQ(ref.offset, refs[i].offset);
		CHECK_EQ(ref.byte_count, refs[i].byte_count);
		CHECK_EQ(ref.checksum, refs[i].checksum);
	}
	CHECK_EQ(bytes_reader_fault(&reader), 0);
	CHECK_EQ(bytes_left(&reader), 0);
	bytes_writer_done(&writer);
}

static void what_cannot_be_written_is_an_error(void)
{
	struct segment_output output;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(segment_output_begin(&output, fd, 1), -ENOSPC);
	CHECK_EQ(close(fd), 0);
}

int main(void)
{
	RUN(sections_come_back_as_they_were);
	RUN(each_changed_byte_is_seen);
	RUN(a_file_that_was_cut_is_refused_and_kills_nobody);
	RUN(a_reference_out_of_the_file_is_refused);
	RUN(references_come_back);
	RUN(what_cannot_be_written_is_an_error);
	return 0;
}
