/* SPDX-License-Identifier: Apache-2.0 */
/* Config file: settings in libconfig's form; the one place that includes it.
 *
 * What it is   `name = value;` lines whose names are those of the flags: texts, numbers, true and
 *              false, and lists of texts for what may be given several times.
 * Ownership    values are borrowed for the call.
 * Threads      one.
 * Errors       -ENOENT: no such file; -EINVAL: with a line that says where and what.
 */
#pragma once

#include <stddef.h>

/* One value as a text. A negative answer ends the reading and becomes its result. */
typedef int (*config_file_fn)(void *context, const char *name, const char *value);

/* RET_ERROR holds ERROR_BYTES characters; SET writes its own. */
int config_file_read(
	const char *path, config_file_fn set, void *context, char *ret_error, size_t error_bytes);
