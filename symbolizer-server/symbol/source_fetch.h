/* SPDX-License-Identifier: Apache-2.0 */
/* Source fetch: source files from debuginfod servers.
 *
 * What it is   a source_fetch_fn: the servers are asked one after the other, all together bounded in
 *              time and length. What becomes of a question counts for a server's state as any other,
 *              but for impatience: a person waits.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       -ENOENT: no server has it; -EAGAIN: one that rests may have it; -EFBIG, -ETIMEDOUT,
 *              -ENOMEM; any other: a server could not be asked.
 */
#pragma once

#include <stddef.h>

#include "store/profile/build_id.h"

/* CONTEXT is a struct debuginfod_servers. */
int source_fetch(void *context, const struct build_id *id, const char *path, char **ret_text,
	size_t *ret_byte_count);
