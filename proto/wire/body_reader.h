/* SPDX-License-Identifier: Apache-2.0 */
/* Body reader: a cairn.v1.BatchBody, decompressed, as a profile.
 *
 * What it is   the way from bytes to the model. The bytes may come from anyone.
 * Ownership    scratch memory comes from the caller's arena, the profile from profile_new;
 *              nothing may be added to it.
 * Threads      no shared state.
 * Errors       -EBADMSG: malformed; -E2BIG: beyond the limits; RET_WHAT (static text) names what is
 *              wrong then. -ENOMEM: also when the arena is full. The profile is set on success
 * only.
 */
#pragma once

#include <stddef.h>

#include "proto/wire/profile_wire.h"
#include "store/base/arena.h"

int body_read(const void *raw, size_t byte_count, const struct profile_wire_limits *limits,
	struct arena *arena, struct profile **ret_profile, const char **ret_what);
