/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel thread: the name under which its kind is one series.
 *
 * What it is   `kworker/0:1` -> `[kworker]`, `kswapd0` -> `[kswapd]`; pure.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       none.
 */
#pragma once

#include "bpf/abi/limit.h"

/* Two brackets and the NUL around a whole thread name. */
#define KERNEL_THREAD_NAME_BYTES (COMM_BYTES + 2)

/* Cuts what differs from thread to thread: from the first `/` or `:` on, else a number at the end.
 * RET_NAME holds KERNEL_THREAD_NAME_BYTES. */
void kernel_thread_name(const char *comm, char *ret_name);
