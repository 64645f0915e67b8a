/* SPDX-License-Identifier: Apache-2.0 */
/* Body writer: some rows of a profile, and all they refer to, as a cairn.v1.BatchBody.
 *
 * What it is   the way from the model to bytes, before compression, for one body.
 * Ownership    scratch memory comes from the caller's arena; the bytes are malloc'ed for the
 *              caller.
 * Threads      no shared state.
 * Errors       -ENOMEM; -E2BIG: beyond the limits; outputs are written on success only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "proto/wire/body_selection.h"
#include "proto/wire/canonical.h"
#include "proto/wire/profile_wire.h"
#include "store/base/arena.h"

int body_write(const struct profile *profile, const struct canonical *canonical,
	const struct body_part *part, const struct profile_wire_limits *limits, struct arena *arena,
	struct profile_wire_body *ret_raw);
