/* SPDX-License-Identifier: Apache-2.0 */
/* Heap: what malloc keeps for itself.
 *
 * What it is   the C library keeps what is freed in the midst of its heaps, for the next to come: after
 *              one large query that is hundreds of megabytes that nobody uses and everybody sees.
 * Ownership    none.
 * Threads      any; others that allocate meanwhile wait a few milliseconds at most.
 * Errors       none.
 */
#pragma once

#include <stddef.h>

/* Gives whole free pages back to the kernel if the heaps have more than KEPT_BYTES free: what comes
 * next has to ask for them again. */
void heap_give_back(size_t kept_bytes);
