/* SPDX-License-Identifier: Apache-2.0 */
/* Perf map file: where a process leaves the names of the code that it makes, and whether to believe
 * that it did.
 *
 * What it is   opens /tmp/perf-PID.map as the process sees it: below its own root, by the pid that
 *              it has in its own pid namespace. The folder is open to everyone, so the file must be
 *              a plain one, with one name, of the user that the process runs as or of root, and no
 *              link may stand on the way.
 * Ownership    the descriptor is the caller's.
 * Threads      no shared state.
 * Errors       -ENOENT: there is none.  -ESRCH: the process has ended.  -ELOOP: a link stands on
 *              the way.  -EMEDIUMTYPE: not a regular file.  -EPERM: somebody else's, or it has
 *              other names.  Others: of the file system.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/process/proc_reader.h"

/* The process PID that started at STARTED_AT_NS (CLOCK_BOOTTIME; 0: whichever it is). */
int perf_map_open(const struct proc_root *root, uint32_t pid, uint64_t started_at_ns);

struct perf_map_owner {
	uint32_t uid; /* effective */
	uint32_t inner_pid; /* in its own pid namespace; 0: not told */
};

/* Pure: TEXT of /proc/PID/status, closed by NUL. -EBADMSG: no user stands there. */
int perf_map_parse_owner(const char *text, struct perf_map_owner *ret_owner);
