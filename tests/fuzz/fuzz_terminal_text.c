/* SPDX-License-Identifier: Apache-2.0 */
/* Any name that a server tells: what reaches the terminal holds no control character, and fits its
 * columns. The first byte is the number of columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/cli/output.h"
#include "symbolizer-server/cli/short_name.h"
#include "tests/fuzz/fuzz.h"

static void check_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		must((unsigned char)text[i] >= ' ' && text[i] != 0x7f);
}

static void check_short(const char *name, size_t columns)
{
	SCOPED_FREE char *shown = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&shown, &length);

	must(out);
	short_name_print(out, name, columns);
	must(fclose(out) == 0);
	check_plain(shown, length);
	must(output_columns(shown, length) <= columns);
}

static void check_whole(const char *name)
{
	SCOPED_FREE char *shown = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&shown, &length);

	must(out);
	output_text(out, name);
	must(fclose(out) == 0);
	check_plain(shown, length);
	must(length >= strlen(name));
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE char *name = malloc(byte_count + 1);
	char amount[AMOUNT_BYTES_MAX];
	double value = 0;

	must(name);
	if (byte_count == 0)
		return;
	memcpy(name, bytes + 1, byte_count - 1);
	name[byte_count - 1] = '\0';
	check_short(name, bytes[0] > 0 ? bytes[0] : 1);
	check_whole(name);
	memcpy(&value, bytes, byte_count < sizeof(value) ? byte_count : sizeof(value));
	output_amount(value, byte_count % 2 ? "nanoseconds" : "bytes", amount);
	must(strnlen(amount, sizeof(amount)) < sizeof(amount));
}
