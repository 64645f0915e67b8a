/* SPDX-License-Identifier: Apache-2.0 */
/* Sample profile: profiles for tests, written as text.
 *
 * What it is   one window of one host, filled sample by sample; stacks are texts of frames joined
 *              by `;`, root first. `libc.so.6@0x1234` is a native frame in that module (its
 *              build-ID is made of the module's name), `libc.so.6%0x1234` a place in its file, `[kernel]@0x10` a kernel frame, `0x7f00` an
 *              address in no module, `[truncated]` a marker; anything else is a name. All but the
 *              last frame are return addresses.
 * Ownership    the profile is the test's.
 * Threads      one owner.
 * Errors       fail the test.
 */
#pragma once

#include <stdint.h>

#include "store/profile/profile.h"

struct sample_profile_sample {
	const char *type; /* NULL: PROFILE_TYPE_ON_CPU */
	const char *stack;
	const char *process; /* NULL: "app"; label `process`, and `service_name` */
	const char *thread; /* NULL: as process */
	uint32_t pid; /* 0: 100 */
	uint32_t tid; /* 0: as pid */
	uint32_t cpu;
	uint32_t slot;
	int64_t value; /* 0: one period of 10 ms */
};

/* A window of WINDOW_NS from the epoch time START_NS, which must be a multiple of 20 ms. */
struct profile *sample_profile_new(const char *host, uint64_t start_ns, uint64_t window_ns);
void sample_profile_add(struct profile *profile, const struct sample_profile_sample *sample);
/* Seals and checks it. */
void sample_profile_seal(struct profile *profile);

/* The build-ID of the module NAME, as above. */
struct build_id sample_profile_build_id(const char *name);
