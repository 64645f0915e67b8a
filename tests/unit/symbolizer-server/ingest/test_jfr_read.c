/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_read.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"
#include "tests/support/made_contexts.h"
#include "tests/support/made_jfr.h"
#include "tests/support/torture.h"

static struct made_jfr made;
static struct proto_text labels;
static struct jfr_contexts contexts;
static struct jfr_options options;
static struct ingest_batch batch;
static struct ingest_fault fault;

/* Reads all chunks into one batch, which stays where there is no error. */
static int read_made(uint32_t sample_rate)
{
	struct jfr jfr;
	int r, found = 0;

	fault.text[0] = '\0';
	options = (struct jfr_options){
		.contexts = &contexts, .sample_rate = sample_rate, .now_ns = INGEST_UNTIL_NS};
	r = jfr_contexts_init(&contexts, (struct ingest_text){labels.bytes, labels.length}, &fault);
	if (r < 0)
		return r;
	r = ingest_batch_init(&batch, INGEST_START_NS, INGEST_UNTIL_NS);
	if (r == 0) {
		r = jfr_init(&jfr, &options,
			(struct ingest_text){(const char *)made.bytes, made.length}, &fault);
		while (r == 0 && (found = jfr_next(&jfr, &fault)) == 1)
			r = jfr_add(&jfr, &batch, &fault);
		r = r < 0 ? r : found;
		if (r < 0)
			ingest_batch_done(&batch);
	}
	jfr_contexts_done(&contexts);
	return r;
}

static void make(void)
{
	labels.length = 0;
	made.length = 0;
	made_jfr_chunk(&made);
}

static void all_kinds_of_samples_keep_their_weight(void)
{
	make();
	CHECK_EQ(read_made(0), 0);
	/* A sample of CPU time of a thread that sleeps is none. */
	CHECK_EQ(batch.drops.sleeping, 1);
	CHECK_EQ(batch.drops.broken, 0);
	CHECK_STR(ingest_batch_lines(&batch), MADE_JFR_LINES);
}

static void a_rate_that_is_told_goes_before_the_recording_s(void)
{
	make();
	CHECK_EQ(read_made(1000), 0);
	CHECK(strstr(ingest_batch_lines(&batch), MADE_JFR_RUN " 2 2000000\n"));
}

static void contexts_make_series_and_threads_are_columns(void)
{
	const char *lines;
	const struct thread *thread;

	make();
	made_contexts(&labels);
	CHECK_EQ(read_made(0), 0);
	thread = &batch.profile->threads.threads[0];
	CHECK_EQ(thread->tid, 4001);
	CHECK_STR(string_table_text(&batch.profile->strings, thread->name), "main");
	thread = &batch.profile->threads.threads[1];
	CHECK_EQ(thread->tid, 4002);
	CHECK_STR(string_table_text(&batch.profile->strings, thread->name), "GC Thread#0");
	lines = ingest_batch_lines(&batch);
	CHECK(strstr(lines, "{endpoint=/heavy,vehicle=car} " MADE_JFR_RUN " 2 40000000\n"));
	CHECK(strstr(lines, "cpu:nanoseconds{} " MADE_JFR_MEMSET " 1 20000000\n"));
}

static void chunks_add_up(void)
{
	make();
	made_jfr_chunk(&made);
	made_jfr_chunk(&made);
	CHECK_EQ(read_made(0), 0);
	CHECK_EQ(batch.drops.sleeping, 3);
	CHECK(strstr(ingest_batch_lines(&batch), MADE_JFR_RUN " 6 120000000\n"));
}

/* One chunk of these events, whatever they are. */
#define make_chunk(...)                                                           \
	do {                                                                      \
		labels.length = 0;                                                \
		made.length = 0;                                                  \
		made_jfr_begin_chunk(&made);                                      \
		made_jfr_names(&made);                                            \
		made_jfr_stacks(&made);                                           \
		__VA_ARGS__;                                                      \
		made_jfr_metadata(&made, made_jfr_classes, MADE_JFR_CLASS_COUNT); \
		made_jfr_end_chunk(&made);                                        \
	} while (0)

static void samples_by_the_wall_clock_may_be_of_cpu_time_too(void)
{
	make_chunk(made_jfr_setting(&made, 0, "event", "wall");
		   made_jfr_event(&made, MADE_EXECUTION, 1, 1, 51, 1, 0);
		   made_jfr_event(&made, MADE_EXECUTION, 2, 1, 51, 2, 0));
	CHECK_EQ(read_made(0), 0);
	CHECK_EQ(batch.drops.sleeping, 0);
	CHECK_STR(ingest_batch_lines(&batch),
		"process_cpu:cpu:nanoseconds:cpu:nanoseconds{} " MADE_JFR_RUN " 1 10000000\n"
		"wall:wall:nanoseconds:wall:nanoseconds{} " MADE_JFR_RUN " 2 20000000\n");
}

static void what_weighs_nothing_or_less_is_counted(void)
{
	make_chunk(made_jfr_event(&made, MADE_MONITOR, 1, 1, 51, 0, 0);
		   made_jfr_event(&made, MADE_MONITOR, 1, 1, 51, UINT64_MAX, 0);
		   made_jfr_event(&made, MADE_WALL, 1, 1, 51, 0);
		   made_jfr_event(&made, MADE_IN_TLAB, 1, 77, 51, UINT64_C(1) << 63, 0));
	CHECK_EQ(read_made(0), 0);
	CHECK_EQ(batch.drops.empty, 2);
	CHECK_EQ(batch.drops.negative, 2);
	/* There is no thread 77. */
	CHECK_EQ(batch.drops.broken, 1);
	CHECK_STR(ingest_batch_lines(&batch),
		"memory:alloc_in_new_tlab_objects:count:space:bytes{} " MADE_JFR_RUN " 1 1\n"
		"mutex:contentions:count:mutex:count{} " MADE_JFR_RUN " 2 2\n");
}

static void what_does_not_fit_is_refused(void)
{
	make_chunk(made_jfr_event(&made, MADE_WALL, 1, 1, 51, UINT64_C(1) << 62));
	CHECK_EQ(read_made(0), -EOVERFLOW);
	make_chunk(made_jfr_event(&made, MADE_MONITOR, 1, 1, 51, UINT64_C(1) << 60, 0));
	CHECK_EQ(read_made(0), -EOVERFLOW);
	make_chunk(made_jfr_event(&made, MADE_ALLOCATION, 1, 1, 51, INT64_MAX, 0);
		   made_jfr_event(&made, MADE_ALLOCATION, 1, 1, 51, 1, 0));
	CHECK_EQ(read_made(0), -EOVERFLOW);
}

static void check_refused(const char *words)
{
	CHECK_EQ(read_made(0), -EBADMSG);
	CHECK(strstr(fault.text, words));
}

static void what_is_damaged_is_refused(void)
{
	static const struct made_jfr_class weightless[] = {
		{MADE_LONG, "long", {{NULL, 0, false, false}}},
		{MADE_MONITOR, "jdk.JavaMonitorEnter", {{"startTime", MADE_LONG, false, false}}}};

	make_chunk(made_jfr_event(&made, MADE_EXECUTION, 1, 1, 51, 1));
	check_refused("an event jdk.ExecutionSample is damaged");
	make_chunk(made_jfr_begin_event(&made, MADE_SETTING); made_jfr_number(&made, 1);
		   made_jfr_end_event(&made));
	check_refused("an event jdk.ActiveSetting is damaged");
	made.length = 0;
	made_jfr_begin_chunk(&made);
	made_jfr_metadata(&made, weightless, 2);
	made_jfr_end_chunk(&made);
	check_refused("has no number duration");
	made.length = 0;
	made_jfr_bytes(&made, "{\"json\": 1}", 11);
	check_refused("this looks like JSON, its first bytes are 7b 22");
	made.length = 0;
	made_jfr_bytes(&made, "main;work 10", 12);
	check_refused("this looks like text, its first bytes are 6d 61");
}

static void what_is_damaged_anywhere_adds_nothing_wrong(void)
{
	static struct made_jfr whole;

	make();
	whole = made;
	for (size_t at = MADE_JFR_HEADER_BYTES; at < whole.length; at += 3) {
		made = whole;
		made.bytes[at] ^= 0x41;
		if (read_made(0) == 0)
			ingest_batch_done(&batch);
		else
			CHECK(fault.text[0] != '\0' || at > 0);
	}
}

static void a_chunk_tells_its_time(void)
{
	uint64_t start_ns, until_ns;
	struct jfr jfr;

	make();
	options.now_ns = 5;
	for (int is_odd = 0; is_odd < 2; is_odd++) {
		if (is_odd)
			made_jfr_set_big(&made, 32, 77, 8);
		CHECK_EQ(jfr_init(&jfr, &options,
				 (struct ingest_text){(const char *)made.bytes, made.length},
				 &fault),
			0);
		CHECK_EQ(jfr_next(&jfr, &fault), 1);
		jfr_window(&jfr, &start_ns, &until_ns);
		CHECK_EQ(start_ns, is_odd ? 5 : MADE_JFR_START_NS);
		CHECK_EQ(until_ns, is_odd ? 5 : MADE_JFR_START_NS + MADE_JFR_DURATION_NS);
	}
}

static int read_tortured(void *context)
{
	int r = read_made(0);

	(void)context;
	if (r == 0)
		ingest_batch_done(&batch);
	return r;
}

static void out_of_memory_releases_all(void)
{
	make();
	made_contexts(&labels);
	torture(read_tortured, NULL, 30);
}

int main(void)
{
	RUN(all_kinds_of_samples_keep_their_weight);
	RUN(a_rate_that_is_told_goes_before_the_recording_s);
	RUN(contexts_make_series_and_threads_are_columns);
	RUN(chunks_add_up);
	RUN(samples_by_the_wall_clock_may_be_of_cpu_time_too);
	RUN(what_weighs_nothing_or_less_is_counted);
	RUN(what_does_not_fit_is_refused);
	RUN(what_is_damaged_is_refused);
	RUN(what_is_damaged_anywhere_adds_nothing_wrong);
	RUN(a_chunk_tells_its_time);
	RUN(out_of_memory_releases_all);
	return 0;
}
