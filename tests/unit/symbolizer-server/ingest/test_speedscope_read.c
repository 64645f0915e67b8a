/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/speedscope_read.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"

#define WALL "wall:wall:nanoseconds:cpu:nanoseconds"
#define FRAMES                                                                                     \
	"\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"a.c\",\"line\":3},{\"name\":\"f\"}" \
	"]}"
#define FILE_OF(profiles) "{\"profiles\":[" profiles "]," FRAMES "}"
#define SAMPLED(unit, samples, weights)                          \
	"{\"type\":\"sampled\",\"name\":\"t1\",\"unit\":\"" unit \
	"\",\"startValue\":0,\"endValue\":2,\"samples\":" samples ",\"weights\":" weights "}"
#define EVENTED(unit, events)                                    \
	"{\"type\":\"evented\",\"name\":\"t2\",\"unit\":\"" unit \
	"\",\"startValue\":0,\"endValue\":10,\"events\":" events "}"

static struct ingest_batch batch;
static struct ingest_fault fault;
static uint64_t duration_ns;

static int add(const char *text, const char *app, uint32_t rate)
{
	const struct speedscope_options options = {.app = {app, strlen(app)}, .rate = rate};
	struct speedscope file;
	struct json_view json;
	int r;

	fault.text[0] = '\0';
	CHECK_EQ(ingest_batch_init(&batch, INGEST_START_NS, INGEST_UNTIL_NS), 0);
	CHECK_EQ(json_view_check((struct ingest_text){text, strlen(text)}, &json, &fault), 0);
	r = speedscope_open(json, &file, &fault);
	if (r < 0)
		return r;
	duration_ns = speedscope_duration_ns(&file);
	return speedscope_add(&file, &options, &batch, &fault);
}

static void refused(const char *text, const char *words)
{
	CHECK_EQ(add(text, "app", 100), -EBADMSG);
	CHECK(strstr(fault.text, words));
	ingest_batch_done(&batch);
}

static void all_profiles_are_taken_in_their_units(void)
{
	CHECK_EQ(add(FILE_OF(SAMPLED("seconds", "[[0,1],[0],[0,1]]", "[0.5,1.25,0.25]") "," SAMPLED(
			     "milliseconds", "[[1]]", "[7]") "," SAMPLED("bytes", "[[0]]",
			     "[64]") "," SAMPLED("none", "[[0]]", "[3]")),
			 "app", 100),
		0);
	CHECK_EQ(duration_ns, UINT64_C(2000000000));
	CHECK_STR(ingest_batch_lines(&batch),
		"memory:samples:bytes::{} main(a.c:3) 1 64\n" PROFILE_TYPE_ON_CPU
		"{} main(a.c:3) 3 30000000\n" WALL "{} f 1 7000000\n" WALL
		"{} main(a.c:3) 1 1250000000\n" WALL "{} main(a.c:3);f 2 750000000\n");
}

static void a_profile_is_a_thread(void)
{
	const struct profile *profile;

	CHECK_EQ(add(FILE_OF(SAMPLED("seconds", "[[0]]", "[1]")), "app", 100), 0);
	profile = batch.profile;
	CHECK_STR(string_table_text(&profile->strings,
			  profile->threads.threads[profile->types[0].rows[0].thread].name),
		"t1");
	ingest_batch_done(&batch);
}

static void the_name_tells_what_time_it_is(void)
{
	CHECK_EQ(add(FILE_OF(SAMPLED("nanoseconds", "[[1]]", "[5]")), "app.cpu", 100), 0);
	CHECK_STR(ingest_batch_lines(&batch), PROFILE_TYPE_ON_CPU "{} f 1 5\n");
	CHECK_EQ(add(FILE_OF(SAMPLED("nanoseconds", "[[1]]", "[5]")), "app.alloc_space", 100), 0);
	CHECK_STR(ingest_batch_lines(&batch), WALL "{} f 1 5\n");
	CHECK_EQ(add(FILE_OF(SAMPLED("none", "[[1]]", "[5]")), "app.alloc_objects", 100), 0);
	CHECK_STR(ingest_batch_lines(&batch), "memory:alloc_objects:count::{} f 1 5\n");
}

static void what_is_rounded_off_is_not_lost(void)
{
	CHECK_EQ(add(FILE_OF(SAMPLED("bytes", "[[0],[1],[0],[1]]", "[0.5,0.25,0.5,0.75]")), "app",
			 100),
		0);
	/* 2.0 in all. */
	CHECK_STR(ingest_batch_lines(&batch),
		"memory:samples:bytes::{} f 1 1\nmemory:samples:bytes::{} main(a.c:3) 1 1\n");
}

#define OPEN(frame, at) "{\"type\":\"O\",\"frame\":" frame ",\"at\":" at "}"
#define CLOSE(frame, at) "{\"type\":\"C\",\"frame\":" frame ",\"at\":" at "}"

static void events_open_and_close_frames(void)
{
	CHECK_EQ(add(FILE_OF(EVENTED("microseconds",
			     "[" OPEN("0", "1") "," OPEN("1", "3") "," CLOSE("1", "4.5") "," CLOSE(
				     "0", "6") "," OPEN("1", "8") "]")),
			 "app", 100),
		0);
	/* What nothing closes lasts until the end. */
	CHECK_STR(ingest_batch_lines(&batch),
		WALL "{} f 1 2000\n" WALL "{} main(a.c:3) 2 3500\n" WALL
		     "{} main(a.c:3);f 1 1500\n");
}

static void what_contradicts_itself_is_refused(void)
{
	refused(FILE_OF(SAMPLED("seconds", "[[0],[1]]", "[1]")), "fewer weights");
	refused(FILE_OF(SAMPLED("seconds", "[[0]]", "[1,2]")), "more weights");
	refused(FILE_OF(SAMPLED("seconds", "[[0]]", "[\"1\"]")), "a weight");
	refused(FILE_OF(SAMPLED("seconds", "[[0]]", "[1e300]")), "a weight");
	refused(FILE_OF(SAMPLED("fortnights", "[[0]]", "[1]")), "its unit");
	refused(FILE_OF(EVENTED("seconds", "[" OPEN("0", "2") "," CLOSE("0", "1") "]")), "back");
	refused(FILE_OF(EVENTED("seconds", "[" OPEN("0", "1") "," CLOSE("1", "2") "]")),
		"innermost");
	refused(FILE_OF(EVENTED("seconds", "[{\"type\":\"X\",\"frame\":0,\"at\":1}]")),
		"neither O");
	refused(FILE_OF(EVENTED("seconds", "[{\"type\":\"O\",\"frame\":0}]")), "no time");
	refused(FILE_OF("{\"unit\":\"none\"}"), "neither sampled");
	refused("{\"profiles\":[]}", "lacks the lists");
}

static void frames_that_are_not_there_are_unknown(void)
{
	CHECK_EQ(add(FILE_OF(SAMPLED("bytes", "[[0,7],[null]]", "[1,2]")), "app", 100), 0);
	CHECK_EQ(batch.drops.broken, 2);
	CHECK_STR(ingest_batch_lines(&batch),
		"memory:samples:bytes::{} [unknown] 1 2\n"
		"memory:samples:bytes::{} main(a.c:3);[unknown] 1 1\n");
}

static void deep_stacks_keep_their_leaves(void)
{
	enum { DEPTH = INGEST_DEPTH_MAX + 10 };
	static char text[4 * DEPTH + 4096];
	size_t at = (size_t)snprintf(text, sizeof(text),
		"{\"profiles\":[{\"type\":\"sampled\",\"unit\":\"bytes\",\"weights\":[9],"
		"\"samples\":[[0");

	for (int i = 1; i < DEPTH; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, ",1");
	snprintf(text + at, sizeof(text) - at, "]]}]," FRAMES "}");
	CHECK_EQ(add(text, "app", 100), 0);
	CHECK_EQ(batch.drops.stacks_cut, 1);
	CHECK_EQ(batch.profile->types[0].rows[0].value, 9);
	ingest_batch_done(&batch);
}

int main(void)
{
	RUN(all_profiles_are_taken_in_their_units);
	RUN(a_profile_is_a_thread);
	RUN(the_name_tells_what_time_it_is);
	RUN(what_is_rounded_off_is_not_lost);
	RUN(events_open_and_close_frames);
	RUN(what_contradicts_itself_is_refused);
	RUN(frames_that_are_not_there_are_unknown);
	RUN(deep_stacks_keep_their_leaves);
	return 0;
}
