/* SPDX-License-Identifier: Apache-2.0 */
/* Labelled profile: windows whose series have the labels that a test names.
 *
 * What it is   a thread and one sample of 10 ms for each label set, `a=1,b=2`; the stack is empty.
 * Ownership    the caller frees the profile.
 * Threads      any.
 * Errors       a failed CHECK.
 */
#pragma once

#include <stdint.h>

#include "store/profile/profile.h"

/* A window of ten seconds from START_NS, a multiple of 20 ms. TYPE NULL: time on CPU. */
struct profile *labelled_profile_new(const char *host, uint64_t start_ns);
/* LABELS may be "". */
void labelled_profile_add(struct profile *profile, const char *type, const char *labels);
void labelled_profile_seal(struct profile *profile);
