/* SPDX-License-Identifier: Apache-2.0 */
/* Host features: what it costs when one of a collector is off, in the order of the list.
 *
 * What it is   one table made of the list that the collector has its features from.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none: a name of a newer collector costs nothing that is known, and comes last.
 */
#pragma once

#include <stdint.h>

#define HOST_FEATURE_UNKNOWN UINT32_MAX

/* The place of NAME in the list, or HOST_FEATURE_UNKNOWN. */
uint32_t host_feature_rank(const char *name);
/* What is lost while it is off. Empty for HOST_FEATURE_UNKNOWN. */
const char *host_feature_loss(uint32_t rank);
