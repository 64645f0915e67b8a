/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finish: the end of every walk, and the only writer of samples.
 *
 * What it is   a global function, like step_next and for the same reasons (bpf/lib/step.bpf.h).
 * Ownership    this CPU's walk record, which the next walk may use as soon as this returns.
 * Threads      the CPU that runs the program; a ring is shared by the CPUs of its group and locks
 *              for itself.
 * Errors       a sample that finds no room is counted by reason; the result is 0 always.
 */
#pragma once

/* Counts how the user walk ended and sends the sample to the ring buffer of its CPU. */
int finish_walk(void);
