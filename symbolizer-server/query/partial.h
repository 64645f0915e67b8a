/* SPDX-License-Identifier: Apache-2.0 */
/* Partial: what an answer lacks.
 *
 * What it is   why a query ended before it had read everything, and what it had read by then.
 * Ownership    values only.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/time_range.h"

enum partial_reason {
	PARTIAL_NOT, /* the answer is whole */
	PARTIAL_TIME, /* the query took as long as it may */
	PARTIAL_MEMORY, /* it took as much memory as it may */
	PARTIAL_DAMAGE, /* something could not be read */
};

struct partial {
	enum partial_reason reason;
	struct time_range answered; /* what lies there is in the answer, whole */
	uint64_t unreadable_count; /* blocks and sections */
};
