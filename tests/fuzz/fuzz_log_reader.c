/* SPDX-License-Identifier: Apache-2.0 */
/* Any file is scanned to its end: what is found lies within it, in order; found from the start it
 * also reads back whole, and nothing is counted twice.
 *
 * The checksums of whatever looks like a header, a file header or a trailer are made right first,
 * unless the first byte is zero: a fuzzer does not guess them. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/disk/log_file.h"
#include "store/disk/log_reader.h"
#include "tests/fuzz/fuzz.h"

#define FILE_BYTES_MAX ((size_t)64 << 10)

static void put_u64(uint8_t *at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get_u32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void mend_record(uint8_t *bytes, size_t left)
{
	uint32_t header_bytes = get_u32(bytes + 8), payload_bytes = get_u32(bytes + 12);

	if (header_bytes < LOG_RECORD_HEADER_BYTES_MIN || header_bytes > left)
		return;
	if (payload_bytes <= left - header_bytes)
		put_u64(bytes + 16, hash_bytes(bytes + header_bytes, payload_bytes));
	put_u64(bytes + header_bytes - 8, hash_bytes(bytes, header_bytes - 8));
}

static void mend(uint8_t *bytes, size_t byte_count)
{
	for (size_t at = 0; at + 32 <= byte_count; at += 8) {
		if (memcmp(bytes + at, "CRNR", 4) == 0)
			mend_record(bytes + at, byte_count - at);
		else if (memcmp(bytes + at, "CAIRN", 5) == 0)
			put_u64(bytes + at + 24, hash_bytes(bytes + at, 24));
	}
}

struct walk {
	int fd;
	bool reads; /* what is found must read back */
	uint64_t end; /* of the record before */
	uint64_t count;
	uint64_t file_bytes;
};

static bool are_same(const struct log_scan *one, const struct log_scan *other)
{
	return one->sealed == other->sealed && one->file_bytes == other->file_bytes &&
		one->intact_bytes == other->intact_bytes && one->torn_bytes == other->torn_bytes &&
		one->record_count == other->record_count &&
		one->damaged_count == other->damaged_count &&
		one->damaged_bytes == other->damaged_bytes;
}

static int look(void *context, const struct log_found *found)
{
	struct walk *walk = context;
	size_t byte_count = log_record_bytes(found->record);
	struct log_record record;
	uint8_t *bytes;

	must(found->offset <= walk->file_bytes && byte_count <= walk->file_bytes - found->offset);
	walk->count++;
	if (!walk->reads)
		return 0;
	must(found->offset >= walk->end);
	walk->end = found->offset + byte_count;
	must(log_reader_read(walk->fd, found->offset, byte_count, &bytes, &record) == 0);
	must(memcmp(&record.key, &found->record->key, sizeof(record.key)) == 0);
	free(bytes);
	return 0;
}

static void check_scan(int fd, size_t byte_count)
{
	struct walk walk = {.fd = fd, .file_bytes = byte_count};
	struct log_scan scan, again;

	if (log_reader_scan(fd, look, &walk, &scan) < 0)
		return;
	must(scan.record_count >= walk.count);
	must(scan.intact_bytes <= scan.file_bytes && scan.torn_bytes <= scan.file_bytes);
	must(scan.damaged_bytes <= scan.intact_bytes);
	if (scan.sealed)
		return;
	must(scan.record_count == walk.count);
	walk = (struct walk){.fd = fd, .reads = true, .file_bytes = byte_count};
	must(log_reader_scan(fd, look, &walk, &again) == 0);
	must(are_same(&scan, &again));
	must(walk.end <= scan.intact_bytes);
	/* Cut there, nothing is lost; nothing is torn either, unless there was damage in front of
	 * an index, which ends nothing any more now. */
	if (ftruncate(fd, (off_t)scan.intact_bytes) < 0)
		abort();
	walk = (struct walk){.fd = fd, .reads = true, .file_bytes = scan.intact_bytes};
	must(log_reader_scan(fd, look, &walk, &again) == 0);
	must(again.record_count == scan.record_count);
	must(again.torn_bytes == 0 || scan.damaged_count > 0);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	uint8_t *file;

	if (byte_count > FILE_BYTES_MAX)
		byte_count = FILE_BYTES_MAX;
	file = malloc(byte_count + 1);
	must(fd >= 0 && file);
	memcpy(file, bytes, byte_count);
	if (byte_count > 0 && file[0] != 0)
		mend(file, byte_count);
	must(write(fd, file, byte_count) == (ssize_t)byte_count);
	free(file);
	check_scan(fd, byte_count);
	close(fd);
}
