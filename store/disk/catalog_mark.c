/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/base/whole_io.h"
#include "store/disk/catalog_tables.h"

#define MARK_NAME "closed-in-order"
#define MARK_NEW_NAME "closed-in-order.new"
#define DATA_NAME "data.mdb"
#define LOCK_NAME "lock.mdb"
static const char magic[8] = {'C', 'R', 'N', 'C', 'A', 'T', 'M', 'K'};
#define MARK_BYTES 48
#define READ_BYTES ((size_t)1 << 20)

static int open_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int parse(const uint8_t bytes[MARK_BYTES], struct catalog_mark *ret_mark)
{
	struct bytes_reader reader;
	uint32_t version;

	bytes_reader_init(&reader, bytes, MARK_BYTES);
	if (memcmp(bytes_read_span(&reader, sizeof(magic)), magic, sizeof(magic)) != 0)
		return -ENOENT;
	version = bytes_read_u32(&reader);
	(void)bytes_read_u32(&reader);
	ret_mark->watermark = bytes_read_u64(&reader);
	ret_mark->byte_count = bytes_read_u64(&reader);
	ret_mark->hash = bytes_read_u64(&reader);
	if (version != CATALOG_VERSION ||
		bytes_read_u64(&reader) != hash_bytes(bytes, MARK_BYTES - 8))
		return -ENOENT;
	return 0;
}

static int read_mark(int folder_fd, struct catalog_mark *ret_mark)
{
	uint8_t bytes[MARK_BYTES];
	struct stat status;
	SCOPED_FD int fd = openat(folder_fd, MARK_NAME, O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (status.st_size != MARK_BYTES)
		return -ENOENT;
	r = whole_read_at(fd, 0, bytes, sizeof(bytes));
	return r == 0 ? parse(bytes, ret_mark) : r;
}

int catalog_mark_take(const char *folder, struct catalog_mark *ret_mark)
{
	SCOPED_FD int folder_fd = open_folder(folder);
	struct catalog_mark mark;
	int r;

	if (folder_fd < 0)
		return folder_fd;
	r = read_mark(folder_fd, &mark);
	if (unlinkat(folder_fd, MARK_NAME, 0) < 0) {
		if (errno != ENOENT)
			return -errno;
	} else if (fsync(folder_fd) < 0) {
		return -errno;
	}
	if (r == 0)
		*ret_mark = mark;
	return r;
}

/* Piece by piece: each hash is of the one before and of the next piece. */
static int hash_file(int fd, uint64_t byte_count, uint64_t *ret_hash)
{
	SCOPED_FREE uint8_t *buffer = malloc(READ_BYTES);
	uint64_t hash = 0;
	int r = buffer ? 0 : -ENOMEM;

	for (uint64_t at = 0; r == 0 && at < byte_count; at += READ_BYTES) {
		size_t piece =
			byte_count - at < READ_BYTES ? (size_t)(byte_count - at) : READ_BYTES;

		r = whole_read_at(fd, at, buffer, piece);
		if (r == 0) {
			const uint64_t both[2] = {hash, hash_bytes(buffer, piece)};

			hash = hash_bytes(both, sizeof(both));
		}
	}
	if (r == 0)
		*ret_hash = hash;
	return r;
}

static int measure(int folder_fd, struct catalog_mark *mark)
{
	SCOPED_FD int fd = openat(folder_fd, DATA_NAME, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	mark->byte_count = (uint64_t)status.st_size;
	return hash_file(fd, mark->byte_count, &mark->hash);
}

int catalog_mark_verify(const char *folder, const struct catalog_mark *mark)
{
	SCOPED_FD int folder_fd = open_folder(folder);
	struct catalog_mark found = {0};
	int r = folder_fd < 0 ? folder_fd : measure(folder_fd, &found);

	if (r < 0)
		return r;
	return found.byte_count == mark->byte_count && found.hash == mark->hash ? 0 : -ENOENT;
}

static int write_mark(int folder_fd, const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FD int fd =
		openat(folder_fd, MARK_NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	int r = fd < 0 ? -errno : whole_write(fd, bytes, byte_count);

	if (r == 0 && fdatasync(fd) < 0)
		r = -errno;
	if (r == 0 && renameat(folder_fd, MARK_NEW_NAME, folder_fd, MARK_NAME) < 0)
		r = -errno;
	if (r == 0 && fsync(folder_fd) < 0)
		r = -errno;
	return r;
}

int catalog_mark_leave(const char *folder, uint64_t watermark)
{
	SCOPED_FD int folder_fd = open_folder(folder);
	struct catalog_mark mark = {.watermark = watermark};
	struct bytes_writer writer;
	int r = folder_fd < 0 ? folder_fd : measure(folder_fd, &mark);

	if (r < 0)
		return r;
	bytes_writer_init(&writer, MARK_BYTES);
	bytes_write_span(&writer, magic, sizeof(magic));
	bytes_write_u32(&writer, CATALOG_VERSION);
	bytes_write_u32(&writer, 0);
	bytes_write_u64(&writer, mark.watermark);
	bytes_write_u64(&writer, mark.byte_count);
	bytes_write_u64(&writer, mark.hash);
	r = bytes_writer_fault(&writer);
	if (r == 0)
		bytes_write_u64(&writer, hash_bytes(writer.bytes, writer.byte_count));
	r = bytes_writer_fault(&writer);
	if (r == 0)
		r = write_mark(folder_fd, writer.bytes, writer.byte_count);
	bytes_writer_done(&writer);
	return r;
}

void catalog_mark_wipe(const char *folder)
{
	static const char *const names[] = {MARK_NAME, MARK_NEW_NAME, DATA_NAME, LOCK_NAME};
	SCOPED_FD int folder_fd = open_folder(folder);

	/* What cannot be deleted shows when the file is opened anew. */
	for (size_t i = 0; folder_fd >= 0 && i < sizeof(names) / sizeof(names[0]); i++)
		(void)unlinkat(folder_fd, names[i], 0);
}
