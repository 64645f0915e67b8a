/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/export_texts.h"

#include "tests/support/export_fixture.h"

static void equal_texts_have_one_number(void)
{
	static const struct reply_field fields[] = {{1, "value"}, {1, "type"}, {2, "unit"}};
	struct export_fixture of;
	struct export_texts texts;
	struct reply_writer writer;
	struct bytes_writer out;

	export_fixture_init(&of, "main 1\n");
	CHECK_EQ(export_texts_init(&texts, &of.tree), 0);
	CHECK_EQ(export_text(&texts, "", 0), 0);
	CHECK_EQ(export_text(&texts, "cpu", 3), 1);
	CHECK_EQ(export_name(&texts, &of.tree.functions->functions[of.tree.nodes[1].function]), 2);
	CHECK_EQ(export_raw_name(&texts, &of.tree.functions->functions[of.tree.nodes[1].function]),
		2);
	bytes_writer_init(&out, 1000);
	reply_init(&writer, REPLY_JSON, &out);
	export_value_type(&texts, &writer, fields, of.about.type, TYPE_SAMPLE);
	export_texts_write(&texts, &writer, (struct reply_field){3, "texts"});
	reply_finish(&writer);
	bytes_write_u8(&out, 0);
	CHECK_STR((const char *)out.bytes,
		"{\"value\":{\"type\":\"1\",\"unit\":\"3\"},\"texts\":[\"\",\"cpu\",\"main\","
		"\"nanoseconds\"]}");
	CHECK_EQ(export_texts_fault(&texts), 0);
	bytes_writer_done(&out);
	export_texts_done(&texts);
	export_fixture_done(&of);
}

static void an_error_stays(void)
{
	struct export_fixture of;
	struct export_texts texts;

	export_fixture_init(&of, "main 1\n");
	CHECK_EQ(export_texts_init(&texts, &of.tree), 0);
	texts.error = -12;
	CHECK_EQ(export_text(&texts, "cpu", 3), 0);
	CHECK_EQ(export_texts_fault(&texts), -12);
	export_texts_done(&texts);
	export_fixture_done(&of);
}

int main(void)
{
	RUN(equal_texts_have_one_number);
	RUN(an_error_stays);
	return 0;
}
