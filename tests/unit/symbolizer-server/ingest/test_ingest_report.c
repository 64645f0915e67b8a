/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_report.h"

#include "tests/support/ingest_fixture.h"

static void add(struct profile_list *list, uint64_t start_ns, int64_t value)
{
	static const struct ingest_name name = {.kind = FRAME_TEXT, .function = {"f", 1}};
	struct ingest_batch batch;
	struct sample_table *table;
	uint32_t frame, stack, series;

	CHECK_EQ(ingest_batch_init(&batch, start_ns, start_ns + 1), 0);
	CHECK_EQ(ingest_batch_named(&batch, &name, &frame), 0);
	CHECK_EQ(ingest_batch_stack_root_first(&batch, &frame, 1, &stack), 0);
	CHECK_EQ(ingest_batch_series(&batch, NULL, 0, NULL, &series), 0);
	CHECK_EQ(ingest_batch_type(&batch, "a:b:c::", 0, &table), 0);
	CHECK_EQ(ingest_batch_sample(&batch, table, stack, series, 2, value), 0);
	CHECK_EQ(profile_list_take(list, &batch), 0);
	ingest_batch_done(&batch);
}

static void the_parts_of_an_upload_are_summed(void)
{
	struct profile_list list = {.profiles = NULL};
	struct ingest_drops drops = {.empty = 3};
	struct bytes_writer writer;

	add(&list, INGEST_UNTIL_NS, 7);
	add(&list, INGEST_START_NS, 4);
	bytes_writer_init(&writer, INGEST_REPORT_BYTES_MAX);
	ingest_report_write(&writer, &list, &drops);
	bytes_write_u8(&writer, 0);
	CHECK_STR((const char *)writer.bytes,
		"{\"from\":1796061870000000000,\"until\":1796061880020000000,"
		"\"types\":[{\"type\":\"a:b:c::\",\"samples\":4,\"value\":11}],"
		"\"drops\":{\"empty\":3}}");
	bytes_writer_done(&writer);
	profile_list_done(&list);
}

static void nothing_has_no_types(void)
{
	struct profile_list list = {.profiles = NULL};
	struct ingest_drops drops = {0};
	struct bytes_writer writer;

	bytes_writer_init(&writer, INGEST_REPORT_BYTES_MAX);
	ingest_report_write(&writer, &list, &drops);
	bytes_write_u8(&writer, 0);
	CHECK_STR((const char *)writer.bytes, "{\"from\":0,\"until\":0,\"types\":[],\"drops\":{}}");
	bytes_writer_done(&writer);
}

int main(void)
{
	RUN(the_parts_of_an_upload_are_summed);
	RUN(nothing_has_no_types);
	return 0;
}
