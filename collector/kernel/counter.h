/* SPDX-License-Identifier: Apache-2.0 */
/* Counter: names and meanings of what the kernel side counts.
 *
 * What it is   the text face of the list in bpf/abi/counter.h.
 * Ownership    the text is static.
 * Threads      any.
 * Errors       a number that is no counter is "unknown".
 */
#pragma once

#include "bpf/abi/counter.h"

/* In snake_case, for metrics and JSON. */
const char *counter_name(enum counter counter);
/* One phrase for an operator. */
const char *counter_meaning(enum counter counter);
