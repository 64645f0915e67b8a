/* SPDX-License-Identifier: Apache-2.0 */
/* JIT frames: frames of generated code in the open window, until their names are known.
 *
 * What it is   while a window is open such a frame is a place holder that stands for {process,
 *              address, moment}; the desk is asked on the way. When the window closes each becomes
 *              a frame with a name, or the absolute address that it was.
 * Ownership    owns the waiting list; borrows the desk.
 * Threads      the window's owner.
 * Errors       -ENOMEM, -E2BIG: no place holder; -ENOMEM of closing. Names that came too late are
 *              counted, and missing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/jit/jit_desk.h"
#include "collector/process/process.h"
#include "collector/tally.h"
#include "store/base/index_map.h"
#include "store/profile/profile.h"

/* A second of a process is told apart this finely where its code moves. */
#define JIT_STEP_NS (200 * NS_PER_MS)
/* Files are looked at so often at most. */
#define JIT_ASK_INTERVAL_NS (250 * NS_PER_MS)
/* 3 MB. A host with more frames of generated code in one window shows the rest as addresses. */
#define JIT_FRAMES_MAX 65536
/* What a window waits for its last names: a quarter of what the rings hold meanwhile. */
#define JIT_WAIT_NS NS_PER_S

struct jit_frame;

struct jit_frames {
	struct jit_desk *desk;
	struct tally *tally;
	struct jit_frame *frames;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
	uint32_t asked_count; /* the first so many were asked for */
	uint32_t unanswered; /* of these */
	uint32_t early_count; /* answered too early: to be asked again */
	uint64_t window; /* number of the open one */
	uint64_t ask_at_ns; /* not before */
	bool is_held_up; /* the desk let a window wait in vain */
};

void jit_frames_init(struct jit_frames *frames, struct jit_desk *desk, struct tally *tally);
void jit_frames_done(struct jit_frames *frames);

struct jit_sighting {
	const struct process *process;
	uint64_t ip;
	bool is_return;
	uint64_t taken_at_ns;
};

/* The frame of PROFILE, which is that of the open window, that stands for what was seen. */
int jit_frames_add(struct jit_frames *frames, struct profile *profile,
	const struct jit_sighting *sighting, uint32_t *ret_frame);
/* Once in a round: asks what is new, takes what is answered. */
void jit_frames_turn(struct jit_frames *frames, struct profile *profile, uint64_t now_ns);
/* Puts names, or absolute addresses, in the place of all place holders, and begins anew. */
int jit_frames_close(struct jit_frames *frames, struct profile *profile);
/* The window was lost. */
void jit_frames_drop(struct jit_frames *frames);
