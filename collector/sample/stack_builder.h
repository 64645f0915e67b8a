/* SPDX-License-Identifier: Apache-2.0 */
/* Stack builder: the addresses of one sample become one stack of the window's profile.
 *
 * What it is   root first: the user part, then the kernel part on top of it, each with a marker at
 *              its root where the walk did not reach it. An address becomes (module, address in
 *              it); what lies in no module stays absolute.
 * Ownership    writes into the window's open profile.
 * Threads      the window's owner.
 * Errors       -ENOMEM; -E2BIG: a table of the profile is full.
 */
#pragma once

#include <stdint.h>

#include "collector/sample/window.h"

struct stack_builder {
	struct window *window;
	uint32_t node; /* the stack so far */
	uint64_t taken_at_ns; /* of the sample */
	int fault; /* sticky */
};

void stack_builder_begin(struct stack_builder *builder, struct window *window);
void stack_builder_mark(struct stack_builder *builder, const char *name);
int stack_builder_end(const struct stack_builder *builder, uint32_t *ret_stack);

/* The whole stack of SAMPLE. PROCESS: NULL if nothing is known of it. */
int stack_build(struct window *window, const struct event_sample *sample, struct process *process,
	uint64_t now_ns, uint32_t *ret_stack);
