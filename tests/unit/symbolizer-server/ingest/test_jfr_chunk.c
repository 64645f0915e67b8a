/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_chunk.h"

#include <errno.h>

#include "tests/support/made_jfr.h"

static struct made_jfr made;
static struct jfr_chunk chunk;
static struct ingest_fault fault;

static struct ingest_text body(void)
{
	return (struct ingest_text){(const char *)made.bytes, made.length};
}

static void make(int chunks)
{
	made.length = 0;
	for (int i = 0; i < chunks; i++)
		made_jfr_chunk(&made);
	chunk = (struct jfr_chunk){.number = 0};
}

static void chunks_follow_each_other(void)
{
	struct ingest_text rest;

	make(3);
	rest = body();
	CHECK(jfr_is(rest));
	for (uint32_t i = 1; i <= 3; i++) {
		CHECK_EQ(jfr_chunk_next(&rest, &chunk, &fault), 1);
		CHECK_EQ(chunk.number, i);
		CHECK_EQ(chunk.bytes.length, made.length / 3);
		CHECK_EQ(chunk.start_ns, MADE_JFR_START_NS);
		CHECK_EQ(chunk.duration_ns, MADE_JFR_DURATION_NS);
		CHECK_EQ(chunk.ticks_per_second, MADE_JFR_TICKS_PER_SECOND);
	}
	CHECK_EQ(jfr_chunk_next(&rest, &chunk, &fault), 0);
	CHECK_EQ(chunk.number, 3);
}

static void events_are_walked_by_size(void)
{
	struct ingest_text rest;
	struct bytes_reader events;
	struct jfr_event event;
	uint32_t counts[MADE_OTHER + 1] = {0};
	int r;

	make(1);
	rest = body();
	CHECK_EQ(jfr_chunk_next(&rest, &chunk, &fault), 1);
	jfr_events_init(&events, &chunk);
	while ((r = jfr_event_next(&events, &event)) == 1)
		counts[event.type]++;
	CHECK_EQ(r, 0);
	CHECK_EQ(counts[JFR_EVENT_METADATA], 1);
	CHECK_EQ(counts[JFR_EVENT_CHECKPOINT], 2);
	CHECK_EQ(counts[MADE_EXECUTION], 4);
	CHECK_EQ(counts[MADE_OTHER], 1);
}

static void check_event(const char *bytes, size_t length)
{
	struct bytes_reader events;
	struct jfr_event event;

	bytes_reader_init(&events, bytes, length);
	CHECK_EQ(jfr_event_next(&events, &event), -EBADMSG);
}

static void a_size_that_cannot_be_is_refused(void)
{
	check_event("\0abc", 4);
	check_event("\1abc", 4);
	check_event("\5abc", 4);
	check_event("\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9);
	/* Room for a size and no type; a type that goes beyond the event. */
	check_event("\x81\x80\x00", 3);
	check_event("\2\x80\x01", 3);
}

static void check_refused(size_t length, const char *words)
{
	struct ingest_text rest = {(const char *)made.bytes, length};

	chunk.number = 0;
	fault.text[0] = '\0';
	CHECK_EQ(jfr_chunk_next(&rest, &chunk, &fault), -EBADMSG);
	CHECK(strstr(fault.text, "chunk 1"));
	CHECK(strstr(fault.text, words));
}

static void set_and_check(size_t at, uint64_t value, int count, const char *words)
{
	make(1);
	made_jfr_set_big(&made, at, value, count);
	check_refused(made.length, words);
}

static void what_is_wrong_with_a_header_is_said(void)
{
	make(1);
	check_refused(made.length - 1, "cut off: ");
	check_refused(MADE_JFR_HEADER_BYTES - 1, "within its header");
	set_and_check(0, 'X', 1, "FLR");
	set_and_check(4, 1, 2, "version 1.0");
	set_and_check(4, 3, 2, "version 3.0");
	set_and_check(8, 0, 8, "not finished");
	set_and_check(24, 0, 8, "metadata");
	set_and_check(24, 1u << 30, 8, "metadata");
	set_and_check(56, 0, 8, "ticks");
	set_and_check(64, 0, 4, "not packed");
	CHECK(!jfr_is((struct ingest_text){"FLR", 3}));
}

static void there_is_an_end_to_chunks(void)
{
	struct ingest_text rest;

	make(1);
	rest = body();
	chunk.number = JFR_CHUNK_COUNT_MAX - 1;
	CHECK_EQ(jfr_chunk_next(&rest, &chunk, &fault), 1);
	rest = body();
	CHECK_EQ(jfr_chunk_next(&rest, &chunk, &fault), -E2BIG);
	CHECK(strstr(fault.text, "4096 chunks"));
}

int main(void)
{
	RUN(chunks_follow_each_other);
	RUN(events_are_walked_by_size);
	RUN(a_size_that_cannot_be_is_refused);
	RUN(what_is_wrong_with_a_header_is_said);
	RUN(there_is_an_end_to_chunks);
	return 0;
}
