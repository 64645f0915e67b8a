/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_name.h"

#include "tests/support/check.h"

static void check_name(const char *class_name, const char *method, const char *expected)
{
	struct bytes_writer writer;

	bytes_writer_init(&writer, 1024);
	jfr_name_write(&writer, (struct ingest_text){class_name, strlen(class_name)},
		(struct ingest_text){method, strlen(method)});
	bytes_write_u8(&writer, 0);
	CHECK_EQ(bytes_writer_fault(&writer), 0);
	CHECK_STR((const char *)writer.bytes, expected);
	bytes_writer_done(&writer);
}

static void names_are_those_of_stack_traces(void)
{
	check_name("java/util/HashMap$Node", "<init>", "java.util.HashMap$Node.<init>");
	check_name("java.util.HashMap", "put", "java.util.HashMap.put");
	check_name("Main", "lambda$main$1", "Main.lambda$main$1");
	check_name("", "[no_Java_frame]", "[no_Java_frame]");
	check_name("Main", "", "Main");
}

static void native_code_keeps_its_library(void)
{
	check_name("libc.so.6", "__memset_avx2", "libc.so.6.__memset_avx2");
	check_name("/usr/lib/libjvm.so", "JVM_Sleep", "/usr/lib/libjvm.so.JVM_Sleep");
	check_name("./tmp/x.so", "f", "./tmp/x.so.f");
	check_name("libx-0xfeed.so", "f", "libx-0xfeed.so.f");
}

static void what_a_run_numbers_is_one(void)
{
	check_name("Demo$$Lambda$66.0x00007f75040877a8", "run", "Demo$$Lambda_.run");
	check_name("Demo$$Lambda/0x00007ffa600c4da0", "run", "Demo$$Lambda_.run");
	check_name("a/Demo$$Lambda$39+0x00007f7a3c070bc8/20671747", "run", "a.Demo$$Lambda_.run");
	check_name("java/lang/invoke/LambdaForm$MH.0x0000000800c03400", "invoke",
		"java.lang.invoke.LambdaForm$MH_.invoke");
	check_name("jdk/internal/reflect/GeneratedMethodAccessor31", "invoke",
		"jdk.internal.reflect.GeneratedMethodAccessor_.invoke");
	check_name("Bean$$EnhancerBySpringCGLIB$$1f2e3d", "call",
		"Bean$$EnhancerBySpringCGLIB$$_.call");
}

static void what_only_looks_so_stays(void)
{
	check_name("Demo$$Lambda", "run", "Demo$$Lambda.run");
	check_name("Demo$$LambdaHolder", "run", "Demo$$LambdaHolder.run");
	check_name("My0x12", "run", "My0x12.run");
	check_name("My.0x12z", "run", "My.0x12z.run");
	check_name("0x12", "run", "0x12.run");
	check_name("Table42", "run", "Table42.run");
}

int main(void)
{
	RUN(names_are_those_of_stack_traces);
	RUN(native_code_keeps_its_library);
	RUN(what_a_run_numbers_is_one);
	RUN(what_only_looks_so_stays);
	return 0;
}
