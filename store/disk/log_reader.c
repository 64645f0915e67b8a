/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/log_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "store/disk/log_file.h"

/* The index of a full file is a few MiB; this bounds what a damaged one may ask for. */
#define INDEX_BYTES_MAX ((size_t)256 << 20)
/* Read at once when looking for the next header behind damage. */
#define SEARCH_BYTES ((size_t)64 << 10)

/* Fills BYTES as far as the file goes. */
static int read_at(int fd, uint64_t offset, uint8_t *bytes, size_t byte_count, size_t *ret_got)
{
	size_t got = 0;

	while (got < byte_count) {
		ssize_t r = pread(fd, bytes + got, byte_count - got, (off_t)(offset + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	*ret_got = got;
	return 0;
}

int log_reader_read(int fd, uint64_t offset, size_t byte_count, uint8_t **ret_bytes,
	struct log_record *ret_record)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct log_record record;
	size_t got = 0;
	int r;

	if (byte_count > LOG_RECORD_BYTES_MAX + LOG_RECORD_ALIGN_BYTES)
		return -EBADMSG;
	bytes = malloc(byte_count ? byte_count : 1);
	if (!bytes)
		return -ENOMEM;
	r = read_at(fd, offset, bytes, byte_count, &got);
	if (r < 0)
		return r;
	if (got < byte_count || log_record_parse(bytes, byte_count, &record) < 0 ||
		log_record_bytes(&record) != byte_count ||
		!log_record_payload_intact(&record, bytes + record.header_bytes))
		return -EBADMSG;
	*ret_bytes = TAKE(bytes);
	*ret_record = record;
	return 0;
}

/* The payload of the index record, decompressed. */
static int read_index(int fd, uint64_t file_bytes, uint8_t **ret_index, size_t *ret_byte_count,
	uint64_t *ret_offset)
{
	uint8_t trailer[LOG_FILE_TRAILER_BYTES];
	SCOPED_FREE uint8_t *bytes = NULL;
	struct log_record record;
	uint64_t offset, end;
	size_t got = 0;
	int r;

	if (file_bytes < LOG_FILE_HEADER_BYTES + LOG_FILE_TRAILER_BYTES)
		return -EBADMSG;
	end = file_bytes - LOG_FILE_TRAILER_BYTES;
	r = read_at(fd, end, trailer, sizeof(trailer), &got);
	if (r < 0)
		return r;
	if (got < sizeof(trailer) || log_file_parse_trailer(trailer, &offset) < 0 ||
		offset < LOG_FILE_HEADER_BYTES || offset >= end)
		return -EBADMSG;
	if (end - offset > LOG_RECORD_BYTES_MAX)
		return -EBADMSG;
	r = log_reader_read(fd, offset, end - offset, &bytes, &record);
	if (r < 0)
		return r;
	if (record.kind != LOG_RECORD_INDEX)
		return -EBADMSG;
	r = decompress_bytes(bytes + record.header_bytes, record.payload_bytes, INDEX_BYTES_MAX,
		ret_index, ret_byte_count);
	if (r == 0)
		*ret_offset = offset;
	return r;
}

/* One entry of an index: an offset and a header, which lies before the index. */
static int read_entry(struct bytes_reader *reader, uint64_t end, struct log_found *ret_found,
	struct log_record *ret_record)
{
	uint64_t offset = bytes_read_varint(reader);
	const uint8_t *header = reader->at;

	if (bytes_reader_fault(reader) < 0 ||
		log_record_parse(header, bytes_left(reader), ret_record) < 0)
		return -EBADMSG;
	bytes_read_span(reader, ret_record->header_bytes);
	if (offset < LOG_FILE_HEADER_BYTES || offset > end ||
		log_record_bytes(ret_record) > end - offset)
		return -EBADMSG;
	*ret_found = (struct log_found){offset, header, ret_record};
	return 0;
}

/* Walks the entries of an index; without FN it only checks them, so that a bad index is noticed
 * before anything was handed out. */
static int walk_index(const uint8_t *index, size_t byte_count, uint64_t end, log_reader_fn fn,
	void *context, uint64_t *ret_count)
{
	struct bytes_reader reader;
	struct log_record record;
	struct log_found found;
	uint64_t count = 0;

	bytes_reader_init(&reader, index, byte_count);
	for (; bytes_left(&reader) > 0; count++) {
		int r = read_entry(&reader, end, &found, &record);

		if (r == 0 && fn && record.kind == LOG_RECORD_PROFILE)
			r = fn(context, &found);
		if (r != 0)
			return r;
	}
	*ret_count = count;
	return 0;
}

struct walk {
	int fd;
	log_reader_fn fn;
	void *context;
	struct log_scan *scan;
	uint64_t offset;
	uint64_t suspect; /* where an unreadable stretch began; 0: none, since a file header is
			     there */
	bool closed; /* an index was met: nothing of ours follows */
	uint8_t header[LOG_RECORD_HEADER_BYTES_MAX];
	struct log_record record;
};

/* Reads what may be a header at OFFSET; -EBADMSG if it is none. */
static int read_header(struct walk *walk, uint64_t offset)
{
	size_t got = 0;
	int r = read_at(walk->fd, offset, walk->header, sizeof(walk->header), &got);

	return r < 0 ? r : log_record_parse(walk->header, got, &walk->record);
}

/* Moves on to the next intact header behind the present offset, or to the end of the file. */
static int search_header(struct walk *walk)
{
	SCOPED_FREE uint8_t *bytes = malloc(SEARCH_BYTES);
	uint64_t at = walk->offset + LOG_RECORD_ALIGN_BYTES;

	if (!bytes)
		return -ENOMEM;
	while (at < walk->scan->file_bytes) {
		size_t got = 0;
		int r = read_at(walk->fd, at, bytes, SEARCH_BYTES, &got);

		if (r < 0)
			return r;
		for (size_t i = 0; i + 4 <= got; i += LOG_RECORD_ALIGN_BYTES) {
			if (memcmp(bytes + i, "CRNR", 4) != 0)
				continue;
			r = read_header(walk, at + i);
			if (r != -EBADMSG) {
				walk->offset = at + i;
				return r;
			}
		}
		if (got < SEARCH_BYTES)
			break;
		at += SEARCH_BYTES;
	}
	walk->offset = walk->scan->file_bytes;
	return 0;
}

static void end_suspicion(struct walk *walk)
{
	if (walk->suspect == 0)
		return;
	walk->scan->damaged_count++;
	walk->scan->damaged_bytes += walk->offset - walk->suspect;
	walk->suspect = 0;
}

/* An intact header is at the present offset: looks at its payload and moves on behind it. */
static int take_record(struct walk *walk)
{
	struct log_found found = {walk->offset, walk->header, &walk->record};
	size_t byte_count = log_record_bytes(&walk->record);
	SCOPED_FREE uint8_t *bytes = NULL;
	struct log_record record;
	int r;

	if (byte_count > walk->scan->file_bytes - walk->offset)
		r = -EBADMSG;
	else
		r = log_reader_read(walk->fd, walk->offset, byte_count, &bytes, &record);
	if (r == -EBADMSG) {
		uint64_t left = walk->scan->file_bytes - walk->offset;

		if (walk->suspect == 0)
			walk->suspect = walk->offset;
		walk->offset += byte_count < left ? byte_count : left;
		return 0;
	}
	if (r < 0)
		return r;
	end_suspicion(walk);
	walk->closed = walk->record.kind == LOG_RECORD_INDEX;
	if (!walk->closed)
		walk->offset += byte_count;
	walk->scan->intact_bytes = walk->offset;
	if (walk->record.kind != LOG_RECORD_PROFILE)
		return 0;
	walk->scan->record_count++;
	return walk->fn(walk->context, &found);
}

static int walk_records(struct walk *walk)
{
	struct log_scan *scan = walk->scan;

	walk->offset = LOG_FILE_HEADER_BYTES;
	scan->intact_bytes = scan->file_bytes < LOG_FILE_HEADER_BYTES ? 0 : LOG_FILE_HEADER_BYTES;
	while (!walk->closed && walk->offset < scan->file_bytes) {
		int r = read_header(walk, walk->offset);

		if (r == -EBADMSG) {
			if (walk->suspect == 0)
				walk->suspect = walk->offset;
			r = search_header(walk);
		} else if (r == 0) {
			r = take_record(walk);
		}
		if (r != 0)
			return r;
	}
	if (!walk->closed)
		scan->torn_bytes = scan->file_bytes - scan->intact_bytes;
	return 0;
}

static int check_file_header(int fd, const struct log_scan *scan)
{
	uint8_t bytes[LOG_FILE_HEADER_BYTES];
	uint64_t number;
	size_t got = 0;
	int r = read_at(fd, 0, bytes, sizeof(bytes), &got);

	if (r < 0 || got < sizeof(bytes) || scan->file_bytes < sizeof(bytes))
		return r;
	/* Records speak for themselves: a damaged file header costs nothing but itself. */
	r = log_file_parse_header(bytes, &number);
	return r == -ENOTSUP ? r : 0;
}

static int scan_by_index(int fd, log_reader_fn fn, void *context, struct log_scan *scan)
{
	SCOPED_FREE uint8_t *index = NULL;
	size_t byte_count = 0;
	uint64_t end = 0;
	int r = read_index(fd, scan->file_bytes, &index, &byte_count, &end);

	if (r == 0)
		r = walk_index(index, byte_count, end, NULL, NULL, &scan->record_count);
	if (r < 0)
		return r;
	scan->sealed = true;
	scan->intact_bytes = scan->file_bytes;
	return walk_index(index, byte_count, end, fn, context, &scan->record_count);
}

static int begin_scan(int fd, struct log_scan *scan)
{
	struct stat status;

	*scan = (struct log_scan){0};
	if (fstat(fd, &status) < 0)
		return -errno;
	*scan = (struct log_scan){.file_bytes = (uint64_t)status.st_size};
	return check_file_header(fd, scan);
}

static int scan_by_walk(int fd, log_reader_fn fn, void *context, struct log_scan *scan)
{
	SCOPED_FREE struct walk *walk = calloc(1, sizeof(*walk));

	if (!walk)
		return -ENOMEM;
	*walk = (struct walk){.fd = fd, .fn = fn, .context = context, .scan = scan};
	return walk_records(walk);
}

int log_reader_walk(int fd, log_reader_fn fn, void *context, struct log_scan *ret_scan)
{
	struct log_scan scan;
	int r = begin_scan(fd, &scan);

	if (r == 0)
		r = scan_by_walk(fd, fn, context, &scan);
	if (r == 0)
		*ret_scan = scan;
	return r;
}

int log_reader_scan(int fd, log_reader_fn fn, void *context, struct log_scan *ret_scan)
{
	struct log_scan scan;
	int r = begin_scan(fd, &scan);

	if (r < 0)
		return r;
	r = scan_by_index(fd, fn, context, &scan);
	if (r < 0 && !scan.sealed && r != -ENOMEM)
		r = scan_by_walk(fd, fn, context, &scan);
	if (r == 0)
		*ret_scan = scan;
	return r;
}
