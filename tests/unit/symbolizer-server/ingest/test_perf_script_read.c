/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/perf_script_read.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"

#define CPU PROFILE_TYPE_ON_CPU

static struct ingest_batch batch;
static struct ingest_fault fault;

static struct ingest_text text_of(const char *text)
{
	return (struct ingest_text){text, strlen(text)};
}

static int add(const char *text, uint32_t rate)
{
	fault.text[0] = '\0';
	CHECK_EQ(ingest_batch_init(&batch, INGEST_START_NS, INGEST_UNTIL_NS), 0);
	return perf_script_read(&batch, rate, text_of(text), &fault);
}

static void check_lines(const char *text, uint32_t rate, const char *lines)
{
	CHECK(perf_script_is(text_of(text)));
	CHECK_EQ(add(text, rate), 0);
	CHECK_STR(ingest_batch_lines(&batch), lines);
}

static const char two[] = "# ========\n# hostname : here\n#\n"
			  "burn 7/7 [001]  1.500000:   50000000 cpu-clock: \n"
			  "\t            1203 mix+0x22 (inlined)\n"
			  "\t            1203 loop+0x22 (/srv/burn)\n"
			  "\t            12e6 [unknown] (/srv/burn)\n"
			  "\tffffffff81d7f1a5 sys+0x5 ([kernel.kallsyms])\n\n"
			  "io 2 7/8 [000]  3.000000:   50000000 cpu-clock: \n"
			  "\t    7fe21c0f2ad7 [unknown] ([unknown])\n";

static void a_sample_has_a_head_and_frames(void)
{
	check_lines(two, 0,
		CPU "{} [unknown] 1 50000000\n" CPU "{} sys;burn@0x12e6;loop;mix 1 50000000\n");
	CHECK_EQ(perf_script_duration_ns(text_of(two)), UINT64_C(1500000000));
}

static void threads_and_cpus_are_columns(void)
{
	const struct profile *profile;
	const struct sample_row *row;
	const struct thread *thread;

	CHECK_EQ(add(two, 0), 0);
	profile = batch.profile;
	row = &profile->types[0].rows[1];
	thread = &profile->threads.threads[row->thread];
	CHECK_EQ(row->cpu, 0);
	CHECK_EQ(thread->pid, 7);
	CHECK_EQ(thread->tid, 8);
	CHECK_STR(string_table_text(&profile->strings, thread->name), "io 2");
	CHECK_EQ(profile->types[0].period, 50000000);
	ingest_batch_done(&batch);
}

static void events_are_types(void)
{
	check_lines("b 1  1.000000:  3 page-faults:u: \n\t 1 f (/b)\n\n"
		    "b 1  1.000000:  1000 cycles:ppp: \n\t 1 f (/b)\n\n"
		    "b 1  1.000000:  2000 cycles:ppp: \n\t 1 f (/b)\n\n"
		    "b 1  1.000000: sched:sched_switch: prev=x\n\t 1 f (/b)\n\n"
		    "b 1  1.000000:  9 task-clock:\n\t 1 f (/b)\n\n",
		0,
		"perf:cycles:count::{} f 2 3000\nperf:page-faults:count::{} f 1 3\n"
		"perf:samples:count:sched_sched_switch:count{} f 1 1\n" CPU "{} f 1 9\n");
}

static void clocks_without_a_period_are_counted_or_scaled(void)
{
	static const char text[] =
		"b 1  1.000000: cpu-clock: \n\t 1 f\n  b.c:13\n\t 2 g\n  ??:0\n\n";

	check_lines(text, 0, "process_cpu:samples:count::{} g;f(b.c:13) 1 1\n");
	check_lines(text, 100, CPU "{} g;f(b.c:13) 1 10000000\n");
}

static void frames_may_stand_behind_the_event(void)
{
	check_lines("  burn 1  1.000000:  5 cpu-clock:   7ff9e34ecaeb sin+0x1b (/lib/libm.so.6)\n"
		    "  burn 1  1.000000:  5 cpu-clock:   7ff9e34ecaeb [unknown] (/lib/libm.so.6)\n"
		    "  burn 1  1.000000:  5 cpu-clock: \n",
		0, CPU "{} [unknown] 1 5\n" CPU "{} [unknown] 1 5\n" CPU "{} sin 1 5\n");
}

static void records_are_no_samples(void)
{
	check_lines("b 1/1  1.000000: PERF_RECORD_MMAP2 1/1: [0x5(0x1) @ 0 fe:00 1 2]: r-xp /b\n"
		    "b 1/1  1.000000: PERF_RECORD_FORK(1:2):(1:1)\n"
		    "b 1/1  1.000000:  7 cpu-clock: \n\t 1 f (/b)\n",
		0, CPU "{} f 1 7\n");
}

static void what_is_no_sample_is_counted_or_refused(void)
{
	CHECK_EQ(add("what\n\nb 1  1.000000:  7 cpu-clock: \n  what\n\t 1 f (/b)\n", 0), 0);
	CHECK_EQ(batch.drops.lines_skipped, 2);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{} f 1 7\n");
	CHECK(!perf_script_is(text_of("main;a 1\n")));
	CHECK_EQ(add("main;a 1\n", 0), -EBADMSG);
	CHECK(strstr(fault.text, "no line of it is a sample"));
	ingest_batch_done(&batch);
	CHECK_EQ(add("\n \n", 0), 0);
	ingest_batch_done(&batch);
}

static void deep_stacks_keep_their_leaves(void)
{
	enum { DEPTH = INGEST_DEPTH_MAX + 9 };
	static char text[8 * DEPTH + 64];
	size_t at = (size_t)snprintf(text, sizeof(text), "b 1  1.000000:  7 cpu-clock: \n");

	for (int i = 0; i < DEPTH; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "\t 1 f\n");
	CHECK_EQ(add(text, 0), 0);
	CHECK_EQ(batch.drops.stacks_cut, 1);
	CHECK_EQ(batch.profile->types[0].rows[0].value, 7);
	ingest_batch_done(&batch);
}

int main(void)
{
	RUN(a_sample_has_a_head_and_frames);
	RUN(threads_and_cpus_are_columns);
	RUN(events_are_types);
	RUN(clocks_without_a_period_are_counted_or_scaled);
	RUN(frames_may_stand_behind_the_event);
	RUN(records_are_no_samples);
	RUN(what_is_no_sample_is_counted_or_refused);
	RUN(deep_stacks_keep_their_leaves);
	return 0;
}
