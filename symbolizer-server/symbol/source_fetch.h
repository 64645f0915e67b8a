/* SPDX-License-Identifier: Apache-2.0 */
/* Source fetch: source files from debuginfod servers.
 *
 * What it is   a source_fetch_fn over libdebuginfod: one question, bounded in time and length. The
 *              servers and the folder are those of debuginfod_source.h, which sets the library up.
 * Ownership    nothing is kept; the library's copy of the file is removed, and so are the marks that
 *              it leaves of what it did not find, once they are a minute old.
 * Threads      any.
 * Errors       -ENOENT: no server has it; -ENOSYS: no server is set; -EFBIG, -ETIMEDOUT, -ELOOP,
 *              -ENOMEM; any other: a server could not be asked.
 */
#pragma once

#include <stddef.h>

#include "store/profile/build_id.h"

/* CONTEXT is the path of the library's folder. */
int source_fetch(void *context, const struct build_id *id, const char *path, char **ret_text,
	size_t *ret_byte_count);
