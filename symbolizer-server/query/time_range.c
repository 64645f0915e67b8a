/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/time_range.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "store/base/clock.h"

#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS (60 * MINUTE_NS)
#define DAY_NS (24 * HOUR_NS)
/* Times are kept below this, so that differences fit a signed integer: the year 2262. */
#define TIME_NS_MAX ((uint64_t)INT64_MAX)

static const char forms[] =
	"a time is now-1h, seconds, milliseconds, microseconds or nanoseconds since 1970, or "
	"2026-08-01T12:00:00Z";
static const char length_forms[] = "a length of time is a number and a unit, as 90s, 1h30m or 7d";
static const char too_late[] = "the time lies after the year 2262";

struct cursor {
	const char *at;
	const char *end;
};

static bool take(struct cursor *cursor, char character)
{
	if (cursor->at == cursor->end || *cursor->at != character)
		return false;
	cursor->at++;
	return true;
}

/* Reads all digits that stand here: their number, and their value if it fits. */
static size_t take_digits(struct cursor *cursor, uint64_t *ret_value, bool *ret_fits)
{
	const char *from = cursor->at;

	*ret_value = 0;
	*ret_fits = true;
	for (; cursor->at < cursor->end && isdigit((unsigned char)*cursor->at); cursor->at++) {
		uint64_t digit = (uint64_t)(*cursor->at - '0');

		if (__builtin_mul_overflow(*ret_value, 10, ret_value) ||
			__builtin_add_overflow(*ret_value, digit, ret_value))
			*ret_fits = false;
	}
	return (size_t)(cursor->at - from);
}

/* Reads exactly COUNT digits. */
static bool take_number(struct cursor *cursor, size_t count, uint64_t *ret_value)
{
	struct cursor part = {cursor->at, cursor->at + count};
	bool fits;

	if ((size_t)(cursor->end - cursor->at) < count ||
		take_digits(&part, ret_value, &fits) != count)
		return false;
	cursor->at = part.at;
	return true;
}

static bool take_unit(struct cursor *cursor, uint64_t *ret_ns)
{
	/* Longer names first: `mon` begins like `m`. */
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ms", NS_PER_MS},
		{"mon", 30 * DAY_NS},
		{"M", 30 * DAY_NS},
		{"m", MINUTE_NS},
		{"s", NS_PER_S},
		{"h", HOUR_NS},
		{"d", DAY_NS},
		{"w", 7 * DAY_NS},
		{"y", 365 * DAY_NS},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].name);

		if ((size_t)(cursor->end - cursor->at) >= length &&
			memcmp(cursor->at, units[i].name, length) == 0) {
			cursor->at += length;
			*ret_ns = units[i].ns;
			return true;
		}
	}
	return false;
}

/* Reads `1h30m` up to the end; what does not fit is as long as can be. */
static bool take_length(struct cursor *cursor, uint64_t *ret_ns)
{
	uint64_t sum = 0, number, unit_ns, part;
	bool fits, all_fit = true;

	do {
		if (take_digits(cursor, &number, &fits) == 0 || !take_unit(cursor, &unit_ns))
			return false;
		all_fit = all_fit && fits && !__builtin_mul_overflow(number, unit_ns, &part) &&
			!__builtin_add_overflow(sum, part, &sum);
	} while (cursor->at < cursor->end);
	*ret_ns = all_fit ? sum : UINT64_MAX;
	return true;
}

int time_parse_length(const char *text, size_t length, uint64_t *ret_ns, const char **ret_what)
{
	struct cursor cursor = {text, text + length};
	uint64_t ns;

	if (!take_length(&cursor, &ns) || ns > TIME_NS_MAX) {
		*ret_what = length_forms;
		return -EINVAL;
	}
	*ret_ns = ns;
	return 0;
}

/* Days from 1970-01-01 to a day of the Gregorian calendar, years counted from March so that the
 * leap day is the last of its year. */
static uint64_t days_since_epoch(uint64_t year, uint64_t month, uint64_t day)
{
	uint64_t y = month <= 2 ? year - 1 : year;
	uint64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

static bool is_day(uint64_t year, uint64_t month, uint64_t day)
{
	static const uint8_t day_counts[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	/* The last day of 2261 is the last whose every nanosecond is below TIME_NS_MAX. */
	if (year < 1970 || year > 2261 || month < 1 || month > 12 || day < 1)
		return false;
	return day <= day_counts[month - 1] + (month == 2 && leap ? 1u : 0u);
}

/* Up to nine decimals of a second behind a point; further ones are passed over. */
static bool take_fraction(struct cursor *cursor, uint64_t *ret_ns)
{
	uint64_t ns = 0, scale = NS_PER_S;
	const char *from;

	*ret_ns = 0;
	if (!take(cursor, '.'))
		return true;
	from = cursor->at;
	for (; cursor->at < cursor->end && isdigit((unsigned char)*cursor->at); cursor->at++) {
		scale /= 10;
		ns += (uint64_t)(*cursor->at - '0') * scale;
	}
	*ret_ns = ns;
	return cursor->at > from;
}

/* `Z`, `+02:00`, `-0230` or nothing. */
static bool take_zone(struct cursor *cursor, int64_t *ret_offset_ns)
{
	uint64_t hours, minutes;
	int64_t sign = 1;

	*ret_offset_ns = 0;
	if (take(cursor, 'Z') || take(cursor, 'z') || cursor->at == cursor->end)
		return true;
	if (take(cursor, '-'))
		sign = -1;
	else if (!take(cursor, '+') && !take(cursor, ' '))
		return false;
	if (!take_number(cursor, 2, &hours))
		return false;
	take(cursor, ':');
	if (!take_number(cursor, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*ret_offset_ns = sign * (int64_t)(hours * HOUR_NS + minutes * MINUTE_NS);
	return true;
}

/* What follows the day: a time of day and a zone, or nothing. */
static bool take_time_of_day(struct cursor *cursor, int64_t *ret_ns)
{
	uint64_t hours, minutes, seconds, fraction_ns;
	int64_t offset_ns;

	*ret_ns = 0;
	if (cursor->at == cursor->end)
		return true;
	if (!take(cursor, 'T') && !take(cursor, 't') && !take(cursor, ' '))
		return false;
	/* Second 60 is a leap second: the first of the next minute. */
	if (!take_number(cursor, 2, &hours) || !take(cursor, ':') ||
		!take_number(cursor, 2, &minutes) || !take(cursor, ':') ||
		!take_number(cursor, 2, &seconds) || !take_fraction(cursor, &fraction_ns) ||
		!take_zone(cursor, &offset_ns) || hours > 23 || minutes > 59 || seconds > 60)
		return false;
	*ret_ns = (int64_t)(hours * HOUR_NS + minutes * MINUTE_NS + seconds * NS_PER_S +
			  fraction_ns) -
		offset_ns;
	return true;
}

static bool parse_calendar(struct cursor cursor, uint64_t *ret_ns)
{
	uint64_t year, month, day;
	int64_t ns, time_of_day_ns;

	if (!take_number(&cursor, 4, &year) || !take(&cursor, '-') ||
		!take_number(&cursor, 2, &month) || !take(&cursor, '-') ||
		!take_number(&cursor, 2, &day) || !is_day(year, month, day) ||
		!take_time_of_day(&cursor, &time_of_day_ns) || cursor.at != cursor.end)
		return false;
	ns = (int64_t)(days_since_epoch(year, month, day) * DAY_NS) + time_of_day_ns;
	*ret_ns = ns < 0 ? 0 : (uint64_t)ns;
	return true;
}

static bool parse_relative(struct cursor cursor, uint64_t now_ns, uint64_t *ret_ns)
{
	bool named = cursor.end - cursor.at >= 3 && memcmp(cursor.at, "now", 3) == 0;
	uint64_t offset_ns;

	if (named)
		cursor.at += 3;
	if (cursor.at == cursor.end) {
		*ret_ns = now_ns;
		return named;
	}
	if (take(&cursor, '-')) {
		if (!take_length(&cursor, &offset_ns))
			return false;
		*ret_ns = offset_ns < now_ns ? now_ns - offset_ns : 0;
		return true;
	}
	if ((!take(&cursor, '+') && !take(&cursor, ' ')) || !named ||
		!take_length(&cursor, &offset_ns))
		return false;
	if (__builtin_add_overflow(now_ns, offset_ns, ret_ns))
		*ret_ns = UINT64_MAX;
	return true;
}

static bool parse_yyyymmdd(struct cursor cursor, uint64_t *ret_ns)
{
	uint64_t year, month, day;

	if (!take_number(&cursor, 4, &year) || !take_number(&cursor, 2, &month) ||
		!take_number(&cursor, 2, &day) || cursor.at != cursor.end ||
		!is_day(year, month, day))
		return false;
	*ret_ns = days_since_epoch(year, month, day) * DAY_NS;
	return true;
}

/* Each unit covers the years 1973 to 5138 before the next smaller one takes over. */
static uint64_t unit_of(uint64_t number)
{
	if (number < UINT64_C(100000000000))
		return NS_PER_S;
	if (number < UINT64_C(100000000000000))
		return NS_PER_MS;
	return number < UINT64_C(100000000000000000) ? NS_PER_US : 1;
}

/* A number since the epoch; seconds may have a fraction. */
static bool parse_epoch(struct cursor cursor, uint64_t *ret_ns)
{
	uint64_t number, fraction_ns, unit_ns;
	bool fits;

	if (take_digits(&cursor, &number, &fits) == 0 || !take_fraction(&cursor, &fraction_ns) ||
		cursor.at != cursor.end)
		return false;
	unit_ns = unit_of(number);
	if (unit_ns != NS_PER_S)
		fraction_ns = 0;
	if (!fits || __builtin_mul_overflow(number, unit_ns, ret_ns) ||
		__builtin_add_overflow(*ret_ns, fraction_ns, ret_ns))
		*ret_ns = UINT64_MAX;
	return true;
}

int time_parse(
	const char *text, size_t length, uint64_t now_ns, uint64_t *ret_ns, const char **ret_what)
{
	struct cursor cursor = {text, text + length};
	uint64_t ns;

	while (cursor.at < cursor.end && isspace((unsigned char)*cursor.at))
		cursor.at++;
	while (cursor.at < cursor.end && isspace((unsigned char)cursor.end[-1]))
		cursor.end--;
	if (!parse_yyyymmdd(cursor, &ns) && !parse_epoch(cursor, &ns) &&
		!parse_calendar(cursor, &ns) && !parse_relative(cursor, now_ns, &ns)) {
		*ret_what = forms;
		return -EINVAL;
	}
	if (ns > TIME_NS_MAX) {
		*ret_what = too_late;
		return -EINVAL;
	}
	*ret_ns = ns;
	return 0;
}

int time_range_parse(const char *from, const char *until, uint64_t now_ns,
	struct time_range *ret_range, const char **ret_what)
{
	struct time_range range;
	int r;

	if (!from || !*from)
		from = "now-1h";
	if (!until || !*until)
		until = "now";
	r = time_parse(from, strlen(from), now_ns, &range.from_ns, ret_what);
	if (r == 0)
		r = time_parse(until, strlen(until), now_ns, &range.until_ns, ret_what);
	if (r < 0)
		return r;
	if (range.from_ns > range.until_ns) {
		*ret_what = "from lies after until: swap them";
		return -EINVAL;
	}
	*ret_range = range;
	return 0;
}
