/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/name_text.h"

#include <stdint.h>

/* Length of the sound character at the start of TEXT; 0 if there is none. */
static size_t character_bytes(const uint8_t *text, size_t byte_count)
{
	/* Smallest code point that needs so many bytes: a longer form of it is not sound. */
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t code;
	size_t length;

	if (text[0] < 0x80)
		return text[0] >= 0x20 && text[0] != 0x7f;
	length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
	if (text[0] < 0xc2 || text[0] > 0xf4 || length > byte_count)
		return 0;
	code = text[0] & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	/* The second block of control characters. */
	return code < 0xa0 ? 0 : length;
}

bool name_text_clean(const char *text, size_t byte_count)
{
	size_t at = 0;

	while (at < byte_count) {
		size_t length = character_bytes((const uint8_t *)text + at, byte_count - at);

		if (length == 0)
			return false;
		at += length;
	}
	return true;
}

void name_text_mend(char *text, size_t byte_count)
{
	size_t at = 0;

	while (at < byte_count) {
		size_t length = character_bytes((const uint8_t *)text + at, byte_count - at);

		if (length == 0) {
			text[at] = '?';
			length = 1;
		}
		at += length;
	}
}

size_t name_text_cut(const char *text, size_t byte_count, size_t bytes_max)
{
	size_t length = bytes_max;

	if (byte_count <= bytes_max)
		return byte_count;
	while (length > 0 && ((uint8_t)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}
