/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/window.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define PERIOD 10000000
#define START (UINT64_C(1000) * NS_PER_S)
#define END (UINT64_C(1010) * NS_PER_S)
#define TICKS 500

static struct tally tally;
static struct process_table processes;
static struct kernel_symbols kernel;
static struct window window;
static struct cpu_times before, after;

/* A host with one process, 10, of container and unit; no kernel addresses. */
static void set_up(void)
{
	struct process_table_config process_config = {.tally = &tally};
	struct window_config config = {.host = "stone",
		.kernel_release = "6.1.0",
		.period_ns = PERIOD,
		.pids_are_ours = true,
		.processes = &processes,
		.kernel = &kernel,
		.tally = &tally};
	struct window_span span = {START, END};

	tally = (struct tally){{0}};
	work_run("rm -rf proc sys; mkdir -p proc/10 sys/kernel && "
		 "echo '10 (c) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 %d 0' > proc/10/stat "
		 "&& "
		 "printf '1000-2000 r-xp 00000000 08:01 5 /nowhere/server\\n"
		 "8000-9000 rwxp 00000000 00:00 0\\n' > proc/10/maps && ln -s /nowhere/server "
		 "proc/10/exe && "
		 "echo '0::/system.slice/web.service' > proc/10/cgroup && "
		 "printf 'ffffffff81000000 T _text\\nffffffff82000000 T _etext\\n' > proc/kallsyms",
		TICKS);
	process_config.proc_folder = work_path("proc");
	CHECK_EQ(process_table_init(&processes, &process_config), 0);
	CHECK_EQ(kernel_symbols_init(&kernel, work_path("proc"), work_path("sys"), &tally), 0);
	CHECK_EQ(kernel.state, KERNEL_SYMBOLS_KNOWN);
	window_init(&window, &config);
	CHECK_EQ(window_open(&window, &span), 0);
}

static void tear_down(void)
{
	window_done(&window);
	process_table_done(&processes);
	kernel_symbols_done(&kernel);
	cpu_times_done(&before);
	cpu_times_done(&after);
}

static struct event_sample *sample(uint16_t kernel_frames, uint16_t user_frames)
{
	size_t frames = (size_t)kernel_frames + user_frames;
	struct event_sample *made = calloc(1, sizeof(*made) + frames * sizeof(uint64_t));

	CHECK(made);
	made->kind = EVENT_SAMPLE;
	made->taken_at_ns = START + 5;
	made->weight_ns = PERIOD;
	made->process_started_at_ns = TICKS * processes.tick_ns;
	made->pid = 10;
	made->tid = 12;
	made->kernel_frame_count = kernel_frames;
	made->user_frame_count = user_frames;
	made->kernel_stop = kernel_frames ? STOP_complete : STOP_absent;
	made->user_stop = user_frames ? STOP_complete : STOP_absent;
	memcpy(made->comm, "worker-3", 9);
	return made;
}

static void add(struct event_sample *made)
{
	window_add(&window, made, START);
	free(made);
}

static int no_counters(void *context, struct profile *profile)
{
	(void)context;
	return profile_add_counter(profile, "collector_test", 7);
}

static struct profile *finish(void)
{
	struct window_end end = {.clocks = {END, END, END + 5 * NS_PER_S},
		.end_ns = END,
		.online_cpu_count = 2,
		.before = &before,
		.after = &after};
	struct profile *profile;
	const char *what = "";

	CHECK_EQ(window_close(&window, &end, no_counters, NULL, &profile), 0);
	CHECK_EQ(profile_check(profile, &what), 0);
	return profile;
}

static const char *text(const struct profile *profile, uint32_t index)
{
	return string_table_text(&profile->strings, index);
}

/* The frames of row ROW, root first. */
static uint32_t frames_of(
	const struct profile *profile, uint32_t row, const struct frame *ret_frames[64])
{
	uint32_t node = profile->types[0].rows[row].stack;
	uint32_t depth = stack_table_depth(&profile->stacks, node);

	CHECK(depth <= 64);
	for (uint32_t i = depth; i > 0; i--) {
		ret_frames[i - 1] = &profile->frames.frames[profile->stacks.nodes[node].frame];
		node = profile->stacks.nodes[node].parent;
	}
	return depth;
}

static void expect_frame(const struct profile *profile, const struct frame *frame,
	enum frame_kind kind, const char *module, uint64_t address, uint8_t flags)
{
	CHECK_EQ(frame->kind, kind);
	CHECK_STR(text(profile, profile->modules.modules[frame->module].name), module);
	CHECK(frame->address == address);
	CHECK_EQ(frame->flags, flags);
}

static void expect_marker(
	const struct profile *profile, const struct frame *frame, const char *name)
{
	CHECK_EQ(frame->kind, FRAME_MARKER);
	CHECK_EQ(frame->flags, FRAME_NAMED);
	CHECK_STR(text(profile, (uint32_t)frame->address), name);
}

static void user_part_comes_first_and_kernel_part_on_top(void)
{
	struct event_sample *made;
	const struct frame *frames[64];
	struct profile *profile;

	set_up();
	made = sample(2, 3);
	made->ips[0] = 0xffffffff81000100;
	made->ips[1] = 0xffffffff81000205;
	made->ips[2] = 0x1010;
	made->ips[3] = 0x8020;
	made->ips[4] = 0x5555;
	add(made);
	profile = finish();
	CHECK_EQ(frames_of(profile, 0, frames), 5);
	expect_frame(profile, frames[0], FRAME_UNKNOWN, "", 0x5555, FRAME_RETURN_ADDRESS);
	expect_frame(profile, frames[1], FRAME_UNKNOWN, "", 0x8020, FRAME_RETURN_ADDRESS);
	expect_frame(profile, frames[2], FRAME_NATIVE, "server", 0x10, 0);
	expect_frame(profile, frames[3], FRAME_KERNEL, "[kernel]", 0x205, FRAME_RETURN_ADDRESS);
	expect_frame(profile, frames[4], FRAME_KERNEL, "[kernel]", 0x100, 0);
	CHECK_EQ(tally_value(&tally, TALLY_user_frames), 3);
	CHECK_EQ(tally_value(&tally, TALLY_kernel_frames), 2);
	CHECK_EQ(tally_value(&tally, TALLY_user_frames_anonymous), 1);
	CHECK_EQ(tally_value(&tally, TALLY_user_frames_unmapped), 1);
	CHECK_EQ(tally_value(&tally, TALLY_user_frames_unread), 1);
	profile_free(profile);
	tear_down();
}

static void generated_code_gets_names_from_the_map_of_its_process(void)
{
	struct jit_maps_config config = {
		.tally = &tally, .clock = clock_system(), .bytes_max = JIT_BYTES_USUAL};
	const struct frame *frames[64];
	struct jit_frames jit;
	struct jit_desk *desk;
	struct event_sample *made;
	struct profile *profile;

	set_up();
	work_run("mkdir -p proc/10/root/tmp && printf 'Uid:\\t0\\t0\\t0\\t0\\n' > proc/10/status "
		 "&& echo '8000 40 generated one' > proc/10/root/tmp/perf-10.map");
	CHECK_EQ(jit_desk_new(&config, work_path("proc"), &desk), 0);
	jit_frames_init(&jit, desk, &tally);
	window.config.jit = &jit;
	made = sample(0, 3);
	made->ips[0] = 0x8010;
	made->ips[1] = 0x8060;
	made->ips[2] = 0x1010;
	add(made);
	window_turn(&window, START);
	profile = finish();
	CHECK_EQ(frames_of(profile, 0, frames), 3);
	expect_frame(profile, frames[1], FRAME_UNKNOWN, "", 0x8060, FRAME_RETURN_ADDRESS);
	CHECK_EQ(frames[2]->kind, FRAME_NATIVE);
	CHECK_EQ(frames[2]->flags, FRAME_NAMED);
	CHECK_STR(text(profile, (uint32_t)frames[2]->address), "generated one");
	CHECK_EQ(tally_value(&tally, TALLY_user_frames_anonymous), 2);
	CHECK_EQ(tally_value(&tally, TALLY_jit_frames_named), 1);
	profile_free(profile);
	tear_down();
	jit_frames_done(&jit);
	jit_desk_free(desk);
}

static void labels_name_process_service_and_place(void)
{
	const struct thread *thread;
	struct profile *profile;

	set_up();
	add(sample(0, 1));
	profile = finish();
	CHECK_EQ(profile->threads.count, 1);
	thread = &profile->threads.threads[0];
	CHECK_EQ(thread->pid, 10);
	CHECK_EQ(thread->tid, 12);
	CHECK_STR(text(profile, thread->name), "worker-3");
	CHECK_STR(label_table_value(&profile->labels, &profile->strings, thread->labels, "process"),
		"server");
	CHECK_STR(label_table_value(
			  &profile->labels, &profile->strings, thread->labels, "service_name"),
		"web");
	CHECK_STR(label_table_value(&profile->labels, &profile->strings, thread->labels, "unit"),
		"web.service");
	CHECK_STR(text(profile, profile->head.host), "stone");
	CHECK_STR(text(profile, profile->head.kernel_release), "6.1.0");
	CHECK_EQ(profile->counter_count, 1);
	profile_free(profile);
	tear_down();
}

static void kernel_threads_and_unknown_processes_have_names(void)
{
	struct event_sample *made;
	struct profile *profile;
	unsigned found = 0;

	set_up();
	made = sample(1, 0);
	made->flags = EVENT_KERNEL_THREAD | EVENT_IN_KERNEL;
	made->pid = made->tid = 33;
	memcpy(made->comm, "kworker/0:1", 12);
	add(made);
	made = sample(0, 1);
	made->pid = 99;
	made->process_started_at_ns = 1;
	memcpy(made->comm, "gone", 5);
	add(made);
	profile = finish();
	CHECK_EQ(profile->threads.count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const char *name = label_table_value(&profile->labels, &profile->strings,
			profile->threads.threads[i].labels, "process");

		found += strcmp(name, "[kworker]") == 0 || strcmp(name, "gone") == 0;
	}
	CHECK_EQ(found, 2);
	profile_free(profile);
	tear_down();
}

static void what_is_missing_is_marked_where_it_is_missing(void)
{
	struct event_sample *made;
	const struct frame *frames[64];
	struct profile *profile;

	set_up();
	made = sample(1, 1);
	made->user_stop = STOP_truncated;
	made->kernel_stop = STOP_truncated;
	made->ips[0] = 0xffffffff81000100;
	add(made);
	profile = finish();
	CHECK_EQ(frames_of(profile, 0, frames), 4);
	expect_marker(profile, frames[0], "[truncated]");
	CHECK_EQ(frames[1]->kind, FRAME_UNKNOWN);
	expect_marker(profile, frames[2], "[truncated]");
	CHECK_EQ(frames[3]->kind, FRAME_KERNEL);
	CHECK_EQ(tally_value(&tally, TALLY_stacks_incomplete), 1);
	profile_free(profile);
	tear_down();

	set_up();
	made = sample(0, 1);
	made->user_stop = STOP_bad_frame_pointer;
	made->kernel_stop = STOP_refused;
	add(made);
	profile = finish();
	CHECK_EQ(frames_of(profile, 0, frames), 3);
	expect_marker(profile, frames[0], "[unwind stopped: bad frame pointer]");
	expect_marker(profile, frames[2], "[kernel stack lost]");
	profile_free(profile);
	tear_down();

	set_up();
	add(sample(0, 0));
	profile = finish();
	CHECK_EQ(frames_of(profile, 0, frames), 1);
	expect_marker(profile, frames[0], "[unknown]");
	profile_free(profile);
	tear_down();
}

static void hidden_kernel_addresses_stay_absolute_under_the_kernel(void)
{
	struct event_sample *made;
	const struct frame *frames[64];
	struct profile *profile;

	set_up();
	kernel.state = KERNEL_SYMBOLS_HIDDEN;
	made = sample(1, 0);
	made->ips[0] = 0xffffffff81000100;
	add(made);
	profile = finish();
	CHECK_EQ(frames_of(profile, 0, frames), 1);
	expect_frame(profile, frames[0], FRAME_KERNEL, "[kernel]", 0xffffffff81000100, 0);
	CHECK(!build_id_known(&profile->modules.modules[frames[0]->module].build_id));
	profile_free(profile);
	tear_down();

	/* Generated code is in the kernel, but in none of its modules. */
	set_up();
	made = sample(1, 0);
	made->ips[0] = 0xffffffffc0001234;
	add(made);
	profile = finish();
	CHECK_EQ(frames_of(profile, 0, frames), 1);
	expect_frame(profile, frames[0], FRAME_KERNEL, "", 0xffffffffc0001234, 0);
	CHECK_EQ(tally_value(&tally, TALLY_kernel_frames_unknown), 1);
	profile_free(profile);
	tear_down();
}

/* Whatever comes: the weights of the profile are those of the samples, and each has its slot. */
static void all_weight_that_goes_in_comes_out(void)
{
	uint64_t weight_in = 0, weight_out = 0, on_cpus = 0;
	uint32_t slots = 0, count = 0;
	unsigned seed = 11;
	struct profile *profile;

	set_up();
	for (int i = 0; i < 3000; i++) {
		struct event_sample *made =
			sample((uint16_t)(rand_r(&seed) % 4), (uint16_t)(rand_r(&seed) % 5));

		made->taken_at_ns = START + (uint64_t)rand_r(&seed) % (END - START);
		made->weight_ns = 1 + (uint64_t)rand_r(&seed) % 1000;
		made->pid = 8 + (uint32_t)rand_r(&seed) % 4;
		made->tid = 10 + (uint32_t)rand_r(&seed) % 3;
		made->cpu = (uint32_t)rand_r(&seed) % 3;
		made->flags = rand_r(&seed) % 5 == 0 ? EVENT_KERNEL_THREAD : 0;
		made->user_stop = (uint8_t)(1 + rand_r(&seed) % (STOP_MAX - 1));
		for (int f = 0; f < made->kernel_frame_count + made->user_frame_count; f++)
			made->ips[f] = (uint64_t)rand_r(&seed) % 16 * 0x800;
		weight_in += made->weight_ns;
		add(made);
	}
	CHECK_EQ(cpu_times_parse(&before, "cpu0 0\ncpu1 0\ncpu2 0\n", 21, 1), 0);
	CHECK_EQ(cpu_times_parse(&after, "cpu0 5\ncpu1 6\ncpu2 7\n", 21, 1), 0);
	profile = finish();
	for (uint32_t i = 0; i < profile->types[0].row_count; i++) {
		const struct sample_row *row = &profile->types[0].rows[i];

		weight_out += (uint64_t)row->value;
		count += row->count;
		CHECK(row->stack != STACK_EMPTY);
	}
	slots = profile->types[0].slot_count;
	for (uint32_t i = 0; i < profile->cpu_count; i++)
		on_cpus += profile->cpus[i].sampled_ns;
	CHECK_EQ(count, 3000);
	CHECK_EQ(slots, 3000);
	CHECK_EQ(weight_out, weight_in);
	CHECK_EQ(on_cpus, weight_in);
	CHECK_EQ(profile->cpu_count, 3);
	CHECK_EQ(profile->cpus[2].busy_ns, 7);
	CHECK_EQ(tally_value(&tally, TALLY_samples_counted), 3000);
	CHECK_EQ(tally_value(&tally, TALLY_samples_dropped), 0);
	profile_free(profile);
	tear_down();
}

static void slots_count_from_the_start_and_late_samples_go_first(void)
{
	struct event_sample *made;
	struct profile *profile;

	set_up();
	made = sample(0, 1);
	made->taken_at_ns = START + 3 * PROFILE_SLOT_NS;
	add(made);
	made = sample(0, 1);
	made->taken_at_ns = START - 1;
	add(made);
	made = sample(0, 1);
	made->taken_at_ns = END - 1;
	add(made);
	profile = finish();
	CHECK_EQ(profile->types[0].row_count, 1);
	CHECK_EQ(profile->types[0].slot_count, 3);
	CHECK_EQ(profile->types[0].slots[0], 0);
	CHECK_EQ(profile->types[0].slots[1], 3);
	CHECK_EQ(profile->types[0].slots[2], (END - START) / PROFILE_SLOT_NS - 1);
	CHECK_EQ(tally_value(&tally, TALLY_samples_late), 1);
	profile_free(profile);
	tear_down();
}

static int fail_counters(void *context, struct profile *profile)
{
	(void)context;
	(void)profile;
	return -ENOMEM;
}

static void windows_follow_each_other_with_nothing_left_over(void)
{
	struct window_end end = {.before = &before, .after = &after, .end_ns = END};
	struct window_span next = {END, END + 10 * NS_PER_S};
	struct profile *first, *second;

	set_up();
	add(sample(0, 2));
	first = finish();
	CHECK_EQ(window_open(&window, &next), 0);
	second = finish();
	CHECK_EQ(second->types[0].row_count, 0);
	profile_free(first);
	profile_free(second);

	/* Without an open window a sample is counted as dropped. */
	add(sample(0, 2));
	CHECK_EQ(tally_value(&tally, TALLY_samples_dropped), 1);
	CHECK_EQ(window_close(&window, &end, no_counters, NULL, &first), -ENOMEM);
	CHECK_EQ(window_open(&window, &next), 0);
	CHECK_EQ(window_close(&window, &end, fail_counters, NULL, &first), -ENOMEM);
	tear_down();
}

static void in_another_pid_namespace_threads_give_the_name(void)
{
	struct profile *profile;

	set_up();
	window.config.pids_are_ours = false;
	add(sample(0, 1));
	profile = finish();
	CHECK_STR(label_table_value(&profile->labels, &profile->strings,
			  profile->threads.threads[0].labels, "process"),
		"worker-3");
	profile_free(profile);
	tear_down();
}

int main(void)
{
	RUN(user_part_comes_first_and_kernel_part_on_top);
	RUN(generated_code_gets_names_from_the_map_of_its_process);
	RUN(labels_name_process_service_and_place);
	RUN(kernel_threads_and_unknown_processes_have_names);
	RUN(what_is_missing_is_marked_where_it_is_missing);
	RUN(hidden_kernel_addresses_stay_absolute_under_the_kernel);
	RUN(all_weight_that_goes_in_comes_out);
	RUN(slots_count_from_the_start_and_late_samples_go_first);
	RUN(windows_follow_each_other_with_nothing_left_over);
	RUN(in_another_pid_namespace_threads_give_the_name);
	return 0;
}
