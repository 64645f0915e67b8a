/* SPDX-License-Identifier: Apache-2.0 */
/* Host counters: what the numbers of a collector mean, in the order of a sample's way.
 *
 * What it is   one table made of the lists that the collector counts by: the kernel side, how user
 *              stacks end, the collector, the way to the server.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none: a name of a newer collector has no meaning here and comes last.
 */
#pragma once

#include <stdint.h>

#define HOST_COUNTER_UNKNOWN UINT32_MAX

/* The place of NAME in the table, or HOST_COUNTER_UNKNOWN. */
uint32_t host_counter_rank(const char *name);
/* Empty for HOST_COUNTER_UNKNOWN. */
const char *host_counter_meaning(uint32_t rank);
