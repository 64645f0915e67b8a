/* SPDX-License-Identifier: Apache-2.0 */
/* Refusal: why the kernel would not sample, in one line that says what to do.
 *
 * What it is   an error and what is known about it become the text of a struct sampler_reason.
 * Ownership    the caller's reason is written.
 * Threads      no shared state.
 * Errors       none; each function gives back the ERROR (negative errno) that it explains.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/kernel/sampler.h"

/* A setting that can't be; FORMAT says which. */
int refusal_of_config(struct sampler_reason *reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The kernel's type information at PATH is not to be had. */
int refusal_of_btf(int error, const char *path, struct sampler_reason *reason);

/* The programs did not load; LOG is what libbpf printed, the verifier's words included. */
int refusal_of_load(int error, const char *log, struct sampler_reason *reason);

/* The timer of CPU did not start. PARANOID is kernel.perf_event_paranoid. */
int refusal_of_timer(int error, uint32_t cpu, int paranoid, struct sampler_reason *reason);

/* WHAT (a verb phrase) failed for no reason that has an advice of its own. */
int refusal_of(int error, const char *what, struct sampler_reason *reason);

/* A reason's TEXT without its advice, in at most BYTES with its NUL: of a longer one, its beginning
 * and its end, which is where a verifier's verdict stands. */
void refusal_shorten(const char *text, char *ret_text, size_t bytes);

/* Puts OTHER, why the way without BPF did not work either, behind REASON, which is shortened as far
 * as both need room. */
void refusal_add(const struct sampler_reason *other, struct sampler_reason *reason);
