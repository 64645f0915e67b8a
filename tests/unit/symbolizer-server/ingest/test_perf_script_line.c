/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/perf_script_line.h"

#include "store/profile/sample_table.h"
#include "tests/support/check.h"

static struct ingest_text text_of(const char *text)
{
	return (struct ingest_text){text, strlen(text)};
}

static void check_text(struct ingest_text text, const char *expected)
{
	CHECK_EQ(text.length, strlen(expected));
	CHECK(memcmp(text.text, expected, text.length) == 0);
}

static struct perf_script_head head_of(const char *line)
{
	struct perf_script_head head;

	CHECK(perf_script_head_read(text_of(line), &head));
	return head;
}

static void heads_have_many_columns(void)
{
	struct perf_script_head head =
		head_of("io worker (2) 24226/24228 [003]  1172.349569:   34482758 cpu-clock: ");

	check_text(head.comm, "io worker (2)");
	CHECK_EQ(head.pid, 24226);
	CHECK_EQ(head.tid, 24228);
	CHECK_EQ(head.cpu, 3);
	CHECK_EQ(head.time_ns, UINT64_C(1172349569000));
	CHECK(head.has_period);
	CHECK_EQ(head.period, 34482758);
	check_text(head.event, "cpu-clock");
	CHECK_EQ(head.rest.length, 0);
	head = head_of("   burn 24228  1172.349569001: cycles:ppp:   11ed f+0x1 (/a b)");
	check_text(head.comm, "burn");
	CHECK_EQ(head.pid, 0);
	CHECK_EQ(head.tid, 24228);
	CHECK_EQ(head.cpu, SAMPLE_CPU_UNKNOWN);
	CHECK_EQ(head.time_ns, UINT64_C(1172349569001));
	CHECK(!head.has_period);
	check_text(head.event, "cycles:ppp");
	check_text(head.rest, "11ed f+0x1 (/a b)");
}

static void names_may_look_like_columns(void)
{
	struct perf_script_head head =
		head_of("a 1: b [2] 3 -1/-1 [000] 5.000001: sched:sched_switch: prev_comm=x ==> y");

	check_text(head.comm, "a 1: b [2] 3");
	CHECK_EQ(head.pid, 0);
	CHECK_EQ(head.tid, 0);
	check_text(head.event, "sched:sched_switch");
	check_text(head.rest, "prev_comm=x ==> y");
	check_text(head_of("b 1/1  1.000000: PERF_RECORD_FORK(1:2):(1:1)").event,
		"PERF_RECORD_FORK(1:2):(1:1");
}

static void other_lines_are_no_heads(void)
{
	static const char *const lines[] = {"", "main;a 12", "  burn.c:13", "burn 12 1.5x: e:",
		"12 1.500000: e:", "burn 12 1.1234567890: e:", "burn 12 1.500000: e",
		"burn 12 1.500000:", "burn x 1.500000: e:", "burn [000] 1.500000: e:",
		"99999999999 1.5: e:"};
	struct perf_script_head head;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK(!perf_script_head_read(text_of(lines[i]), &head));
}

static void check_frame(const char *line, const char *symbol, const char *file, uint64_t address)
{
	struct perf_script_frame frame;

	CHECK(perf_script_frame_read(text_of(line), &frame));
	check_text(frame.symbol, symbol);
	check_text(frame.file, file);
	CHECK_EQ(frame.address, address);
}

static void frames_are_taken_apart_from_the_right(void)
{
	struct perf_script_frame frame;

	check_frame("11ed hash_loop+0x44 (/srv/app/burn)", "hash_loop", "/srv/app/burn", 0x11ed);
	check_frame("7f65 long Plain.spin(long)+0xad (/tmp/perf-7.map)", "long Plain.spin(long)",
		"/tmp/perf-7.map", 0x7f65);
	check_frame("7f65 StubRoutines (1)+0xc9 (/tmp/perf-7.map)", "StubRoutines (1)",
		"/tmp/perf-7.map", 0x7f65);
	check_frame(
		"1 f(int) const (/srv/my app (2) (deleted))", "f(int) const", "/srv/my app (2)", 1);
	check_frame("70c5f __cos_fma", "__cos_fma", "", 0x70c5f);
	check_frame("70c5f f(int)", "f(int)", "", 0x70c5f);
	check_frame("1201 [unknown] (/srv/app/x)", "", "/srv/app/x", 0x1201);
	check_frame("7fe21c0f2ad7 [unknown] ([unknown])", "", "", 0x7fe21c0f2ad7);
	check_frame("main (/srv/x)", "main", "/srv/x", 0);
	CHECK(perf_script_frame_read(text_of("1203 mix+0x22 (inlined)"), &frame));
	CHECK(frame.is_inlined && frame.file.length == 0);
	CHECK(!perf_script_frame_read(text_of(""), &frame));
}

static void lines_of_the_source_have_a_number(void)
{
	struct ingest_text file;
	uint32_t line;

	CHECK(perf_script_source_read(text_of("/srv/a:b.c:13"), &file, &line));
	check_text(file, "/srv/a:b.c");
	CHECK_EQ(line, 13);
	CHECK(!perf_script_source_read(text_of("??:0"), &file, &line));
	CHECK(!perf_script_source_read(text_of("burn[11ed]"), &file, &line));
	CHECK(!perf_script_source_read(text_of(":3"), &file, &line));
}

int main(void)
{
	RUN(heads_have_many_columns);
	RUN(names_may_look_like_columns);
	RUN(other_lines_are_no_heads);
	RUN(frames_are_taken_apart_from_the_right);
	RUN(lines_of_the_source_have_a_number);
	return 0;
}
