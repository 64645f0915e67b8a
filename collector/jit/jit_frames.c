/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   sample      place holder          question            answer        when the window closes
 *   ip in JIT   {[jit], number}   ->  pid, address, time  ->  "foo"     {[jit], "foo"}
 *   code        one for each pid,                         ->  none      {no module, ip}
 *               address, 200 ms
 */
#include "collector/jit/jit_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/profile/grow.h"
#include "store/profile/reframe.h"

#define MODULE_NAME "[jit]"
#define NO_NAME UINT32_MAX

struct jit_frame {
	uint64_t ip;
	uint64_t started_at_ns;
	uint64_t taken_at_ns; /* of the first sample */
	uint32_t pid;
	uint32_t index; /* of the place holder in the profile */
	uint32_t name; /* string of the profile; NO_NAME */
	uint32_t count; /* of frames that it stands for */
	bool is_return;
	bool is_early;
};

void jit_frames_init(struct jit_frames *frames, struct jit_desk *desk, struct tally *tally)
{
	*frames = (struct jit_frames){.desk = desk, .tally = tally};
	index_map_init(&frames->map, JIT_FRAMES_MAX);
}

void jit_frames_done(struct jit_frames *frames)
{
	index_map_done(&frames->map);
	free(frames->frames);
	*frames = (struct jit_frames){0};
}

/* The next window's answers are told from those of the one before by its number. */
static void begin_anew(struct jit_frames *frames)
{
	index_map_clear(&frames->map);
	frames->count = frames->asked_count = frames->unanswered = frames->early_count = 0;
	frames->window++;
}

void jit_frames_drop(struct jit_frames *frames)
{
	begin_anew(frames);
}

/* --- place holders -----------------------------------------------------------------------------
 */

static bool frame_equal(const void *context, uint32_t index, const void *key)
{
	const struct jit_frame *one = (const struct jit_frame *)context + index;
	const struct jit_frame *other = key;

	return one->ip == other->ip && one->pid == other->pid &&
		one->started_at_ns == other->started_at_ns && one->is_return == other->is_return &&
		one->taken_at_ns / JIT_STEP_NS == other->taken_at_ns / JIT_STEP_NS;
}

static int add_module(struct profile *profile, uint32_t *ret_module)
{
	struct module module = {.name = 0};
	int r = profile_add_text(profile, MODULE_NAME, &module.name);

	return r < 0 ? r : module_table_add(&profile->modules, &module, ret_module);
}

/* A frame of no other kind has this module and no name. */
static int add_holder(struct profile *profile, uint32_t number, uint32_t *ret_frame)
{
	struct frame frame = {.kind = FRAME_UNKNOWN, .address = number};
	int r = add_module(profile, &frame.module);

	return r < 0 ? r : frame_table_add(&profile->frames, &frame, ret_frame);
}

int jit_frames_add(struct jit_frames *frames, struct profile *profile,
	const struct jit_sighting *sighting, uint32_t *ret_frame)
{
	struct jit_frame frame = {
		.ip = sighting->ip,
		.started_at_ns = sighting->process->started_at_ns,
		.taken_at_ns = sighting->taken_at_ns,
		.pid = sighting->process->pid,
		.name = NO_NAME,
		.count = 1,
		.is_return = sighting->is_return,
	};
	uint64_t who = (uint64_t)frame.pid << 32 ^ frame.taken_at_ns / JIT_STEP_NS << 1 ^
		(frame.is_return ? 1 : 0);
	uint64_t hash = hash_pair(frame.ip, who);
	uint32_t number = index_map_find(&frames->map, hash, frame_equal, frames->frames, &frame);
	int r;

	if (number != INDEX_MAP_NONE) {
		frames->frames[number].count++;
		*ret_frame = frames->frames[number].index;
		return 0;
	}
	r = grow_array(&frames->frames, &frames->capacity, frames->count, JIT_FRAMES_MAX);
	if (r == 0)
		r = add_holder(profile, frames->count, &frame.index);
	if (r == 0)
		r = index_map_add(&frames->map, hash, frames->count);
	if (r < 0)
		return r;
	frames->frames[frames->count++] = frame;
	*ret_frame = frame.index;
	return 0;
}

/* --- questions and answers ---------------------------------------------------------------------
 */

static void put_question(
	const struct jit_frames *frames, uint32_t number, struct jit_question *question)
{
	const struct jit_frame *frame = &frames->frames[number];

	*question = (struct jit_question){
		.pid = frame->pid,
		.number = number,
		.started_at_ns = frame->started_at_ns,
		.address = frame->ip - (frame->is_return && frame->ip > 0 ? 1 : 0),
		.taken_at_ns = frame->taken_at_ns,
	};
}

static void ask(struct jit_frames *frames, bool is_last)
{
	uint32_t fresh_count = frames->count - frames->asked_count, used = 0;
	struct jit_batch *batch;

	if (fresh_count + frames->early_count == 0)
		return;
	if (jit_batch_new(frames->window, fresh_count + frames->early_count, &batch) < 0)
		return;
	for (uint32_t i = 0; frames->early_count > 0 && i < frames->asked_count; i++) {
		if (frames->frames[i].is_early)
			put_question(frames, i, &batch->questions[used++]);
	}
	for (uint32_t i = frames->asked_count; i < frames->count; i++)
		put_question(frames, i, &batch->questions[used++]);
	batch->is_last = is_last;
	/* Asked again in the next round. */
	if (jit_desk_ask(frames->desk, batch) < 0) {
		jit_batch_free(batch);
		return;
	}
	for (uint32_t i = 0; frames->early_count > 0 && i < frames->asked_count; i++)
		frames->frames[i].is_early = false;
	frames->unanswered += fresh_count + frames->early_count;
	frames->early_count = 0;
	frames->asked_count = frames->count;
}

static void take_answer(struct jit_frames *frames, struct profile *profile,
	const struct jit_batch *batch, const struct jit_question *question)
{
	struct jit_frame *frame = &frames->frames[question->number];

	frames->unanswered--;
	if (question->is_early) {
		frame->is_early = true;
		frames->early_count++;
	} else if (question->text != JIT_UNNAMED &&
		profile_add_text(profile, batch->texts + question->text, &frame->name) < 0) {
		frame->name = NO_NAME;
	}
}

/* The result of waiting for a batch. */
static int take(struct jit_frames *frames, struct profile *profile, uint64_t timeout_ns)
{
	struct jit_batch *batch;
	int r = jit_desk_take(frames->desk, timeout_ns, &batch);

	if (r < 0)
		return r;
	frames->is_held_up = false;
	if (batch->window == frames->window) {
		for (uint32_t i = 0; i < batch->count; i++)
			take_answer(frames, profile, batch, &batch->questions[i]);
	} else {
		tally_add(frames->tally, TALLY_jit_answers_late, batch->count);
	}
	jit_batch_free(batch);
	return 0;
}

void jit_frames_turn(struct jit_frames *frames, struct profile *profile, uint64_t now_ns)
{
	if (frames->count == 0)
		return;
	while (take(frames, profile, 0) == 0)
		;
	if (now_ns < frames->ask_at_ns)
		return;
	ask(frames, false);
	frames->ask_at_ns = now_ns + JIT_ASK_INTERVAL_NS;
}

/* --- closing -----------------------------------------------------------------------------------
 */

static void take_last(struct jit_frames *frames, struct profile *profile)
{
	uint64_t deadline_ns = clock_monotonic_ns() + JIT_WAIT_NS;

	while (take(frames, profile, 0) == 0)
		;
	ask(frames, true);
	while (frames->unanswered > 0 && !frames->is_held_up) {
		uint64_t now_ns = clock_monotonic_ns();
		uint64_t left_ns = now_ns < deadline_ns ? deadline_ns - now_ns : 0;

		/* Then one window has waited for it, and no other does until it answers again. */
		if (take(frames, profile, left_ns) < 0)
			frames->is_held_up = true;
	}
}

static int settle_frame(const struct jit_frame *frame, uint32_t module, struct profile *profile,
	uint32_t *ret_frame)
{
	struct frame settled = {.kind = FRAME_UNKNOWN,
		.flags = frame->is_return ? FRAME_RETURN_ADDRESS : 0,
		.address = frame->ip};

	if (frame->name != NO_NAME) {
		settled = (struct frame){.kind = FRAME_NATIVE,
			.flags = FRAME_NAMED,
			.module = module,
			.address = frame->name};
	}
	return frame_table_add(&profile->frames, &settled, ret_frame);
}

static int settle(struct jit_frames *frames, struct profile *profile)
{
	uint32_t old_count = profile->frames.count, module;
	SCOPED_FREE uint32_t *settled = malloc(old_count * sizeof(*settled));
	int r = settled ? add_module(profile, &module) : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < old_count; i++)
		settled[i] = i;
	for (uint32_t i = 0; r == 0 && i < frames->count; i++)
		r = settle_frame(
			&frames->frames[i], module, profile, &settled[frames->frames[i].index]);
	return r < 0 ? r : profile_reframe(profile, settled, old_count);
}

static void count(struct jit_frames *frames)
{
	for (uint32_t i = 0; i < frames->count; i++) {
		const struct jit_frame *frame = &frames->frames[i];

		tally_add(frames->tally,
			frame->name == NO_NAME ? TALLY_jit_frames_unnamed : TALLY_jit_frames_named,
			frame->count);
	}
}

int jit_frames_close(struct jit_frames *frames, struct profile *profile)
{
	int r = 0;

	if (frames->count > 0) {
		take_last(frames, profile);
		count(frames);
		r = settle(frames, profile);
	}
	begin_anew(frames);
	return r;
}
