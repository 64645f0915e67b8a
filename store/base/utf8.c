/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/utf8.h"

#include <stdint.h>

/* How many bytes follow LEAD, and between which bounds the first of them lies; 0 if LEAD leads
 * nothing. The bounds leave out overlong forms, surrogates and code points above U+10FFFF. */
static size_t follow_count(uint8_t lead, uint8_t *ret_low, uint8_t *ret_high)
{
	*ret_low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	*ret_high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 1;
	if (lead >= 0xe0 && lead <= 0xef)
		return 2;
	if (lead >= 0xf0 && lead <= 0xf4)
		return 3;
	return 0;
}

size_t utf8_character(const char *text, size_t length)
{
	const uint8_t *bytes = (const uint8_t *)text;
	uint8_t low, high;
	size_t count;

	if (length == 0)
		return 0;
	if (bytes[0] < 0x80)
		return 1;
	count = follow_count(bytes[0], &low, &high);
	if (count == 0 || count >= length || bytes[1] < low || bytes[1] > high)
		return 0;
	for (size_t i = 2; i <= count; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	}
	return count + 1;
}

void utf8_write(struct bytes_writer *writer, const char *text, size_t length)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t from = 0, at = 0;

	while (at < length) {
		size_t count = utf8_character(text + at, length - at);

		if (count > 0) {
			at += count;
			continue;
		}
		bytes_write_span(writer, text + from, at - from);
		bytes_write_span(writer, replacement, sizeof(replacement) - 1);
		at++;
		from = at;
	}
	bytes_write_span(writer, text + from, at - from);
}
