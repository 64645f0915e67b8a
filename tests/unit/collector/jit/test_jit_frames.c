/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/jit_frames.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define TICKS 500

static struct tally tally;
static struct jit_desk *desk;
static struct jit_frames frames;
static struct profile *profile;
static struct sample_table *samples;
static struct process process = {.pid = 7};

static void open_window(void)
{
	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, 10, true, &samples), 0);
}

static void set_up(void)
{
	struct jit_maps_config config = {
		.tally = &tally, .clock = clock_system(), .bytes_max = JIT_BYTES_USUAL};

	tally = (struct tally){{0}};
	work_run("rm -rf proc && mkdir -p proc/7/root/tmp && "
		 "echo '7 (c) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 %d 0' > proc/7/stat "
		 "&& printf 'Uid:\\t0\\t0\\t0\\t0\\n' > proc/7/status && "
		 "printf '1000 100 one\\n2000 100 two\\n' > proc/7/root/tmp/perf-7.map",
		TICKS);
	CHECK_EQ(jit_desk_new(&config, work_path("proc"), &desk), 0);
	jit_frames_init(&frames, desk, &tally);
	open_window();
}

static void tear_down(void)
{
	profile_free(profile);
	jit_frames_done(&frames);
	jit_desk_free(desk);
}

static uint32_t add(uint64_t ip, bool is_return)
{
	struct jit_sighting sighting = {&process, ip, is_return, clock_monotonic_ns()};
	uint32_t frame;

	CHECK_EQ(jit_frames_add(&frames, profile, &sighting, &frame), 0);
	return frame;
}

/* A sample with the one frame FRAME. */
static void add_sample(uint32_t frame)
{
	uint32_t node;

	CHECK_EQ(stack_table_add(&profile->stacks, STACK_EMPTY, frame, &node), 0);
	CHECK_EQ(sample_table_add(samples, node, 0, 0, 10, 0), 0);
}

/* The only frame of the stack of row ROW. */
static const struct frame *frame_of(uint32_t row)
{
	uint32_t node = samples->rows[row].stack;

	CHECK_EQ(profile->stacks.nodes[node].parent, STACK_EMPTY);
	return &profile->frames.frames[profile->stacks.nodes[node].frame];
}

static void check_named(const struct frame *frame, const char *name)
{
	uint32_t module = profile->modules.modules[frame->module].name;

	CHECK_EQ(frame->kind, FRAME_NATIVE);
	CHECK_EQ(frame->flags, FRAME_NAMED);
	CHECK_STR(string_table_text(&profile->strings, module), "[jit]");
	CHECK_STR(string_table_text(&profile->strings, (uint32_t)frame->address), name);
}

static void frames_get_their_names_when_the_window_closes(void)
{
	set_up();
	add_sample(add(0x1000, false));
	add_sample(add(0x1042, true));
	add_sample(add(0x2000, false));
	/* The instruction before a return address counts. */
	add_sample(add(0x1100, true));
	add_sample(add(0x1100, false));
	CHECK_EQ(jit_frames_close(&frames, profile), 0);
	CHECK_EQ(samples->row_count, 3);
	CHECK_EQ(samples->rows[0].count, 3);
	check_named(frame_of(0), "one");
	check_named(frame_of(1), "two");
	CHECK_EQ(frame_of(2)->kind, FRAME_UNKNOWN);
	CHECK_EQ(frame_of(2)->module, 0);
	CHECK_EQ(frame_of(2)->flags, 0);
	CHECK(frame_of(2)->address == 0x1100);
	CHECK_EQ(tally_value(&tally, TALLY_jit_frames_named), 4);
	CHECK_EQ(tally_value(&tally, TALLY_jit_frames_unnamed), 1);
	tear_down();
}

static void without_a_map_addresses_are_what_they_were(void)
{
	set_up();
	work_run("rm proc/7/root/tmp/perf-7.map");
	add_sample(add(0x1000, true));
	CHECK_EQ(jit_frames_close(&frames, profile), 0);
	CHECK_EQ(frame_of(0)->kind, FRAME_UNKNOWN);
	CHECK_EQ(frame_of(0)->flags, FRAME_RETURN_ADDRESS);
	CHECK_EQ(frame_of(0)->module, 0);
	CHECK(frame_of(0)->address == 0x1000);
	tear_down();
}

static void a_process_is_told_from_the_next_of_its_pid(void)
{
	struct process next = {.pid = 7, .started_at_ns = 501 * proc_tick_ns()};
	struct jit_sighting sighting = {&next, 0x1000, false, clock_monotonic_ns()};
	uint32_t frame;

	set_up();
	process.started_at_ns = TICKS * proc_tick_ns() + 1;
	add_sample(add(0x1000, false));
	CHECK_EQ(jit_frames_add(&frames, profile, &sighting, &frame), 0);
	add_sample(frame);
	CHECK_EQ(jit_frames_close(&frames, profile), 0);
	CHECK_EQ(samples->row_count, 2);
	check_named(frame_of(0), "one");
	CHECK_EQ(frame_of(1)->kind, FRAME_UNKNOWN);
	process.started_at_ns = 0;
	tear_down();
}

static void names_are_asked_for_while_the_window_is_open(void)
{
	uint64_t now_ns = clock_monotonic_ns();

	set_up();
	jit_frames_turn(&frames, profile, now_ns);
	add_sample(add(0x1000, false));
	jit_frames_turn(&frames, profile, now_ns);
	CHECK_EQ(frames.asked_count, 1);
	add_sample(add(0x2000, false));
	/* Not so soon again. */
	jit_frames_turn(&frames, profile, now_ns + JIT_ASK_INTERVAL_NS - 1);
	CHECK_EQ(frames.asked_count, 1);
	jit_frames_turn(&frames, profile, now_ns + JIT_ASK_INTERVAL_NS);
	CHECK_EQ(frames.asked_count, 2);
	while (frames.unanswered > 0)
		jit_frames_turn(&frames, profile, 0);
	/* A process that ended meanwhile loses nothing. */
	work_run("rm -r proc/7");
	CHECK_EQ(jit_frames_close(&frames, profile), 0);
	check_named(frame_of(0), "one");
	check_named(frame_of(1), "two");
	tear_down();
}

/* A window that is lost leaves questions behind, whose answers belong to nobody. */
static void answers_for_another_window_are_dropped_and_counted(void)
{
	set_up();
	add_sample(add(0x1000, false));
	jit_frames_turn(&frames, profile, JIT_ASK_INTERVAL_NS);
	jit_frames_drop(&frames);
	profile_free(profile);
	open_window();
	add_sample(add(0x2000, false));
	CHECK_EQ(jit_frames_close(&frames, profile), 0);
	CHECK_EQ(tally_value(&tally, TALLY_jit_answers_late), 1);
	check_named(frame_of(0), "two");
	tear_down();
}

int main(void)
{
	RUN(frames_get_their_names_when_the_window_closes);
	RUN(without_a_map_addresses_are_what_they_were);
	RUN(a_process_is_told_from_the_next_of_its_pid);
	RUN(names_are_asked_for_while_the_window_is_open);
	RUN(answers_for_another_window_are_dropped_and_counted);
	return 0;
}
