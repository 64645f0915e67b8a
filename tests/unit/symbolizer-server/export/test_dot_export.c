/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/dot_export.h"

#include "tests/support/export_fixture.h"

static char *graph_of(const char *folded, uint32_t node_count)
{
	struct export_fixture of;
	struct bytes_writer out;
	char *text;

	export_fixture_init(&of, folded);
	bytes_writer_init(&out, 100000);
	CHECK_EQ(dot_export_write(&out, &of.fixture.calls, &of.about, node_count), 0);
	bytes_write_u8(&out, 0);
	text = strdup((const char *)out.bytes);
	CHECK(text);
	bytes_writer_done(&out);
	export_fixture_done(&of);
	return text;
}

static void calls_are_counted_once_a_stack(void)
{
	/* f calls itself by way of g: 10 of its value, not 20. */
	char *text = graph_of("main;f;g;f;g 10\nmain;f 5\n", 100);

	CHECK(strstr(text, "3 of 3 functions"));
	CHECK(strstr(text, "label=\"f\\n5 (33.33%)\\nof 15 (100.00%)\"];"));
	CHECK(strstr(text, "label=\" 15 (100.00%)\"];"));
	CHECK(strstr(text, "label=\" 10 (66.67%)\"];"));
	CHECK(!strstr(text, "label=\" 20"));
	free(text);
}

static void the_smallest_functions_are_left_out_and_told(void)
{
	char *text = graph_of("main;big 90\nmain;small\"er 10\n", 2);

	CHECK(strstr(text, "2 of 3 functions"));
	CHECK(!strstr(text, "small"));
	free(text);
	text = graph_of("main;big 90\nmain;small\"er 10\n", 3);
	CHECK(strstr(text, "small\\\"er"));
	free(text);
}

static void nothing_is_no_graph(void)
{
	char *text = graph_of("", 100);

	CHECK_STR(text, "");
	free(text);
}

int main(void)
{
	RUN(calls_are_counted_once_a_stack);
	RUN(the_smallest_functions_are_left_out_and_told);
	RUN(nothing_is_no_graph);
	return 0;
}
