/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bpf/lib/step.bpf.h"

#include "bpf/lib/maps.bpf.h"
#include "bpf/unwind/table.bpf.h"

static __always_inline int push_frame(struct walk *walk)
{
	struct event_sample *sample = &walk->sample;
	uint32_t index = sample->kernel_frame_count + sample->user_frame_count;

	if (sample->user_frame_count >= USER_FRAMES_MAX || index >= FRAMES_MAX)
		return -1;
	walk->words[index] = walk->state.registers.ip;
	sample->user_frame_count++;
	return 0;
}

/* Whether it is time to look at the clock, and the clock says that the time is up. */
static __always_inline int out_of_time(const struct walk *walk)
{
	return walk->sample.user_frame_count % WALK_FRAMES_PER_CLOCK == 0 &&
		bpf_ktime_get_ns() > walk->deadline_ns;
}

/* Tables know best; where they say nothing, frame pointers may. */
static __always_inline enum stop step_unwind(struct walk *walk)
{
	enum stop stop = step_table(walk);

	if (stop != UNWIND_NO_RULE)
		return stop;
	return unwind_step_without_rule(
		&walk->state.registers, walk->state.leaf, window_read_word, walk);
}

__noinline int step_next(void)
{
	uint32_t key = 0;
	struct walk *walk = bpf_map_lookup_elem(&walks, &key);

	if (!walk)
		return STOP_no_registers;
	if (push_frame(walk))
		return STOP_truncated;
	if (out_of_time(walk))
		return STOP_budget;
	return step_unwind(walk);
}
