/* SPDX-License-Identifier: Apache-2.0 */
/* Compared: a program's stacks as we find them, against libdwfl's of the same instants.
 *
 * What it is   starts a command, samples it with the shipped BPF program, finishes its stacks as the
 *              collector does, and walks the same registers and memory with libdwfl.
 * Ownership    compare_command ends everything that it started.
 * Threads      one owner.
 * Errors       a failed call fails the test; a stack that can't be compared is counted.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "bpf/abi/event.h"

enum comparison_class {
	COMPARISON_EQUAL,
	COMPARISON_OURS_LONGER, /* and theirs is its leaf part */
	COMPARISON_THEIRS_LONGER,
	COMPARISON_DIFFERENT,
	COMPARISON_CLASSES,
};

/* A place where stacks part. */
struct comparison_kind {
	enum comparison_class kind;
	uint8_t stop; /* ours */
	char file[256]; /* of the last frame that both have */
	uint64_t within;
	uint64_t ours, theirs; /* what came next, of the first stack of this kind; 0: nothing */
	uint64_t count;
};

#define COMPARISON_KINDS_MAX 4096

struct comparison {
	pid_t pid; /* of the command, which has ended */
	uint64_t counts[COMPARISON_CLASSES];
	uint64_t not_compared; /* the process had ended, or one of both was lost */
	uint64_t ours_frames; /* walked in the kernel */
	uint64_t ours_ns; /* run time of the BPF program, all of it */
	uint64_t ticks; /* runs of it */
	uint64_t theirs_frames;
	uint64_t theirs_ns;
	uint64_t kernel_whole; /* stacks that needed no help from user space */
	uint64_t whole; /* these, and those that user space finished */
	struct comparison_kind kinds[COMPARISON_KINDS_MAX];
	uint32_t kind_count;
};

struct comparison_config {
	char *const *argv;
	uint32_t hz;
	uint64_t duration_ns;
	uint64_t stacks_min; /* a busy host takes longer for so many */
	/* What comes before is not compared: files are mapped, and tables built. */
	uint64_t warm_up_ns;
	/* NULL, or: is given each of our stacks, finished, that libdwfl's are compared with. */
	void (*on_sample)(void *context, const struct event_sample *sample);
	void *context;
};

void compare_command(const struct comparison_config *config, struct comparison *ret_comparison);
uint64_t comparison_total(const struct comparison *comparison);
/* Prints at most COUNT_MAX kinds, most frequent first. */
void comparison_print_kinds(struct comparison *comparison, uint32_t count_max);
