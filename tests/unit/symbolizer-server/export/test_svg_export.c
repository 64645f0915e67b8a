/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/svg_export.h"

#include "tests/support/export_fixture.h"

static void bars_stand_below_their_callers_and_texts_are_escaped(void)
{
	struct export_fixture of;
	struct bytes_writer out;
	const char *svg;

	export_fixture_init(&of, "main;a<b>&c 3\nmain 1\n");
	bytes_writer_init(&out, 100000);
	CHECK_EQ(svg_export_write(&out, &of.tree, &of.about), 0);
	bytes_write_u8(&out, 0);
	svg = (const char *)out.bytes;
	CHECK(strstr(svg, "viewBox=\"0 0 1200 82\""));
	CHECK(strstr(svg, "{a=\"b\"}: 4 nanoseconds, 100.00 %</text>"));
	CHECK(strstr(svg, "<rect x=\"0.00\" y=\"46\" width=\"1200.00\""));
	CHECK(strstr(svg, "<rect x=\"0.00\" y=\"64\" width=\"900.00\""));
	CHECK(strstr(svg, "<title>a&lt;b&gt;&amp;c: 3 nanoseconds, 75.00 %</title>"));
	CHECK(strstr(svg, "</svg>\n"));
	bytes_writer_done(&out);
	export_fixture_done(&of);
}

static void a_tree_of_nothing_is_its_root(void)
{
	struct export_fixture of;
	struct bytes_writer out;

	export_fixture_init(&of, "");
	bytes_writer_init(&out, 100000);
	CHECK_EQ(svg_export_write(&out, &of.tree, &of.about), 0);
	bytes_write_u8(&out, 0);
	CHECK(strstr((const char *)out.bytes, "0 nanoseconds, 0.00 %"));
	bytes_writer_done(&out);
	export_fixture_done(&of);
}

int main(void)
{
	RUN(bars_stand_below_their_callers_and_texts_are_escaped);
	RUN(a_tree_of_nothing_is_its_root);
	return 0;
}
