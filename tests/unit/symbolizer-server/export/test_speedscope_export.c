/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/speedscope_export.h"

#include "tests/support/export_fixture.h"

static void writes(const char *folded, const char *type, const char *expected)
{
	struct export_fixture of;
	struct bytes_writer out;

	export_fixture_init(&of, folded);
	of.about.type = type;
	bytes_writer_init(&out, 100000);
	CHECK_EQ(speedscope_export_write(&out, &of.tree, &of.about), 0);
	bytes_write_u8(&out, 0);
	CHECK_STR((const char *)out.bytes, expected);
	bytes_writer_done(&out);
	export_fixture_done(&of);
}

#define HEAD                                         \
	"{\"$schema\":\"https://www.speedscope.app/" \
	"file-format-schema.json\",\"shared\":{\"frames\":["

static void stacks_have_weights(void)
{
	writes("main;a\"b 3\nmain 4\n", "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
		HEAD
		"{\"name\":\"main\"},{\"name\":\"a\\\"b\"}]},\"profiles\":[{\"type\":\"sampled\","
		"\"name\":\"cpu\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":7,"
		"\"samples\":[[0],[0,1]],\"weights\":[4,3]}],\"name\":\"{a=\\\"b\\\"}\","
		"\"exporter\":\"cairn\"}");
}

static void units_are_those_of_speedscope(void)
{
	writes("f 2\n", "memory:inuse_space:bytes:space:bytes",
		HEAD
		"{\"name\":\"f\"}]},\"profiles\":[{\"type\":\"sampled\",\"name\":\"inuse_space\","
		"\"unit\":\"bytes\",\"startValue\":0,\"endValue\":2,\"samples\":[[0]],"
		"\"weights\":[2]}],\"name\":\"{a=\\\"b\\\"}\",\"exporter\":\"cairn\"}");
	writes("", "goroutine:goroutine:count:goroutine:count",
		HEAD
		"]},\"profiles\":[{\"type\":\"sampled\",\"name\":\"goroutine\",\"unit\":\"none\","
		"\"startValue\":0,\"endValue\":0,\"samples\":[],\"weights\":[]}],"
		"\"name\":\"{a=\\\"b\\\"}\",\"exporter\":\"cairn\"}");
}

int main(void)
{
	RUN(stacks_have_weights);
	RUN(units_are_those_of_speedscope);
	return 0;
}
