/* SPDX-License-Identifier: Apache-2.0 */
/* Event: a record of a ring buffer, checked.
 *
 * What it is   the one place where bytes of a ring buffer become a sample.
 * Ownership    the sample is the record itself; it lives as long as the record does.
 * Threads      no shared state.
 * Errors       NULL for a record that is no whole sample.
 */
#pragma once

#include <stddef.h>

#include "bpf/abi/event.h"

/* RECORD of BYTE_COUNT bytes, aligned to 8. NULL unless kind, frame counts, stop reasons and name
 * are within their limits and the record is exactly as long as its stack. */
const struct event_sample *event_sample_in(const void *record, size_t byte_count);
