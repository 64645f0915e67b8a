/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/body_format.h"

#include "tests/support/check.h"

static enum body_format guess(const char *body, size_t length)
{
	return body_format_guess((struct ingest_text){body, length});
}

#define GUESS(literal) guess(literal, sizeof(literal) - 1)

static void text_is_folded(void)
{
	CHECK_EQ(GUESS(""), FORMAT_FOLDED);
	CHECK_EQ(GUESS("main;a 1\n"), FORMAT_FOLDED);
	CHECK_EQ(GUESS("{lambda};a 1\n"), FORMAT_FOLDED);
	CHECK_EQ(GUESS("\xc3\xa4;b 1\r\n"), FORMAT_FOLDED);
	CHECK_EQ(GUESS("[object FormData]"), FORMAT_FOLDED);
}

static void bytes_are_a_pprof(void)
{
	CHECK_EQ(GUESS("\x0a\x04\x08\x01\x10\x02"), FORMAT_PPROF);
}

static void recordings_begin_with_their_name(void)
{
	CHECK_EQ(guess("FLR\0\0\2\0\0", 8), FORMAT_JFR);
	CHECK_EQ(GUESS("# a\nb 7 1.5: cpu-clock: \n\t 1 f\n"), FORMAT_PERF_SCRIPT);
}

static void files_of_json_are_told_by_their_members(void)
{
	CHECK_EQ(GUESS("\n {\"profiles\":[],\"shared\":{\"frames\":[]}}"), FORMAT_SPEEDSCOPE);
	CHECK_EQ(GUESS("\xef\xbb\xbf{\"profiles\":[],\"shared\":{}}"), FORMAT_SPEEDSCOPE);
	CHECK_EQ(GUESS("{\"nodes\":[],\"startTime\":1}"), FORMAT_CPUPROFILE);
	CHECK_EQ(GUESS("{\"profiles\":{}}"), FORMAT_FOLDED);
}

int main(void)
{
	RUN(text_is_folded);
	RUN(bytes_are_a_pprof);
	RUN(recordings_begin_with_their_name);
	RUN(files_of_json_are_told_by_their_members);
	return 0;
}
