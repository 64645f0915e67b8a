/* SPDX-License-Identifier: Apache-2.0 */
/* Confinement: what the run that parses gives up before it reads its first foreign byte.
 *
 * What it is   limits of memory, CPU and file size, no capabilities and no new privileges, death with
 *              its parent, and a list of allowed system calls: memory, reading and writing of what is open, and the
 *              end. The only file that includes libseccomp.
 * Ownership    nothing is kept.
 * Threads      called once, before there is a second thread.
 * Errors       a negative errno; the program must end then.
 */
#pragma once

#include <stdint.h>

struct confinement {
	uint64_t memory_bytes_max;
	uint64_t cpu_seconds_max;
	uint64_t file_bytes_max;
};

int sandbox_confine(const struct confinement *confinement);
