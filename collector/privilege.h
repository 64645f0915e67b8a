/* SPDX-License-Identifier: Apache-2.0 */
/* Privileges: what this process may do, found out by doing it, and which capability would mend it.
 *
 * What it is   one small trial for each feature that needs a privilege. A trial that fails switches
 *              the feature off; the set of capabilities only explains it. A capability may be there
 *              and of no use (a user namespace), or missing and not needed (newer kernels let
 *              CAP_PERFMON read mappings).
 * Ownership    values only.
 * Threads      privilege_try_all forks: the program must not have started any yet.
 * Errors       -EBADMSG: no such line; errors of reading.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/features.h"

/* Numbers of Linux 5.9, which older headers lack. */
enum privilege_capability {
	PRIVILEGE_DAC_READ_SEARCH = 2,
	PRIVILEGE_SYS_PTRACE = 19,
	PRIVILEGE_SYSLOG = 34,
	PRIVILEGE_PERFMON = 38,
	PRIVILEGE_BPF = 39,
	PRIVILEGE_CHECKPOINT_RESTORE = 40,
};

/* What to do about a missing one. */
#define PRIVILEGE_REMEDY(capability) "run it as root with all capabilities, or with " capability

/* The effective set, a bit each. */
int privilege_read(uint64_t *ret_effective);
/* Pure: the text of /proc/PID/status. */
int privilege_parse(const char *text, uint64_t *ret_effective);
/* Whether the set holds the capability, or one that includes it. */
bool privilege_has(uint64_t effective, enum privilege_capability capability);
/* `CAP_BPF, CAP_PERFMON`: which of the two that sampling needs are missing; "" if none is. */
const char *privilege_lacking_to_sample(uint64_t effective);
/* Tries each on PROC_FOLDER (`/proc`) and switches off what fails; EFFECTIVE explains it. */
void privilege_try_all(uint64_t effective, const char *proc_folder, struct features *features);
