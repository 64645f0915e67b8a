/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* On-CPU: what the CPU was doing when the timer fired.
 *
 * What it is   the program of the perf event that each CPU has: skips an idle CPU, takes the
 *              kernel's stack and the user's, sends one sample.
 * Ownership    this CPU's walk record, for as long as it runs.
 * Threads      runs in the timer's interrupt; never interrupts itself.
 * Errors       what could not be had is counted and stands in the sample. The result is 0: the event
 *              itself writes nothing, unless a setting wants that, too.
 */
#pragma once

#include "bpf/lib/kernel.bpf.h"

int on_cpu(struct bpf_perf_event_data *context);
