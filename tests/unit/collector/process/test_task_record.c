/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/task_record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "store/base/bytes.h"
#include "tests/support/check.h"

static struct bytes_writer writer;

static void begin(uint32_t type, uint16_t misc)
{
	bytes_writer_init(&writer, 1 << 16);
	bytes_write_u32(&writer, type);
	bytes_write_u16(&writer, misc);
	bytes_write_u16(&writer, 0);
}

static void write_text(const char *text)
{
	bytes_write_span(&writer, text, strlen(text) + 1);
	while (writer.byte_count % 8 != 0)
		bytes_write_u8(&writer, 0);
}

/* Closes the record and reads it from memory of exactly its size, so that a sanitizer sees a read
 * beyond it. */
static int finish(struct task_record *ret_record, uint8_t **ret_bytes)
{
	size_t byte_count;

	bytes_write_u64(&writer, 4711);
	*ret_bytes = bytes_writer_take(&writer, &byte_count);
	(*ret_bytes)[6] = (uint8_t)byte_count;
	(*ret_bytes)[7] = (uint8_t)(byte_count >> 8);
	return task_record_parse(*ret_bytes, byte_count, ret_record);
}

static void mapping_head(uint64_t start, uint64_t byte_count)
{
	bytes_write_u32(&writer, 10);
	bytes_write_u32(&writer, 11);
	bytes_write_u64(&writer, start);
	bytes_write_u64(&writer, byte_count);
	bytes_write_u64(&writer, 0x2000);
}

static void mapping_tail(const char *path)
{
	bytes_write_u32(&writer, 5);
	bytes_write_u32(&writer, 2);
	write_text(path);
}

static void a_mapping_with_inode_is_read(void)
{
	struct task_record record;
	uint8_t *bytes;

	begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	mapping_head(0x7f0000000000, 0x5000);
	bytes_write_u32(&writer, 254);
	bytes_write_u32(&writer, 1);
	bytes_write_u64(&writer, 99);
	bytes_write_u64(&writer, 7);
	mapping_tail("/usr/lib/libc.so.6");
	CHECK_EQ(finish(&record, &bytes), 0);
	CHECK_EQ(record.kind, TASK_MAPPED);
	CHECK_EQ(record.time_ns, 4711);
	CHECK_EQ(record.pid, 10);
	CHECK_EQ(record.tid, 11);
	CHECK(record.mapped.start == 0x7f0000000000 && record.mapped.byte_count == 0x5000);
	CHECK_EQ(record.mapped.offset, 0x2000);
	CHECK(!build_id_known(&record.mapped.build_id));
	CHECK_EQ(record.mapped.dev_major, 254);
	CHECK_EQ(record.mapped.dev_minor, 1);
	CHECK_EQ(record.mapped.inode, 99);
	CHECK_EQ(record.mapped.generation, 7);
	CHECK_STR(record.mapped.path, "/usr/lib/libc.so.6");
	CHECK_EQ(record.mapped.path_length, strlen("/usr/lib/libc.so.6"));
	free(bytes);
}

static void write_build_id(uint8_t length, uint8_t fill)
{
	bytes_write_u8(&writer, length);
	bytes_write_u8(&writer, 0);
	bytes_write_u16(&writer, 0);
	for (int i = 0; i < 20; i++)
		bytes_write_u8(&writer, i < length ? fill : 0);
}

static void a_mapping_with_build_id_is_read(void)
{
	static const uint8_t id[16] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
	struct task_record record;
	struct build_id expected;
	uint8_t *bytes;

	begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	mapping_head(0x400000, 0x1000);
	write_build_id(16, 9);
	mapping_tail("/bin/a");
	CHECK_EQ(finish(&record, &bytes), 0);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, id, sizeof(id), &expected), 0);
	CHECK(build_id_equal(&record.mapped.build_id, &expected));
	CHECK_EQ(record.mapped.inode, 0);
	CHECK_STR(record.mapped.path, "/bin/a");
	free(bytes);
}

static void an_empty_or_zero_build_id_is_none(void)
{
	struct task_record record;
	uint8_t *bytes;

	for (uint8_t length = 0; length <= 20; length += 20) {
		begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
		mapping_head(0x400000, 0x1000);
		write_build_id(length, 0);
		mapping_tail("/bin/a");
		CHECK_EQ(finish(&record, &bytes), 0);
		CHECK(!build_id_known(&record.mapped.build_id));
		free(bytes);
	}
}

static void names_and_programs_are_told_apart(void)
{
	struct task_record record;
	uint8_t *bytes;

	for (int exec = 0; exec < 2; exec++) {
		begin(PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
		bytes_write_u32(&writer, 10);
		bytes_write_u32(&writer, 11);
		write_text("worker-3");
		CHECK_EQ(finish(&record, &bytes), 0);
		CHECK_EQ(record.kind, TASK_NAMED);
		CHECK_STR(record.named.name, "worker-3");
		CHECK_EQ(record.named.is_exec, exec);
		free(bytes);
	}
}

static void forks_exits_and_losses_are_read(void)
{
	static const uint32_t types[] = {PERF_RECORD_FORK, PERF_RECORD_EXIT};
	static const enum task_record_kind kinds[] = {TASK_FORKED, TASK_EXITED};
	struct task_record record;
	uint8_t *bytes;

	for (int i = 0; i < 2; i++) {
		begin(types[i], 0);
		bytes_write_u32(&writer, 20);
		bytes_write_u32(&writer, 10);
		bytes_write_u32(&writer, 21);
		bytes_write_u32(&writer, 11);
		bytes_write_u64(&writer, 1);
		CHECK_EQ(finish(&record, &bytes), 0);
		CHECK_EQ(record.kind, kinds[i]);
		CHECK_EQ(record.pid, 20);
		CHECK_EQ(record.tid, 21);
		CHECK_EQ(record.parent_pid, 10);
		free(bytes);
	}
	begin(PERF_RECORD_LOST, 0);
	bytes_write_u64(&writer, 1);
	bytes_write_u64(&writer, 250);
	CHECK_EQ(finish(&record, &bytes), 0);
	CHECK_EQ(record.kind, TASK_LOST);
	CHECK_EQ(record.lost_count, 250);
	free(bytes);
}

static void other_kinds_say_nothing(void)
{
	struct task_record record;
	uint8_t *bytes;

	begin(PERF_RECORD_THROTTLE, 0);
	bytes_write_u64(&writer, 1);
	CHECK_EQ(finish(&record, &bytes), -ENOMSG);
	free(bytes);
}

/* Every shorter form of a good record, with its size made to match, is refused or has its text
 * inside; and a size that disagrees is refused. */
static void short_and_lying_records_are_refused(void)
{
	struct task_record record;
	uint8_t *bytes;

	for (size_t cut = 8; cut < 96; cut += 8) {
		begin(PERF_RECORD_MMAP2, 0);
		mapping_head(0x1000, 0x1000);
		bytes_write_u64(&writer, 0);
		bytes_write_u64(&writer, 1);
		bytes_write_u64(&writer, 1);
		mapping_tail("/a");
		CHECK(writer.byte_count >= cut);
		writer.byte_count = cut;
		CHECK_EQ(finish(&record, &bytes), cut < 80 ? -EBADMSG : 0);
		free(bytes);
		if (cut >= 80)
			break;
	}
	begin(PERF_RECORD_COMM, 0);
	bytes_write_u64(&writer, 1);
	bytes_write_span(&writer, "unclosed", 8);
	CHECK_EQ(finish(&record, &bytes), -EBADMSG);
	CHECK_EQ(task_record_parse(bytes, 24, &record), -EBADMSG);
	CHECK_EQ(task_record_parse(bytes, 4, &record), -EBADMSG);
	free(bytes);

	begin(PERF_RECORD_MMAP2, 0);
	mapping_head(UINT64_MAX - 0xfff, 0x2000);
	bytes_write_u64(&writer, 0);
	bytes_write_u64(&writer, 1);
	bytes_write_u64(&writer, 1);
	mapping_tail("/a");
	CHECK_EQ(finish(&record, &bytes), -EBADMSG);
	free(bytes);
}

int main(void)
{
	RUN(a_mapping_with_inode_is_read);
	RUN(a_mapping_with_build_id_is_read);
	RUN(an_empty_or_zero_build_id_is_none);
	RUN(names_and_programs_are_told_apart);
	RUN(forks_exits_and_losses_are_read);
	RUN(other_kinds_say_nothing);
	RUN(short_and_lying_records_are_refused);
	return 0;
}
