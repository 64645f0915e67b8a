/* SPDX-License-Identifier: Apache-2.0 */
/* Random profile: small, sealed and sound, and odd in every way that the model allows.
 *
 * What it is   the same profile from the same seed: named and unnamed frames, texts of any bytes,
 *              modules without build-ID, values that are no multiple of the period, types with and
 *              without slots, rows without samples (of a type without slots).
 * Ownership    the caller frees the profile.
 * Threads      no shared state.
 * Errors       none: a failure ends the test.
 */
#pragma once

#include <stdint.h>

#include "store/profile/profile.h"

struct profile *random_profile(uint64_t seed);
