/* SPDX-License-Identifier: Apache-2.0 */
/* Setting file: a table of settings in libconfig's form; the one place that includes it.
 *
 * What it is   `name = value;` lines whose names are those of the flags: texts, numbers, true and
 *              false, and lists of them for what may be given more than once.
 * Ownership    nothing is kept.
 * Threads      no shared state.
 * Errors       -ENOENT: no such file; -EINVAL: the fault says file, line and what is wrong; others
 *              as the file gave them.
 */
#pragma once

#include "store/settings/setting.h"

int setting_file_read(const struct setting_table *table, const char *path, void *values,
	struct setting_fault *ret_fault);
