/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_index.h"

#include <errno.h>

#include "tests/support/check.h"

static void fill(struct segment_index *index, bool services_fall)
{
	static const char *const names[] = {"", "a", "b"};

	CHECK_EQ(segment_index_init(index), 0);
	index->newest_received_ns = 11;
	index->sample_count = 12;
	index->slot_bytes = 13;
	index->slots_until_ns = 14;
	index->replaced = calloc(2, sizeof(*index->replaced));
	CHECK(index->replaced);
	index->replaced[0] = 3;
	index->replaced[1] = 9;
	index->replaced_count = 2;
	index->keys = (struct segment_ref){1, 2, 3};
	for (uint64_t i = 0; i < 2; i++) {
		struct segment_hour hour = {.hour = 100 + i * 3,
			.from_ns = 1000 + i,
			.until_ns = 2000,
			.window_count = 5,
			.windows = {10, 20, 30}};

		CHECK_EQ(segment_index_add_hour(index, &hour), 0);
	}
	for (uint32_t i = 0; i < 3; i++) {
		const char *name = names[services_fall ? 2 - i : i];
		struct segment_group_entry group = {
			.from_ns = 50, .until_ns = 60 + i, .sample_count = 70, .head = {7, 8, 9}};

		CHECK_EQ(string_table_add(&index->texts, name, strlen(name), &group.service), 0);
		CHECK_EQ(segment_index_add_group(index, &group), 0);
	}
}

static int again(const struct segment_index *index, struct segment_index *ret_index)
{
	struct bytes_writer writer;
	struct bytes_reader reader;
	int r;

	bytes_writer_init(&writer, 10000);
	segment_index_write(&writer, index);
	CHECK_EQ(bytes_writer_fault(&writer), 0);
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	CHECK_EQ(segment_index_init(ret_index), 0);
	r = segment_index_read(&reader, ret_index);
	bytes_writer_done(&writer);
	return r;
}

static void an_index_comes_back(void)
{
	struct segment_index index, read;

	fill(&index, false);
	CHECK_EQ(again(&index, &read), 0);
	CHECK_EQ(read.newest_received_ns, 11);
	CHECK_EQ(read.sample_count, 12);
	CHECK_EQ(read.slot_bytes, 13);
	CHECK_EQ(read.slots_until_ns, 14);
	CHECK_EQ(read.replaced_count, 2);
	CHECK_EQ(read.replaced[1], 9);
	CHECK_EQ(read.keys.checksum, 3);
	CHECK_EQ(read.hour_count, 2);
	CHECK_EQ(read.hours[1].hour, 103);
	CHECK_EQ(read.hours[1].from_ns, 1001);
	CHECK_EQ(read.hours[1].until_ns, 2000);
	CHECK_EQ(read.hours[1].windows.byte_count, 20);
	CHECK_EQ(read.hours[1].lives.byte_count, 0);
	CHECK_EQ(read.group_count, 3);
	CHECK_STR(segment_index_service(&read, 2).text, "b");
	CHECK_EQ(read.groups[2].until_ns, 62);
	segment_index_done(&index);
	segment_index_done(&read);
}

static void what_does_not_rise_is_refused(void)
{
	struct segment_index index, read;

	fill(&index, true);
	CHECK_EQ(again(&index, &read), -EBADMSG);
	segment_index_done(&index);
	segment_index_done(&read);
	fill(&index, false);
	index.replaced[1] = 3;
	CHECK_EQ(again(&index, &read), -EBADMSG);
	segment_index_done(&index);
	segment_index_done(&read);
	fill(&index, false);
	index.hours[1].hour = 100;
	CHECK_EQ(again(&index, &read), -EBADMSG);
	segment_index_done(&index);
	segment_index_done(&read);
	fill(&index, false);
	index.hours[1].hour = UINT64_MAX;
	CHECK_EQ(again(&index, &read), -EBADMSG);
	segment_index_done(&index);
	segment_index_done(&read);
}

static void keys_come_back_as_intervals(void)
{
	struct batch_key key = {.instance = {1}, .sequence = UINT64_MAX};
	struct batch_seen seen, read;
	struct bytes_writer writer;
	struct bytes_reader reader;

	batch_seen_init(&seen);
	batch_seen_init(&read);
	CHECK_EQ(batch_seen_add(&seen, &key, 5), 0);
	for (key.sequence = 0; key.sequence < 10; key.sequence++)
		CHECK_EQ(batch_seen_add(&seen, &key, 7), 0);
	key = (struct batch_key){.instance = {2}, .sequence = 4};
	CHECK_EQ(batch_seen_add(&seen, &key, 6), 0);
	bytes_writer_init(&writer, 1000);
	segment_keys_write(&writer, &seen);
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	CHECK_EQ(segment_keys_read(&reader, &read), 0);
	CHECK_EQ(read.count, 2);
	CHECK_EQ(read.instances[0].count, 2);
	CHECK_EQ(read.instances[0].newest_ns, 7);
	CHECK_EQ(read.instances[0].intervals[0].last, 9);
	CHECK_EQ(read.instances[0].intervals[1].first, UINT64_MAX);
	CHECK(batch_seen_has(&read, &key));
	/* A sum beyond 64 bits. */
	writer.bytes[writer.byte_count - 1] = 0xff;
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	CHECK_EQ(segment_keys_read(&reader, &read), -EBADMSG);
	bytes_writer_done(&writer);
	batch_seen_done(&seen);
	batch_seen_done(&read);
}

int main(void)
{
	RUN(an_index_comes_back);
	RUN(what_does_not_rise_is_refused);
	RUN(keys_come_back_as_intervals);
	return 0;
}
