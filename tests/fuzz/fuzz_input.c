/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

static int hex_digit(uint8_t digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return -1;
}

static uint8_t *hex_input(const uint8_t *input, size_t input_count, size_t *ret_count)
{
	bool is_text = input_count >= 4 && memcmp(input, "hex\n", 4) == 0;
	uint8_t *bytes = malloc(input_count ? input_count : 1);
	size_t count = 0;
	int half = -1;

	must(bytes);
	for (size_t i = is_text ? 4 : 0; i < input_count; i++) {
		int digit = hex_digit(input[i]);

		if (!is_text) {
			bytes[count++] = input[i];
		} else if (digit < 0 && input[i] != ' ' && input[i] != '\n') {
			break;
		} else if (digit >= 0 && half < 0) {
			half = digit;
		} else if (digit >= 0) {
			bytes[count++] = (uint8_t)(half << 4 | digit);
			half = -1;
		}
	}
	*ret_count = count;
	bytes = realloc(bytes, count ? count : 1);
	must(bytes);
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_count)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = hex_input(input, input_count, &byte_count);

	fuzz_one(bytes, byte_count);
	return 0;
}
