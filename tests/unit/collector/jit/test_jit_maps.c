/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/jit_maps.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define START (UINT64_C(5000) * NS_PER_S)

static struct proc_root root;
static struct tally tally;
static struct jit_maps maps;
static uint64_t now_ns;

static struct clock_reading read_clock(void *context)
{
	uint64_t monotonic_ns = *(uint64_t *)context;

	return (struct clock_reading){.monotonic_ns = monotonic_ns, .realtime_ns = monotonic_ns};
}

static void make_process(unsigned pid)
{
	work_run("mkdir -p proc/%u/root/tmp && "
		 "echo '%u (c) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 500 0' > proc/%u/stat "
		 "&& printf 'Uid:\\t0\\t0\\t0\\t0\\n' > proc/%u/status",
		pid, pid, pid, pid);
}

static void set_up(uint64_t bytes_max)
{
	struct jit_maps_config config = {.root = &root,
		.tally = &tally,
		.clock = {read_clock, &now_ns},
		.bytes_max = bytes_max};

	work_run("rm -rf proc");
	for (unsigned pid = 1; pid <= 4; pid++)
		make_process(pid);
	now_ns = START;
	tally = (struct tally){{0}};
	CHECK_EQ(proc_root_init(&root, work_path("proc")), 0);
	jit_maps_init(&maps, &config);
}

static void tear_down(void)
{
	jit_maps_done(&maps);
	proc_root_done(&root);
}

static void write_map(unsigned pid, const char *line)
{
	work_run("echo '%s' >> proc/%u/root/tmp/perf-%u.map", line, pid, pid);
}

/* The name of ADDRESS in PID, `?` for too early, empty for none. */
static const char *ask(unsigned pid, uint64_t address, bool is_last)
{
	static char name[200];
	struct jit_batch *batch;

	CHECK_EQ(jit_batch_new(0, 1, &batch), 0);
	batch->is_last = is_last;
	batch->questions[0] =
		(struct jit_question){.pid = pid, .address = address, .taken_at_ns = now_ns};
	jit_maps_answer(&maps, batch);
	snprintf(name, sizeof(name), "%s",
		batch->questions[0].text != JIT_UNNAMED ? batch->texts + batch->questions[0].text
			: batch->questions[0].is_early	? "?"
							: "");
	jit_batch_free(batch);
	return name;
}

static void questions_are_answered_by_the_map_of_their_process(void)
{
	struct jit_batch *batch;

	set_up(JIT_BYTES_USUAL);
	write_map(1, "1000 10 one");
	write_map(2, "1000 10 two");
	write_map(2, "nonsense");
	CHECK_EQ(jit_batch_new(0, 4, &batch), 0);
	batch->is_last = true;
	for (uint32_t i = 0; i < 4; i++) {
		batch->questions[i] = (struct jit_question){.number = i,
			.pid = 1 + i % 3,
			.address = 0x1000 + i,
			.taken_at_ns = now_ns};
	}
	jit_maps_answer(&maps, batch);
	for (uint32_t i = 0; i < 4; i++) {
		const struct jit_question *question = &batch->questions[i];
		static const char *const names[] = {"one", "two", NULL, "one"};
		const char *name = names[question->number];

		CHECK(!question->is_early);
		if (name)
			CHECK_STR(batch->texts + question->text, name);
		else
			CHECK_EQ(question->text, JIT_UNNAMED);
	}
	jit_batch_free(batch);
	CHECK_EQ(tally_value(&tally, TALLY_jit_maps_read), 2);
	CHECK_EQ(tally_value(&tally, TALLY_jit_lines_malformed), 1);
	CHECK_EQ(tally_value(&tally, TALLY_jit_bytes_read), 33);
	CHECK(tally_value(&tally, TALLY_jit_bytes_held) > 0);
	tear_down();
}

static void a_map_that_comes_later_names_what_is_asked_again(void)
{
	set_up(JIT_BYTES_USUAL);
	CHECK_STR(ask(1, 0x1000, false), "?");
	CHECK_STR(ask(1, 0x1000, true), "");
	write_map(1, "1000 10 late");
	/* It is not looked for at once, but at the end. */
	CHECK_STR(ask(1, 0x1000, false), "?");
	CHECK_STR(ask(1, 0x1000, true), "late");
	tear_down();
}

static void what_is_refused_is_counted_once(void)
{
	set_up(JIT_BYTES_USUAL);
	work_run("ln -s /etc/passwd proc/1/root/tmp/perf-1.map");
	for (int i = 0; i < 5; i++) {
		CHECK_STR(ask(1, 0x1000, true), "");
		now_ns += 60 * NS_PER_S;
	}
	CHECK_EQ(tally_value(&tally, TALLY_jit_maps_refused), 1);
	CHECK_EQ(tally_value(&tally, TALLY_jit_bytes_read), 0);
	tear_down();
}

static void a_process_that_ended_is_named_by_what_it_said_last(void)
{
	set_up(JIT_BYTES_USUAL);
	write_map(1, "1000 10 known");
	CHECK_STR(ask(1, 0x1000, false), "known");
	write_map(1, "1000 10 last");
	write_map(1, "2000 10 other");
	work_run("rm -r proc/1");
	now_ns += NS_PER_S;
	CHECK_STR(ask(1, 0x1000, true), "last");
	CHECK_STR(ask(1, 0x2000, true), "other");
	tear_down();
}

static void files_are_held_for_a_while_and_no_more_than_so_many(void)
{
	set_up(JIT_BYTES_USUAL);
	write_map(1, "1000 10 known");
	CHECK_STR(ask(1, 0x1000, false), "known");
	CHECK_EQ(maps.held_count, 1);
	now_ns += 20 * NS_PER_S;
	jit_maps_let_go(&maps);
	CHECK_EQ(maps.held_count, 0);
	/* Then nothing is known of what came later. */
	write_map(1, "1000 10 later");
	work_run("rm -r proc/1");
	CHECK_STR(ask(1, 0x1000, true), "");
	for (unsigned pid = 10; pid < 80; pid++) {
		make_process(pid);
		write_map(pid, "1000 10 one");
		CHECK_STR(ask(pid, 0x1000, true), "one");
	}
	CHECK_EQ(maps.held_count, 64);
	/* A file that is somebody else's now is believed no more. */
	work_run("rm proc/79/root/tmp/perf-79.map && ln -s x proc/79/root/tmp/perf-79.map");
	now_ns += NS_PER_S;
	CHECK_STR(ask(79, 0x1000, true), "");
	CHECK_EQ(maps.held_count, 63);
	tear_down();
}

static void reading_is_bounded_in_time(void)
{
	set_up(JIT_BYTES_USUAL);
	work_run("for i in $(seq 100000 399999); do echo ${i}00 10 a_name_that_is_long_$i; done > "
		 "proc/1/root/tmp/perf-1.map");
	CHECK_STR(ask(1, 0x39999900, false), "?");
	CHECK_EQ(tally_value(&tally, TALLY_jit_bytes_read) >> 20, 8);
	CHECK_STR(ask(1, 0x39999900, false), "?");
	CHECK_EQ(tally_value(&tally, TALLY_jit_bytes_read) >> 20, 8);
	now_ns += 4 * NS_PER_S;
	CHECK_STR(ask(1, 0x39999900, false), "a_name_that_is_long_399999");
	/* One process has more lines than it may keep: the first ones went. */
	CHECK(tally_value(&tally, TALLY_jit_entries_dropped) > 200000);
	CHECK_STR(ask(1, 0x10000000, true), "");
	CHECK(tally_value(&tally, TALLY_jit_bytes_held) <= JIT_BYTES_USUAL);
	tear_down();
}

static void a_map_that_was_replaced_is_counted(void)
{
	set_up(JIT_BYTES_USUAL);
	write_map(1, "1000 10 before");
	CHECK_STR(ask(1, 0x1000, false), "before");
	work_run("rm proc/1/root/tmp/perf-1.map");
	write_map(1, "1000 10 behind");
	CHECK_STR(ask(1, 0x1000, false), "behind");
	CHECK_EQ(tally_value(&tally, TALLY_jit_maps_replaced), 1);
	tear_down();
}

static void the_map_that_nobody_asked_for_longest_makes_room(void)
{
	set_up(JIT_BYTES_MIN);
	for (unsigned pid = 1; pid <= 4; pid++) {
		work_run("for i in $(seq 1000 1999); do echo ${i}0 10 a; done > "
			 "proc/%u/root/tmp/perf-%u.map",
			pid, pid);
		CHECK_STR(ask(pid, 0x10000, false), "a");
	}
	CHECK(tally_value(&tally, TALLY_jit_maps_evicted) >= 2);
	CHECK(tally_value(&tally, TALLY_jit_bytes_held) <= JIT_BYTES_MIN);
	CHECK(maps.count < 4);
	/* It is read again when it is asked for. */
	CHECK_STR(ask(1, 0x10000, false), "a");
	tear_down();
}

int main(void)
{
	RUN(questions_are_answered_by_the_map_of_their_process);
	RUN(a_map_that_comes_later_names_what_is_asked_again);
	RUN(what_is_refused_is_counted_once);
	RUN(a_process_that_ended_is_named_by_what_it_said_last);
	RUN(files_are_held_for_a_while_and_no_more_than_so_many);
	RUN(reading_is_bounded_in_time);
	RUN(a_map_that_was_replaced_is_counted);
	RUN(the_map_that_nobody_asked_for_longest_makes_room);
	return 0;
}
