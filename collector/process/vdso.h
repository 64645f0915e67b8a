/* SPDX-License-Identifier: Apache-2.0 */
/* vDSO: the library that the kernel maps into every process, as a file.
 *
 * What it is   a copy of this process's own vDSO in anonymous memory with a descriptor, so that its
 *              build-ID, its segments and its symbols are read like those of any other file.
 * Ownership    the descriptor is the caller's.
 * Threads      any.
 * Errors       negative errno; -ENOENT: the kernel gives no vDSO.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

int vdso_open(void);

/* The kernel has another vDSO for 32-bit processes; theirs lies where only they can reach. */
static inline bool vdso_is_ours(uint64_t start)
{
	return start > UINT32_MAX;
}
