/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is told by the JSON of the same message; that its bytes are read back, with totals,
 * by system/export. */
#include "symbolizer-server/export/pprof_export.h"

#include "tests/support/export_fixture.h"

static void writes(const char *folded, const char *expected)
{
	struct export_fixture of;
	struct reply_writer writer;
	struct bytes_writer out;

	export_fixture_init(&of, folded);
	bytes_writer_init(&out, 100000);
	reply_init(&writer, REPLY_JSON, &out);
	CHECK_EQ(pprof_export_write(&writer, &of.tree, &of.about), 0);
	reply_finish(&writer);
	bytes_write_u8(&out, 0);
	CHECK_STR((const char *)out.bytes, expected);
	bytes_writer_done(&out);
	export_fixture_done(&of);
}

#define HEAD "{\"sampleType\":[{\"type\":\"1\",\"unit\":\"2\"}],"
#define TAIL                                                                       \
	"\"timeNanos\":\"1700000000000000000\",\"durationNanos\":\"10000000000\"," \
	"\"periodType\":{\"type\":\"1\",\"unit\":\"2\"},\"period\":\"10000000\","

static void stacks_are_samples_leaf_first(void)
{
	writes("main;a 3\nmain 4\n",
		HEAD "\"sample\":[{\"locationId\":[\"1\"],\"value\":[\"4\"]},"
		     "{\"locationId\":[\"2\",\"1\"],\"value\":[\"3\"]}],"
		     "\"location\":[{\"id\":\"1\",\"line\":[{\"functionId\":\"1\"}]},"
		     "{\"id\":\"2\",\"line\":[{\"functionId\":\"2\"}]}],"
		     "\"function\":[{\"id\":\"1\",\"name\":\"3\",\"systemName\":\"3\"},"
		     "{\"id\":\"2\",\"name\":\"4\",\"systemName\":\"4\"}]," TAIL
		     "\"comment\":[\"5\"],\"stringTable\":[\"\",\"cpu\",\"nanoseconds\",\"main\","
		     "\"a\",\"{a=\\\"b\\\"}\"]}");
}

static void what_has_no_name_is_an_address_of_a_mapping(void)
{
	writes("libx.so@0x10 7\n",
		HEAD "\"sample\":[{\"locationId\":[\"1\"],\"value\":[\"7\"]}],"
		     "\"mapping\":[{\"id\":\"1\",\"filename\":\"3\"}],"
		     "\"location\":[{\"id\":\"1\",\"mappingId\":\"1\",\"address\":\"16\"}],"
		     "\"function\":[{\"id\":\"1\",\"name\":\"4\",\"systemName\":\"4\"}]," TAIL
		     "\"comment\":[\"5\"],\"stringTable\":[\"\",\"cpu\",\"nanoseconds\","
		     "\"libx.so\",\"libx.so+0x10\",\"{a=\\\"b\\\"}\"]}");
}

static void a_tree_of_nothing_is_a_profile_of_nothing(void)
{
	writes("",
		HEAD TAIL "\"comment\":[\"3\"],\"stringTable\":[\"\",\"cpu\",\"nanoseconds\","
			  "\"{a=\\\"b\\\"}\"]}");
}

int main(void)
{
	RUN(stacks_are_samples_leaf_first);
	RUN(what_has_no_name_is_an_address_of_a_mapping);
	RUN(a_tree_of_nothing_is_a_profile_of_nothing);
	return 0;
}
