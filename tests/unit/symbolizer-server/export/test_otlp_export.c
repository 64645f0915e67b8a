/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read back by the reader of OpenTelemetry's exports. */
#include "symbolizer-server/export/otlp_export.h"

#include "symbolizer-server/ingest/otlp_read.h"
#include "tests/support/export_fixture.h"

static void totals_and_frames_are_read_back(void)
{
	struct profile_list list = {.profiles = NULL};
	struct ingest_fault fault = {""};
	struct ingest_drops drops = {0};
	struct export_fixture of;
	struct reply_writer writer;
	struct bytes_writer out;
	const struct profile *profile;
	int64_t sum = 0;

	export_fixture_init(&of, "main;a 300\nmain;libx.so@0x10 40\nmain 5\n");
	bytes_writer_init(&out, 100000);
	reply_init(&writer, REPLY_PROTO, &out);
	CHECK_EQ(otlp_export_write(&writer, &of.tree, &of.about), 0);
	reply_finish(&writer);
	export_fixture_done(&of);
	CHECK_EQ(
		otlp_read((struct ingest_text){(const char *)out.bytes, out.byte_count},
			&(struct otlp_target){.profiles = &list, .drops = &drops, .fault = &fault}),
		0);
	bytes_writer_done(&out);
	CHECK_EQ(list.count, 1);
	profile = list.profiles[0];
	CHECK_EQ(profile->type_count, 1);
	CHECK_STR(string_table_text(&profile->strings, profile->types[0].type),
		"process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	for (uint32_t i = 0; i < profile->types[0].row_count; i++)
		sum += profile->types[0].rows[i].value;
	CHECK_EQ(sum, 345);
	CHECK_EQ(profile->types[0].row_count, 3);
	CHECK(string_table_find(&profile->strings, "main", 4) != 0);
	CHECK(string_table_find(&profile->strings, "libx.so", 7) != 0);
	profile_list_done(&list);
}

int main(void)
{
	RUN(totals_and_frames_are_read_back);
	return 0;
}
