/* SPDX-License-Identifier: Apache-2.0 */
/* Range serial: whether what lies in a range of time is still what it was.
 *
 * What it is   a number for each minute that rises when something comes into it; a range has the
 *              largest of its minutes. Only the minutes touched last are told apart; of all others
 *              it is known that nothing has come since the last of them was forgotten. So equal
 *              numbers mean that nothing came, and different ones that something may have.
 * Ownership    values only, 128 KiB.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

/* Almost six days. */
#define RANGE_SERIAL_MINUTE_COUNT 8192

struct range_serial_minute {
	uint64_t minute; /* since 1970 */
	uint64_t serial; /* 0: this place is free */
};

struct range_serials {
	struct range_serial_minute minutes[RANGE_SERIAL_MINUTE_COUNT]; /* by minute, modulo */
	uint64_t last; /* given out */
	uint64_t others; /* of minutes that are not told apart */
};

/* Something came into [FROM_NS, UNTIL_NS). */
void range_serials_touch(struct range_serials *serials, uint64_t from_ns, uint64_t until_ns);
/* Something came or went anywhere. */
void range_serials_touch_all(struct range_serials *serials);
uint64_t range_serials_of(const struct range_serials *serials, uint64_t from_ns, uint64_t until_ns);
