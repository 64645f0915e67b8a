/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/base64.h"

#include <errno.h>

/* The six bits of a character, or -1. */
static int digit_of(char character)
{
	if (character >= 'A' && character <= 'Z')
		return character - 'A';
	if (character >= 'a' && character <= 'z')
		return character - 'a' + 26;
	if (character >= '0' && character <= '9')
		return character - '0' + 52;
	if (character == '+' || character == '-')
		return 62;
	return character == '/' || character == '_' ? 63 : -1;
}

int base64_read(struct bytes_writer *writer, const char *text, size_t length)
{
	uint32_t bits = 0, bit_count = 0;

	while (length > 0 && text[length - 1] == '=')
		length--;
	/* One character too many holds no byte. */
	if (length % 4 == 1)
		return -EBADMSG;
	for (size_t i = 0; i < length; i++) {
		int digit = digit_of(text[i]);

		if (digit < 0)
			return -EBADMSG;
		bits = bits << 6 | (uint32_t)digit;
		bit_count += 6;
		if (bit_count >= 8) {
			bit_count -= 8;
			bytes_write_u8(writer, (uint8_t)(bits >> bit_count));
		}
	}
	return bytes_writer_fault(writer);
}
