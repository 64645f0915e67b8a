/* SPDX-License-Identifier: Apache-2.0 */
/* Capability: which privileges this process has, and what each is for.
 *
 * What it is   reads the effective set from /proc/self/status; pure but for that.
 * Ownership    values only.
 * Threads      any.
 * Errors       -EBADMSG: no such line; errors of reading.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/features.h"

/* A privilege and the feature that needs it. */
struct capability_need {
	const char *name;
	unsigned number;
	enum feature feature;
	const char *remedy;
};

/* Without CAP_BPF and CAP_PERFMON there are no samples at all, which the sampler says itself; the
 * addresses that CAP_SYSLOG shows may be open to all. */
extern const struct capability_need capability_needs[];
extern const size_t capability_need_count;

#define CAPABILITY_SYSLOG 34
/* What to do about a missing one. */
#define CAPABILITY_REMEDY(name) "run it as root with all capabilities, or with " name

/* Whether the set holds NUMBER, or one that includes it. */
bool capability_has(uint64_t effective, unsigned number);
int capability_read(uint64_t *ret_effective);
/* Pure: the text of /proc/PID/status. */
int capability_parse(const char *text, uint64_t *ret_effective);
/* Switches off what lacks its privilege. */
void capability_apply(uint64_t effective, struct features *features);
