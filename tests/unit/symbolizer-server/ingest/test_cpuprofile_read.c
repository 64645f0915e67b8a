/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/cpuprofile_read.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"

#define TYPE "wall:wall:nanoseconds:cpu:nanoseconds"
#define NODE(id, name, url, line, more)                                              \
	"{\"id\":" id ",\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"" url \
	"\",\"lineNumber\":" line "}" more "}"
#define NODES                                                                             \
	"\"nodes\":[" NODE("1", "(root)", "", "-1", ",\"children\":[2,9]") "," NODE(      \
		"9", "", "file:///srv/a.js", "0", ",\"children\":[5]") "," NODE("5", "f", \
		"node:fs", "9", "") "," NODE("2", "(idle)", "", "-1", "") "]"
#define TIMES "\"startTime\":1000,\"endTime\":2000"

static struct ingest_batch batch;
static struct ingest_fault fault;
static uint64_t duration_ns;

static int add(const char *text)
{
	struct cpuprofile *file = NULL;
	struct json_view json;
	int r;

	fault.text[0] = '\0';
	CHECK_EQ(ingest_batch_init(&batch, INGEST_START_NS, INGEST_UNTIL_NS), 0);
	CHECK_EQ(json_view_check((struct ingest_text){text, strlen(text)}, &json, &fault), 0);
	r = cpuprofile_open(json, &file, &fault);
	if (r == 0) {
		duration_ns = cpuprofile_duration_ns(file);
		r = cpuprofile_add(file, TYPE, &batch, &fault);
	}
	cpuprofile_free(file);
	return r;
}

static void check_lines(const char *text, const char *lines)
{
	CHECK_EQ(add(text), 0);
	CHECK_STR(ingest_batch_lines(&batch), lines);
}

static void refused(const char *text, const char *words)
{
	CHECK_EQ(add(text), -EBADMSG);
	CHECK(strstr(fault.text, words));
	ingest_batch_done(&batch);
}

#define LINES                                              \
	TYPE "{} (anonymous)(/srv/a.js:1) 1 200000\n" TYPE \
	     "{} (anonymous)(/srv/a.js:1);f(node:fs:10) 2 600000\n" TYPE "{} (idle) 1 100000\n"

static void a_sample_lasts_until_the_next(void)
{
	check_lines("{" NODES "," TIMES ",\"samples\":[2,5,9,5],\"timeDeltas\":[100,100,400,200]}",
		LINES);
	CHECK_EQ(duration_ns, 900000);
}

static void samples_may_come_late(void)
{
	check_lines("{" NODES "," TIMES ",\"samples\":[2,9,5,5],\"timeDeltas\":[100,500,-400,600]}",
		LINES);
}

static void a_parent_may_be_named_in_place_of_children(void)
{
	check_lines("{\"result\":{\"profile\":{\"nodes\":[" NODE(
			    "1", "(root)", "", "-1", "") "," NODE("2", "f", "", "5",
			    ",\"parent\":1") "]," TIMES ",\"samples\":[2],\"timeDeltas\":[0]}}}",
		TYPE "{} f 1 1000000\n");
}

static void without_times_all_samples_stand_for_as_much(void)
{
	check_lines("{\"profile\":{" NODES "," TIMES ",\"samples\":[2,5,5]}}",
		TYPE "{} (anonymous)(/srv/a.js:1);f(node:fs:10) 2 750000\n" TYPE
		     "{} (idle) 1 250000\n");
}

static void what_contradicts_itself_is_refused(void)
{
	refused("{}", "lacks the list `nodes`");
	refused("{" NODES ",\"startTime\":5,\"endTime\":4,\"samples\":[]}", "no range");
	refused("{" NODES "," TIMES "}", "lacks the list `samples`");
	refused("{" NODES "," TIMES ",\"samples\":[7],\"timeDeltas\":[1]}", "not there");
	refused("{" NODES "," TIMES ",\"samples\":[2],\"timeDeltas\":[]}", "fewer timeDeltas");
	refused("{" NODES "," TIMES ",\"samples\":[],\"timeDeltas\":[1]}", "more timeDeltas");
	refused("{" NODES "," TIMES ",\"samples\":[2,2],\"timeDeltas\":[9e15,9e15]}", "centuries");
	refused("{\"nodes\":[{\"id\":1},{\"id\":1}]," TIMES ",\"samples\":[]}", "same id");
	refused("{\"nodes\":[{}]," TIMES ",\"samples\":[]}", "whole number");
	refused("{\"nodes\":[{\"id\":1,\"children\":[3]}]," TIMES ",\"samples\":[]}",
		"names another");
	refused("{\"nodes\":[{\"id\":1,\"children\":[{}]}]," TIMES ",\"samples\":[]}", "Chrome");
	refused("{\"nodes\":[{\"id\":1,\"children\":[3]},{\"id\":2,\"children\":[3]},{\"id\":3}]"
		"," TIMES ",\"samples\":[]}",
		"two parents");
}

static void a_circle_of_calls_ends_somewhere(void)
{
	CHECK_EQ(add("{\"nodes\":[{\"id\":1,\"children\":[2]},{\"id\":2,\"children\":[1]}]," TIMES
		     ",\"samples\":[1],\"timeDeltas\":[0]}"),
		0);
	CHECK_EQ(batch.drops.stacks_cut, 1);
	CHECK_EQ(batch.profile->types[0].rows[0].value, 1000000);
	ingest_batch_done(&batch);
}

int main(void)
{
	RUN(a_sample_lasts_until_the_next);
	RUN(samples_may_come_late);
	RUN(a_parent_may_be_named_in_place_of_children);
	RUN(without_times_all_samples_stand_for_as_much);
	RUN(what_contradicts_itself_is_refused);
	RUN(a_circle_of_calls_ends_somewhere);
	return 0;
}
