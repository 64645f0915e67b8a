/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/range_serial.h"

#include "store/base/clock.h"

#define MINUTE_NS (60 * NS_PER_S)

static uint64_t minute_behind(uint64_t until_ns)
{
	return until_ns / MINUTE_NS + (until_ns % MINUTE_NS > 0 ? 1 : 0);
}

void range_serials_touch_all(struct range_serials *serials)
{
	serials->others = ++serials->last;
	for (uint32_t i = 0; i < RANGE_SERIAL_MINUTE_COUNT; i++)
		serials->minutes[i].serial = 0;
}

void range_serials_touch(struct range_serials *serials, uint64_t from_ns, uint64_t until_ns)
{
	uint64_t first = from_ns / MINUTE_NS, end = minute_behind(until_ns);

	if (end - first > RANGE_SERIAL_MINUTE_COUNT) {
		range_serials_touch_all(serials);
		return;
	}
	serials->last++;
	for (uint64_t minute = first; minute < end; minute++) {
		struct range_serial_minute *place =
			&serials->minutes[minute % RANGE_SERIAL_MINUTE_COUNT];

		if (place->serial > serials->others && place->minute != minute)
			serials->others = place->serial;
		*place = (struct range_serial_minute){minute, serials->last};
	}
}

uint64_t range_serials_of(const struct range_serials *serials, uint64_t from_ns, uint64_t until_ns)
{
	uint64_t first = from_ns / MINUTE_NS, end = minute_behind(until_ns);
	uint64_t largest = serials->others;

	for (uint32_t i = 0; i < RANGE_SERIAL_MINUTE_COUNT; i++) {
		const struct range_serial_minute *place = &serials->minutes[i];

		if (place->serial > largest && place->minute >= first && place->minute < end)
			largest = place->serial;
	}
	return largest;
}
