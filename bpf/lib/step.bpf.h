/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Step: from one frame to the next, whichever unwinder knows the way.
 *
 * What it is   the one global function of every walk. The verifier checks a global function by
 *              itself, once, so that the loop around it costs next to nothing; a pointer argument
 *              is refused before 5.12, so it finds the walk by a look-up of its own.
 * Ownership    this CPU's walk record.
 * Threads      the CPU that runs the program.
 * Errors       any result but STOP_NONE ends the walk and says why.
 */
#pragma once

#include "bpf/abi/limit.h"
#include "bpf/abi/stop.h"

/* Records the current frame, then moves the walk's registers to the caller's. Gives enum stop. */
int step_next(void);
