/* SPDX-License-Identifier: Apache-2.0 */
/* Timeline: how long a step of Pyroscope's timeline is.
 *
 * What it is   about fifteen hundred steps of a range, each as long as people count in, none shorter
 *              than 15 s: clients of its API expect just these.
 * Ownership    values only.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

/* The length of a step for a range of RANGE_NS. */
uint64_t timeline_step(uint64_t range_ns);
