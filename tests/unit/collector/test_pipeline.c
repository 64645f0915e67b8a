/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

/* Time, records and samples are what the test says. */

#define PERIOD (10 * NS_PER_MS)
#define WINDOW (10 * NS_PER_S)
/* Monotonic time at the start, and the epoch's: both on a multiple of the window. */
#define START (UINT64_C(1000) * NS_PER_S)
#define EPOCH (UINT64_C(1700000000) * NS_PER_S)

static struct tally tally;
static struct process_table processes;
static struct kernel_symbols kernel;
static struct pipeline pipeline;
static struct clock_reading now;

static struct task_record records[64];
static unsigned record_count, record_next;

#define EMITTED_MAX 32
static struct profile *emitted[EMITTED_MAX];
static unsigned emitted_count;

static struct clock_reading read_clock(void *context)
{
	(void)context;
	return now;
}

static int next_record(void *context, uint64_t until_ns, struct task_record *ret_record)
{
	(void)context;
	if (record_next == record_count || records[record_next].time_ns > until_ns)
		return 0;
	*ret_record = records[record_next++];
	return 1;
}

static int counters_fault;

static int add_counters(void *context, struct profile *profile)
{
	(void)context;
	return counters_fault < 0 ? counters_fault : profile_add_counter(profile, "test", 1);
}

static void emit(void *context, struct profile *profile)
{
	const char *what = "";
	int r = profile_check(profile, &what);

	(void)context;
	if (r < 0)
		fprintf(stderr, "%s\n", what);
	CHECK_EQ(r, 0);
	CHECK(emitted_count < EMITTED_MAX);
	emitted[emitted_count++] = profile;
}

static void set_up(void)
{
	struct process_table_config process_config = {.tally = &tally, .clock = {read_clock, NULL}};
	struct pipeline_config config = {
		.window = {.period_ns = PERIOD,
			.pids_are_ours = true,
			.processes = &processes,
			.kernel = &kernel,
			.tally = &tally},
		.window_ns = WINDOW,
		.clock = {read_clock, NULL},
		.started = {START, START, EPOCH},
		.next_record = next_record,
		.add_status = add_counters,
		.emit = emit,
	};

	tally = (struct tally){{0}};
	record_count = record_next = emitted_count = 0;
	now = config.started;
	work_run("rm -rf proc sys; mkdir -p proc/10 sys && echo 'cpu0 0 0 0 0' > stat && "
		 "echo '10 (c) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 500 0' > proc/10/stat "
		 "&& "
		 "echo '1000-2000 r-xp 0 08:01 5 /bin/old' > proc/10/maps && ln -s /bin/old "
		 "proc/10/exe && "
		 "echo '0::/' > proc/10/cgroup");
	process_config.proc_folder = work_path("proc");
	CHECK_EQ(process_table_init(&processes, &process_config), 0);
	CHECK_EQ(process_table_scan(&processes), 0);
	CHECK_EQ(kernel_symbols_init(&kernel, work_path("proc"), work_path("sys"), &tally), 0);
	config.stat_path = work_path("stat");
	CHECK_EQ(pipeline_init(&pipeline, &config), 0);
}

static void tear_down(void)
{
	for (unsigned i = 0; i < emitted_count; i++)
		profile_free(emitted[i]);
	pipeline_done(&pipeline);
	process_table_done(&processes);
	kernel_symbols_done(&kernel);
}

static void add(uint64_t after_start_ns, uint32_t pid)
{
	struct event_sample *sample = calloc(1, sizeof(*sample) + sizeof(uint64_t));

	CHECK(sample);
	sample->taken_at_ns = START + after_start_ns;
	sample->weight_ns = PERIOD;
	sample->process_started_at_ns = pid == 10 ? 500 * processes.tick_ns : 0;
	sample->pid = sample->tid = pid;
	sample->user_frame_count = 1;
	sample->user_stop = STOP_complete;
	sample->kernel_stop = STOP_absent;
	sample->ips[0] = 0x1010;
	memcpy(sample->comm, "comm", 5);
	CHECK_EQ(pipeline_add(&pipeline, sample), 0);
	free(sample);
}

static void record(struct task_record made, uint64_t after_start_ns)
{
	made.time_ns = START + after_start_ns;
	records[record_count++] = made;
}

static void pass(uint64_t nanoseconds)
{
	now.monotonic_ns += nanoseconds;
	now.boottime_ns += nanoseconds;
	now.realtime_ns += nanoseconds;
}

static void round_at(uint64_t after_start_ns)
{
	pass(START + after_start_ns - now.monotonic_ns);
	pipeline_begin(&pipeline);
	pipeline_end(&pipeline);
}

static uint64_t samples_emitted(void)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < emitted_count; i++)
		count += profile_sample_count(emitted[i]);
	return count;
}

/* How many samples of PROFILE say that they are of PROCESS. */
static uint32_t count_of(const struct profile *profile, const char *process)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->types[0].row_count; i++) {
		const struct sample_row *row = &profile->types[0].rows[i];
		const char *name = label_table_value(&profile->labels, &profile->strings,
			profile->threads.threads[row->thread].labels, "process");

		if (strcmp(name, process) == 0)
			count += row->count;
	}
	return count;
}

static void the_first_window_is_short_and_later_ones_end_at_multiples(void)
{
	set_up();
	CHECK_EQ(pipeline_deadline_ns(&pipeline), START + WINDOW_FIRST_NS + PIPELINE_SLACK_NS);
	round_at(WINDOW_FIRST_NS);
	CHECK_EQ(emitted_count, 0);
	round_at(WINDOW_FIRST_NS + PIPELINE_SLACK_NS);
	CHECK_EQ(emitted_count, 1);
	round_at(WINDOW + PIPELINE_SLACK_NS);
	CHECK_EQ(emitted_count, 2);
	round_at(2 * WINDOW + PIPELINE_SLACK_NS);
	CHECK_EQ(emitted_count, 3);
	CHECK(profile_window_epoch_ns(emitted[0]) == EPOCH);
	CHECK(profile_window_end_epoch_ns(emitted[0]) == EPOCH + WINDOW_FIRST_NS);
	CHECK(profile_window_epoch_ns(emitted[1]) == EPOCH + WINDOW_FIRST_NS);
	CHECK(profile_window_end_epoch_ns(emitted[1]) == EPOCH + WINDOW);
	CHECK(profile_window_end_epoch_ns(emitted[2]) == EPOCH + 2 * WINDOW);
	CHECK_EQ(emitted[1]->counter_count, 1);
	tear_down();
}

static void samples_go_to_the_window_of_their_time(void)
{
	set_up();
	add(WINDOW_FIRST_NS + 5, 10);
	add(5, 10);
	add(WINDOW_FIRST_NS - 1, 10);
	round_at(WINDOW_FIRST_NS + PIPELINE_SLACK_NS + 100);
	CHECK_EQ(emitted_count, 1);
	CHECK_EQ(profile_sample_count(emitted[0]), 2);
	add(WINDOW_FIRST_NS + 9, 10);
	round_at(WINDOW + PIPELINE_SLACK_NS);
	CHECK_EQ(profile_sample_count(emitted[1]), 2);
	CHECK_EQ(tally_value(&tally, TALLY_samples_late), 0);
	tear_down();
}

/* The order in which rings are read says nothing; times do. */
static void a_sample_sees_its_process_as_it_was_then(void)
{
	struct task_record exec = {.kind = TASK_NAMED, .pid = 10, .named = {"new", true}};
	struct task_record map = {.kind = TASK_MAPPED, .pid = 10};
	struct task_record fork = {.kind = TASK_FORKED, .pid = 20, .tid = 20, .parent_pid = 10};
	struct task_record end = {.kind = TASK_EXITED, .pid = 20, .tid = 20};

	set_up();
	map.mapped = (struct task_mapped){.start = 0x1000,
		.byte_count = 0x1000,
		.inode = 6,
		.path = "/bin/new",
		.path_length = strlen("/bin/new")};
	record(fork, 100);
	record(exec, 200);
	record(map, 201);
	record(end, 300);
	add(250, 10);
	add(150, 10);
	add(310, 20);
	add(250, 20);
	round_at(NS_PER_S);
	round_at(WINDOW_FIRST_NS + PIPELINE_SLACK_NS);
	CHECK_EQ(emitted_count, 1);
	/* One of pid 10 before exec; both of its child, also the one after it ended. */
	CHECK_EQ(count_of(emitted[0], "old"), 3);
	CHECK_EQ(count_of(emitted[0], "new"), 1);
	tear_down();
}

static void records_younger_than_the_horizon_wait(void)
{
	struct task_record exec = {.kind = TASK_NAMED, .pid = 10, .named = {"new", true}};

	set_up();
	record(exec, NS_PER_S);
	add(NS_PER_S - 1, 10);
	round_at(NS_PER_S + PIPELINE_SLACK_NS - 1);
	CHECK_EQ(record_next, 0);
	round_at(NS_PER_S + PIPELINE_SLACK_NS);
	CHECK_EQ(record_next, 1);
	tear_down();
}

static void a_window_that_cannot_be_closed_is_lost_and_counted(void)
{
	set_up();
	add(5, 10);
	add(6, 10);
	counters_fault = -ENOMEM;
	round_at(WINDOW_FIRST_NS + PIPELINE_SLACK_NS);
	counters_fault = 0;
	CHECK_EQ(emitted_count, 0);
	CHECK_EQ(tally_value(&tally, TALLY_windows_dropped), 1);
	CHECK_EQ(tally_value(&tally, TALLY_samples_window_dropped), 2);
	add(WINDOW_FIRST_NS + 5, 10);
	round_at(WINDOW + PIPELINE_SLACK_NS);
	CHECK_EQ(emitted_count, 1);
	CHECK_EQ(tally_value(&tally, TALLY_samples_received), 3);
	CHECK_EQ(tally_value(&tally, TALLY_samples_counted), 3);
	tear_down();
}

static void what_finds_no_room_is_refused_and_comes_again(void)
{
	struct event_sample *sample = calloc(1, EVENT_SAMPLE_BYTES_MAX);
	uint64_t held = 0;
	int r;

	CHECK(sample);
	set_up();
	sample->weight_ns = PERIOD;
	sample->taken_at_ns = START + 5;
	sample->kernel_frame_count = KERNEL_FRAMES_MAX;
	sample->user_frame_count = USER_FRAMES_MAX;
	sample->user_stop = sample->kernel_stop = STOP_complete;
	while ((r = pipeline_add(&pipeline, sample)) == 0)
		held++;
	CHECK_EQ(r, -ENOBUFS);
	CHECK_EQ(tally_value(&tally, TALLY_samples_held_full), 1);
	CHECK_EQ(tally_value(&tally, TALLY_samples_received), held);
	CHECK_EQ(hold_count(&pipeline.hold), held);
	round_at(NS_PER_S);
	CHECK_EQ(pipeline_add(&pipeline, sample), 0);
	CHECK_EQ(tally_value(&tally, TALLY_samples_counted), held);
	CHECK_EQ(hold_count(&pipeline.hold), 1);
	tear_down();
	free(sample);
}

static void losses_are_noticed(void)
{
	set_up();
	record((struct task_record){.kind = TASK_LOST, .lost_count = 3}, 100);
	round_at(NS_PER_S);
	CHECK(pipeline.records_lost);
	tear_down();
}

static void a_clock_that_is_set_closes_the_window(void)
{
	set_up();
	add(NS_PER_S / 2, 10);
	round_at(NS_PER_S);
	add(NS_PER_S + NS_PER_S / 2, 10);
	now.realtime_ns += 3600 * NS_PER_S;
	round_at(2 * NS_PER_S - 200 * NS_PER_MS);
	CHECK_EQ(emitted_count, 1);
	CHECK_EQ(tally_value(&tally, TALLY_windows_closed_early), 1);
	CHECK(!pipeline.host_slept);
	/* What was before is told by the clock of before. */
	CHECK(profile_window_epoch_ns(emitted[0]) == EPOCH);
	CHECK_EQ(profile_sample_count(emitted[0]), 2);
	add(2 * NS_PER_S, 10);
	round_at(WINDOW + PIPELINE_SLACK_NS);
	CHECK_EQ(emitted_count, 2);
	CHECK(profile_window_epoch_ns(emitted[1]) > EPOCH + 3600 * NS_PER_S);
	CHECK_EQ(profile_window_end_epoch_ns(emitted[1]) % WINDOW, 0);
	CHECK_EQ(profile_sample_count(emitted[1]), 1);
	CHECK_EQ(emitted[1]->head.window_start_ns, emitted[0]->head.window_end_ns);
	tear_down();
}

static void a_sleep_of_the_host_closes_the_window(void)
{
	set_up();
	round_at(NS_PER_S);
	now.boottime_ns += 600 * NS_PER_S;
	now.realtime_ns += 600 * NS_PER_S;
	round_at(NS_PER_S + 500 * NS_PER_MS);
	CHECK_EQ(emitted_count, 1);
	CHECK(pipeline.host_slept);
	round_at(NS_PER_S + 600 * NS_PER_MS);
	CHECK_EQ(emitted_count, 1);
	tear_down();
}

static void a_collector_held_up_for_long_catches_up(void)
{
	set_up();
	add(WINDOW_FIRST_NS / 2, 10);
	add(WINDOW + 1, 10);
	add(3 * WINDOW + 1, 10);
	round_at(4 * WINDOW + PIPELINE_SLACK_NS);
	CHECK_EQ(emitted_count, 5);
	CHECK_EQ(samples_emitted(), 3);
	for (unsigned i = 1; i < emitted_count; i++)
		CHECK_EQ(emitted[i]->head.window_start_ns, emitted[i - 1]->head.window_end_ns);
	tear_down();
}

static void every_sample_comes_out_once_whatever_its_time(void)
{
	unsigned seed = 17;
	uint64_t count = 0;

	set_up();
	for (uint64_t second = 1; second <= 45; second++) {
		for (int i = 0; i < 50; i++) {
			uint64_t back = (uint64_t)rand_r(&seed) % (3 * NS_PER_S / 2);

			add(second * NS_PER_S - (back < second * NS_PER_S ? back : 0), 10);
			count++;
		}
		if (second % 13 == 0)
			now.realtime_ns += NS_PER_S;
		round_at(second * NS_PER_S);
	}
	pass(NS_PER_MS);
	pipeline_begin(&pipeline);
	pipeline_finish(&pipeline);
	CHECK_EQ(samples_emitted(), count);
	CHECK_EQ(tally_value(&tally, TALLY_samples_counted), count);
	CHECK_EQ(hold_count(&pipeline.hold), 0);
	tear_down();
}

static void the_end_closes_the_window_where_it_is(void)
{
	set_up();
	add(NS_PER_S, 10);
	add(NS_PER_S + 999, 10);
	pass(NS_PER_S + 1000);
	pipeline_begin(&pipeline);
	pipeline_finish(&pipeline);
	CHECK_EQ(emitted_count, 1);
	CHECK_EQ(profile_sample_count(emitted[0]), 2);
	CHECK_EQ(emitted[0]->head.window_end_ns, START + NS_PER_S + 1000);
	tear_down();
}

static void busy_time_is_that_of_the_window(void)
{
	set_up();
	work_write_text("stat", "cpu0 100 0 0 50 0 0 0 7\n");
	round_at(WINDOW_FIRST_NS + PIPELINE_SLACK_NS);
	CHECK_EQ(emitted[0]->cpu_count, 1);
	CHECK_EQ(emitted[0]->cpus[0].busy_ns, 100 * processes.tick_ns);
	work_write_text("stat", "cpu0 110 0 0 50 0 0 0 7\n");
	round_at(WINDOW + PIPELINE_SLACK_NS);
	CHECK_EQ(emitted[1]->cpus[0].busy_ns, 10 * processes.tick_ns);
	CHECK_EQ(emitted[1]->cpus[0].idle_ns, 0);
	CHECK_EQ(pipeline.busy_ns, 110 * processes.tick_ns);
	tear_down();
}

int main(void)
{
	RUN(the_first_window_is_short_and_later_ones_end_at_multiples);
	RUN(samples_go_to_the_window_of_their_time);
	RUN(a_sample_sees_its_process_as_it_was_then);
	RUN(records_younger_than_the_horizon_wait);
	RUN(a_window_that_cannot_be_closed_is_lost_and_counted);
	RUN(what_finds_no_room_is_refused_and_comes_again);
	RUN(losses_are_noticed);
	RUN(a_clock_that_is_set_closes_the_window);
	RUN(a_sleep_of_the_host_closes_the_window);
	RUN(a_collector_held_up_for_long_catches_up);
	RUN(every_sample_comes_out_once_whatever_its_time);
	RUN(the_end_closes_the_window_where_it_is);
	RUN(busy_time_is_that_of_the_window);
	return 0;
}
