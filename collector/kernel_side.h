/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel side: what of the sampling in the kernel is off, as features.
 *
 * What it is   what the sampler found out about this kernel and these privileges becomes reasons
 *              and advice. Pure.
 * Ownership    values and borrowed texts.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

#include "collector/features.h"
#include "collector/kernel/ability.h"

struct kernel_side {
	const struct abilities *abilities; /* NULL: there are no programs in the kernel */
	/* Why there are none, and the negative errno; 0: it was asked for. */
	const char *refusal;
	int refusal_error;
	uint64_t capabilities; /* effective set */
	uint64_t hz; /* asked for */
	uint64_t period_ns; /* what came of it */
	uint64_t stack_bytes_per_s;
};

void kernel_side_note(const struct kernel_side *side, struct features *features);
