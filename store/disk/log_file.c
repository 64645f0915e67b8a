/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   file header | record | record | ... | index record | trailer
 *                                         ^              |
 *                                         +--------------+
 *
 * The trailer leads to the index and the index to every record, so that opening a store costs two
 * reads a file, however many records there are. A file without them is read from its start.
 */
#include "store/disk/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "store/base/hash.h"

static const uint8_t header_magic[8] = {'C', 'A', 'I', 'R', 'N', 'L', 'O', 'G'};
static const uint8_t trailer_magic[8] = {'C', 'A', 'I', 'R', 'N', 'E', 'N', 'D'};

#define INDEX_ZSTD_LEVEL 3

/* Writes the checksum of the last BYTE_COUNT bytes. */
static void write_checksum(struct bytes_writer *writer, size_t byte_count)
{
	if (!bytes_writer_fault(writer))
		bytes_write_u64(writer,
			hash_bytes(writer->bytes + writer->byte_count - byte_count, byte_count));
}

void log_file_write_header(struct bytes_writer *writer, uint64_t number)
{
	bytes_write_span(writer, header_magic, sizeof(header_magic));
	bytes_write_u32(writer, LOG_FILE_VERSION);
	bytes_write_u32(writer, 0);
	bytes_write_u64(writer, number);
	write_checksum(writer, LOG_FILE_HEADER_BYTES - 8);
}

int log_file_parse_header(const uint8_t *bytes, uint64_t *ret_number)
{
	struct bytes_reader reader;
	uint32_t version;
	uint64_t number;

	bytes_reader_init(&reader, bytes + sizeof(header_magic),
		LOG_FILE_HEADER_BYTES - sizeof(header_magic));
	version = bytes_read_u32(&reader);
	bytes_read_u32(&reader);
	number = bytes_read_u64(&reader);
	if (memcmp(bytes, header_magic, sizeof(header_magic)) != 0 ||
		bytes_read_u64(&reader) != hash_bytes(bytes, LOG_FILE_HEADER_BYTES - 8))
		return -EBADMSG;
	if (version != LOG_FILE_VERSION)
		return -ENOTSUP;
	*ret_number = number;
	return 0;
}

static void write_trailer(struct bytes_writer *writer, uint64_t index_offset)
{
	bytes_write_span(writer, trailer_magic, sizeof(trailer_magic));
	bytes_write_u64(writer, index_offset);
	bytes_write_u64(writer, 0);
	write_checksum(writer, LOG_FILE_TRAILER_BYTES - 8);
}

int log_file_parse_trailer(const uint8_t *bytes, uint64_t *ret_index_offset)
{
	struct bytes_reader reader;
	uint64_t offset;

	bytes_reader_init(&reader, bytes + sizeof(trailer_magic),
		LOG_FILE_TRAILER_BYTES - sizeof(trailer_magic));
	offset = bytes_read_u64(&reader);
	bytes_read_u64(&reader);
	if (memcmp(bytes, trailer_magic, sizeof(trailer_magic)) != 0 ||
		bytes_read_u64(&reader) != hash_bytes(bytes, LOG_FILE_TRAILER_BYTES - 8))
		return -EBADMSG;
	*ret_index_offset = offset;
	return 0;
}

/* The kernel may take less than it was given, so this asks until all of it is taken. */
static int write_at(int fd, const uint8_t *bytes, size_t byte_count, uint64_t offset)
{
	while (byte_count > 0) {
		ssize_t written = pwrite(fd, bytes, byte_count, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		if (written == 0)
			return -EIO;
		bytes += written;
		offset += (uint64_t)written;
		byte_count -= (size_t)written;
	}
	return 0;
}

static void start(struct log_file *file, int fd, uint64_t number, uint64_t byte_count)
{
	*file = (struct log_file){.fd = fd, .number = number};
	file->byte_count = file->durable_bytes = byte_count;
	bytes_writer_init(
		&file->headers, (size_t)LOG_FILE_RECORD_COUNT_MAX * LOG_RECORD_HEADER_BYTES_MAX);
}

int log_file_create(struct log_file *file, int dir_fd, const char *name, uint64_t number)
{
	struct bytes_writer header;
	SCOPED_FD int fd = -1;
	int r;

	bytes_writer_init(&header, LOG_FILE_HEADER_BYTES);
	log_file_write_header(&header, number);
	r = bytes_writer_fault(&header);
	if (r == 0) {
		fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
		r = fd < 0 ? -errno : write_at(fd, header.bytes, header.byte_count, 0);
	}
	bytes_writer_done(&header);
	if (r < 0) {
		if (fd >= 0)
			unlinkat(dir_fd, name, 0);
		return r;
	}
	start(file, TAKE_FD(fd), number, LOG_FILE_HEADER_BYTES);
	return 0;
}

void log_file_resume(struct log_file *file, int fd, uint64_t number, uint64_t byte_count)
{
	start(file, fd, number, byte_count);
}

int log_file_add_header(
	struct log_file *file, uint64_t offset, const uint8_t *header, size_t header_bytes)
{
	int r;

	bytes_write_varint(&file->headers, offset);
	bytes_write_span(&file->headers, header, header_bytes);
	r = bytes_writer_fault(&file->headers);
	if (r < 0)
		return r;
	file->record_count++;
	return 0;
}

int log_file_append(struct log_file *file, const uint8_t *bytes, size_t byte_count)
{
	struct log_record record;
	int r = log_record_parse(bytes, byte_count, &record);

	if (r == 0)
		r = write_at(file->fd, bytes, byte_count, file->byte_count);
	if (r < 0)
		return r;
	r = log_file_add_header(file, file->byte_count, bytes, record.header_bytes);
	if (r < 0)
		return r;
	file->byte_count += byte_count;
	return 0;
}

int log_file_commit(struct log_file *file)
{
	if (fdatasync(file->fd) < 0)
		return -errno;
	file->durable_bytes = file->byte_count;
	file->durable_count = file->record_count;
	file->durable_headers = file->headers.byte_count;
	return 0;
}

int log_file_rollback(struct log_file *file)
{
	if (ftruncate(file->fd, (off_t)file->durable_bytes) < 0)
		return -errno;
	file->byte_count = file->durable_bytes;
	file->record_count = file->durable_count;
	file->headers.byte_count = file->durable_headers;
	file->headers.fault = 0;
	return 0;
}

static int write_index(
	const struct log_file *file, const void *payload, size_t byte_count, uint64_t *ret_bytes)
{
	struct log_record record = {.kind = LOG_RECORD_INDEX};
	struct bytes_writer writer;
	int r;

	if (byte_count > BLOCK_BYTES_MAX)
		return -EFBIG;
	bytes_writer_init(&writer, LOG_RECORD_BYTES_MAX + LOG_FILE_TRAILER_BYTES);
	r = log_record_write(&record, payload, byte_count, &writer);
	write_trailer(&writer, file->byte_count);
	if (r == 0)
		r = bytes_writer_fault(&writer);
	if (r == 0)
		r = write_at(file->fd, writer.bytes, writer.byte_count, file->byte_count);
	if (r == 0)
		*ret_bytes = writer.byte_count;
	bytes_writer_done(&writer);
	return r;
}

int log_file_seal(struct log_file *file)
{
	SCOPED_FREE uint8_t *payload = NULL;
	uint64_t index_bytes;
	size_t byte_count;
	int r = compress_bytes(file->headers.bytes, file->headers.byte_count, INDEX_ZSTD_LEVEL,
		&payload, &byte_count);

	if (r == 0)
		r = write_index(file, payload, byte_count, &index_bytes);
	if (r != 0)
		return r;
	file->byte_count += index_bytes;
	return log_file_commit(file);
}

void log_file_done(struct log_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	bytes_writer_done(&file->headers);
	*file = (struct log_file){.fd = -1};
}
